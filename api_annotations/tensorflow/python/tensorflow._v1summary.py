# Summaries: what is written for TensorBoard. Nothing is known of their texts.
from harp_library import judge, outside, tensor


class _Summary:
    """A protocol buffer."""

    def __init__(self, *arguments, **options):
        self.value = outside("values of a summary")
        self.scalar = outside("values of a summary")

    def add(self, *arguments, **options):
        return outside("values of a summary")

    def ParseFromString(self, text):
        pass

    def SerializeToString(self):
        return outside("a summary as bytes")


class Summary(_Summary):
    class Value(_Summary):
        pass

    class Image(_Summary):
        pass

    class Audio(_Summary):
        pass


class Event(_Summary):
    pass


class SessionLog:
    START = 1

    def __init__(self, *arguments, **options):
        pass


class FileWriter:
    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None, **options):
        pass

    def add_summary(self, summary, global_step=None):
        pass

    def add_graph(self, graph, global_step=None, graph_def=None):
        pass

    def add_event(self, event):
        pass

    def add_meta_graph(self, meta_graph_def, global_step=None):
        pass

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        pass

    def add_session_log(self, session_log, global_step=None):
        pass

    def get_logdir(self):
        return outside("folder of logs")

    def flush(self):
        pass

    def close(self):
        pass

    def reopen(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


class FileWriterCache:
    @staticmethod
    def get(logdir):
        return FileWriter(logdir)

    @staticmethod
    def clear():
        pass
