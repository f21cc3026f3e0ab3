# Texts that programs read and write as files.


class StringIO:
    closed = False

    def __init__(self, initial_value="", newline="\n"):
        self._text = initial_value or ""
        self._at = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def read(self, size=-1):
        start = self._at
        end = len(self._text) if size is None or size < 0 else min(len(self._text), start + size)
        self._at = max(start, end)
        return self._text[start:end]

    def readline(self, size=-1):
        rest = self._text[self._at :]
        line = rest.split("\n", 1)[0]
        if len(line) < len(rest):
            line = line + "\n"
        self._at += len(line)
        return line

    def readlines(self, hint=-1):
        return list(self)

    def write(self, text):
        start = self._at
        self._text = self._text[:start] + text + self._text[start + len(text) :]
        self._at = start + len(text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def getvalue(self):
        return self._text

    def seek(self, offset, whence=0):
        self._at = offset if whence == 0 else len(self._text)
        return self._at

    def tell(self):
        return self._at

    def truncate(self, size=None):
        self._text = self._text[: self._at if size is None else size]
        return len(self._text)

    def flush(self):
        pass

    def close(self):
        self.closed = True

    def readable(self):
        return True

    def writable(self):
        return True

    def isatty(self):
        return False
