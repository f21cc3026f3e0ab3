# Files.
from harp_library import outside, some_of


class GFile:
    def __init__(self, name, mode="r", *arguments, **options):
        self.name, self.mode = name, mode

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def read(self, n=-1):
        return outside("what a file holds")

    def readline(self):
        return outside("a line of a file")

    def readlines(self):
        return some_of([outside("a line of a file")])

    def __iter__(self):
        return iter(some_of([outside("a line of a file")]))

    def write(self, file_content):
        pass

    def flush(self):
        pass

    def close(self):
        pass

    def seek(self, offset=None, whence=0, position=None):
        pass

    def tell(self):
        return outside("a place in a file")

    def size(self):
        return outside("the size of a file")

    def seekable(self):
        return True


Open = GFile
