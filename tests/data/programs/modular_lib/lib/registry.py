import inspect


class Registry:
    def __init__(self, name):
        self.name, self._classes = name, {}

    def register(self, cls=None, *, name=None):
        def add(cls):
            key = name or cls.__name__
            if key in self._classes:
                raise KeyError(f"{key} is already registered in {self.name}")
            self._classes[key] = cls
            return cls

        return add(cls) if inspect.isclass(cls) else add

    def get(self, key):
        return self._classes.get(key)


def build(cfg, registry, **defaults):
    args = dict(cfg)
    for name, value in defaults.items():
        args.setdefault(name, value)
    cls = args.pop("type")
    if isinstance(cls, str):
        cls = registry.get(cls)
    return cls(**args)


MODELS = Registry("models")
