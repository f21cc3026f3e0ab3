"""Memory that one worker copies as it reads a list of objects, against an array."""
import gc
import os

import numpy as np

CASES = {"200,000 boxes of 4 numbers": (200000,)}
MEASURE = "counted bytes"


def setup(n):
    return [{"box": [i, i + 1, i + 2, i + 3]} for i in range(n)], np.arange(n * 4, dtype=np.int64).reshape(n, 4)


def own_pages(read):
    """What a child has of its own after it read all items."""
    gc.disable()
    end, begin = os.pipe()
    child = os.fork()
    if child == 0:
        read()
        own = next(line for line in open("/proc/self/smaps_rollup") if line.startswith("Private_Dirty"))
        os.write(begin, str(int(own.split()[1]) * 1024).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return int(os.read(end, 100))


def before(entries, array):
    return own_pages(lambda: sum(entries[i]["box"][0] for i in range(len(entries))))


def after(entries, array):
    return own_pages(lambda: sum(int(array[i][0]) for i in range(len(array))))
