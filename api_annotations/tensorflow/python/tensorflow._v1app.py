# Running a program in version 1 is what absl does; without a function it runs that of the name `main`.
import sys

import absl.app as _app
import absl.flags as _flags

flags = _flags


def run(main=None, argv=None):
    if main is None:
        _app.run(sys.modules["__main__"].main, argv)
    else:
        _app.run(main, argv)
