"""A stream wrapped in each of 200 calls, against once: to write a line in each."""
import io

CASES = {"200 calls": (200,)}


class Safe:
    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        return self.stream.write(text)


def setup(calls):
    return calls


def before(calls):
    stream = io.StringIO()
    for i in range(calls):
        stream = Safe(stream)
        stream.write("a line\n")


def after(calls):
    stream = io.StringIO()
    for i in range(calls):
        if not isinstance(stream, Safe):
            stream = Safe(stream)
        stream.write("a line\n")
