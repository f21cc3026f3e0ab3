"""Models by name."""
MODELS = {}


def register(name=None):
    def wrap(cls):
        key = name or cls.__name__.lower()
        if key in MODELS:
            raise KeyError(f"{key} is registered twice")
        MODELS[key] = cls
        return cls
    return wrap


def build_model(name, *args, **kwargs):
    try:
        cls = MODELS[name]
    except KeyError:
        raise ValueError(f"unknown model {name}; there are {', '.join(available())}") from None
    return cls(*args, **kwargs)


def available():
    return sorted(MODELS)
