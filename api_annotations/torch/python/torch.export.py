# Export of programs: what is exported computes what the module computes. A dimension that is to stay open is taken for fixed where the example
# has it as 1.
from harp_library import require


class Dim:
    AUTO = "auto"
    STATIC = "static"
    DYNAMIC = "dynamic"

    def __init__(self, name, *, min=None, max=None):
        self.name = name
        self.min = min
        self.max = max


def dims(*names, min=None, max=None):
    return tuple(Dim(name, min=min, max=max) for name in names)


class ExportedProgram:
    def __init__(self, module):
        self._module = module

    def module(self, check_guards=True):
        return self._module

    def run_decompositions(self, decomp_table=None):
        return self


def _is_open(dim):
    return isinstance(dim, Dim) or dim == "dynamic"


def _check(example, spec):
    if spec is None or not hasattr(example, "shape"):
        return
    entries = spec.items() if isinstance(spec, dict) else enumerate(spec)
    for axis, dim in entries:
        if _is_open(dim):
            require(
                example.shape[axis] != 1,
                "a dimension that stays open must not be 1 in the example, which makes it a constant",
            )


def export(mod, args, kwargs=None, *, dynamic_shapes=None, strict=False, **options):
    kwargs = {} if kwargs is None else kwargs
    mod(*args, **kwargs)
    if dynamic_shapes is not None:
        examples = list(args) + list(kwargs.values())
        specs = list(dynamic_shapes.values()) if isinstance(dynamic_shapes, dict) else list(dynamic_shapes)
        for example, spec in zip(examples, specs):
            _check(example, spec)
    return ExportedProgram(mod)


def save(program, file, **options):
    return None
