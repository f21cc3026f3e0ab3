# Decorators that change no results.
def do_not_convert(func=None):
    return (lambda decorated: decorated) if func is None else func


def set_loop_options(parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None):
    pass
