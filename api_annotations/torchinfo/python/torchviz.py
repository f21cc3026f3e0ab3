# `torchviz`: drawings of what is computed.


class _Drawing:
    def __getattr__(self, name):
        return _nothing


def _nothing(*arguments, **options):
    return None


def make_dot(*arguments, **options):
    return _Drawing()


make_dot_from_trace = make_dot
