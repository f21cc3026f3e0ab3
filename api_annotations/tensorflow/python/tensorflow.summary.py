# Summaries: they are written, and give nothing to compute with.
from tensorflow._scopes import Block
from tensorflow._shared import made


class SummaryWriter(Block):
    def as_default(self, step=None):
        return self

    def set_as_default(self, step=None):
        pass

    def init(self):
        pass

    def flush(self):
        pass

    def close(self):
        pass


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None, experimental_trackable=False,
                       experimental_mesh=None):
    return SummaryWriter()


def create_noop_writer():
    return SummaryWriter()


def record_if(condition):
    return Block()


def should_record_summaries():
    return made((), "bool")
