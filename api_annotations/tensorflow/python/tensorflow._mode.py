# What kind of program it is, which decides how strict some demands are.
from harp_library import judge, left_open


# Whether operations are executed at once or build a graph, where some demands are stricter.
_graphs = [0]


def enter_graph():
    _graphs[0] = _graphs[0] + 1


def leave_graph():
    _graphs[0] = _graphs[0] - 1


def in_graph():
    return _graphs[0] > 0 or _version[0] == 1


# Whether the program is one of version 1, where all is a graph: it was seen to do what only those do.
_version = [2]


def enter_version_1():
    _version[0] = 1


def is_version_1():
    return _version[0] == 1


# Whether a tensor that a run feeds has a size that is not `None` and not known either: such sizes look as if they were left open.
_unknown_sizes = [False]


def note_unknown_size():
    _unknown_sizes[0] = True


# Demands a size that the graph knows.
def judge_defined(size, message):
    if not _unknown_sizes[0]:
        judge(not left_open(size), message)


# Demands a number of axes that the graph knows.
def judge_ranked(tensor, what="the tensor"):
    judge(not left_open(tensor), what + " must have a number of axes that the graph knows; here it is unknown")
