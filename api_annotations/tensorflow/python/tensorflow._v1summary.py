# Summaries: what is written for TensorBoard. Nothing is known of their texts.
from harp_library import judge, outside
from tensorflow._v1graph import Operation, _collected, _needed, add_to_collection


class _SummaryOperation(Operation):
    def _result(self):
        return outside("a summary as bytes")

    def eval(self, feed_dict=None, session=None):
        self.run(feed_dict)
        return outside("a summary as bytes")


def _summary(value, collections):
    made = _SummaryOperation("summary", [value])
    for name in (["summaries"] if collections is None else collections):
        add_to_collection(name, made)
    return made


def scalar(name, tensor=None, collections=None, family=None, data=None, step=None, description=None):
    return _summary(tensor, collections if isinstance(collections, list) else None)


def histogram(name, values=None, collections=None, family=None, data=None, step=None, buckets=None, description=None):
    return _summary(values, collections if isinstance(collections, list) else None)


def image(name, tensor=None, max_outputs=3, collections=None, family=None, data=None, step=None, description=None, max_images=3):
    if tensor is not None:
        judge(tensor.ndim == 4, "a summary of images takes images with axes of batches, rows, columns and channels")
    return _summary(tensor, collections if isinstance(collections, list) else None)


def audio(name, tensor=None, sample_rate=None, max_outputs=3, collections=None, family=None, data=None, step=None, encoding=None, description=None):
    return _summary(tensor, collections if isinstance(collections, list) else None)


def text(name, tensor=None, collections=None, data=None, step=None, description=None):
    return _summary(tensor, collections if isinstance(collections, list) else None)


def tensor_summary(name, tensor, summary_description=None, collections=None, summary_metadata=None, family=None, display_name=None):
    return _summary(tensor, collections)


def merge(inputs, collections=None, name=None):
    return _SummaryOperation(name, _needed(inputs))


def merge_all(key="summaries", scope=None, name=None):
    return _SummaryOperation(name, _needed(_collected(key)))


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
