# Records in files: what is written, and what a parser makes of it.
from harp_library import outside


def tf_record_iterator(path, options=None):
    return outside("records of a file")


class TFRecordOptions:
    def __init__(self, *arguments, **options):
        pass


class TFRecordCompressionType:
    NONE, ZLIB, GZIP = 0, 1, 2


class TFRecordWriter:
    def __init__(self, path, options=None):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def write(self, record):
        pass

    def flush(self):
        pass

    def close(self):
        pass
