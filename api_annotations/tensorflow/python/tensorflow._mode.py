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
