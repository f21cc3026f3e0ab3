class Registry:
    def __init__(self, name):
        self.name, self._modules = name, {}

    def register_module(self, name=None):
        def wrap(cls):
            self._modules[name or cls.__name__] = cls
            return cls
        return wrap

    def get(self, key):
        if key not in self._modules:
            raise KeyError(f"{key} is not in the {self.name} registry")
        return self._modules[key]


MODELS = Registry("models")


def build(cfg, **default):
    args = dict(cfg)
    for k, v in default.items():
        args.setdefault(k, v)
    return MODELS.get(args.pop("type"))(**args)
