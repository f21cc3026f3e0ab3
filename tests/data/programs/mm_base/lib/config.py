import importlib.util
import os


def merge(base, over):
    out = dict(base)
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = merge(out[key], value)
        else:
            out[key] = value
    return out


class Config:
    def __init__(self, values):
        self._values = values

    @staticmethod
    def read(path):
        spec = importlib.util.spec_from_file_location("cfg_" + os.path.basename(path)[:-3], path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        own = {k: v for k, v in vars(module).items() if not k.startswith("__")}
        values = {}
        for base in own.pop("_base_", []):
            values = merge(values, Config.read(os.path.join(os.path.dirname(path), base)))
        return merge(values, own)

    @classmethod
    def fromfile(cls, path):
        return cls(cls.read(path))

    def __getattr__(self, name):
        value = self._values[name]
        return Config(value) if isinstance(value, dict) else value

    def to_dict(self):
        return self._values
