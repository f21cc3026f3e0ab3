# Whether operations are executed at once or build a graph, where some demands are stricter.
_graphs = [0]


def enter_graph():
    _graphs[0] = _graphs[0] + 1


def leave_graph():
    _graphs[0] = _graphs[0] - 1


def in_graph():
    return _graphs[0] > 0
