# Files and logs in version 1.
from harp_library import outside

DEBUG, INFO, WARN, WARNING, ERROR, FATAL = 10, 20, 30, 30, 40, 50


def debug(msg, *args, **kwargs):
    pass


info = warn = warning = error = fatal = log = vlog = debug


def set_verbosity(v):
    pass


def get_verbosity():
    return 20


def log_first_n(level, msg, n, *args):
    pass


log_every_n = log_if = log_first_n


def flush():
    pass


class GFile:
    def __init__(self, name, mode="r"):
        self.name, self.mode = name, mode

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def __iter__(self):
        return iter(outside("lines of a file"))

    def read(self, n=-1):
        return outside("contents of a file")

    def readline(self):
        return outside("line of a file")

    def readlines(self):
        return outside("lines of a file")

    def write(self, file_content):
        pass

    def seek(self, offset=None, whence=0, position=None):
        pass

    def tell(self):
        return outside("place in a file")

    def size(self):
        return outside("size of a file")

    def flush(self):
        pass

    def close(self):
        pass


Open = FastGFile = GFile


def Exists(filename):
    return outside("whether a file exists")


IsDirectory = Exists


def Glob(filename):
    return outside("names of files")


def ListDirectory(dirname):
    return outside("names of files")


def Walk(top, in_order=True):
    return outside("names of files")


def Stat(filename):
    return outside("status of a file")


def MakeDirs(dirname):
    pass


MkDir = DeleteRecursively = Remove = MakeDirs


def Copy(oldpath, newpath, overwrite=False):
    pass


Rename = Copy
