"""A dictionary whose entries are attributes, with overrides from texts."""
import ast


class Config(dict):
    @classmethod
    def fromdict(cls, data):
        return cls({k: cls.fromdict(v) if isinstance(v, dict) else v for k, v in data.items()})

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    def __setattr__(self, name, value):
        self[name] = value

    def merge(self, options):
        for option in options:
            key, _, text = option.partition("=")
            node = self
            *parents, last = key.split(".")
            for parent in parents:
                node = node[parent]
            try:
                node[last] = ast.literal_eval(text)
            except (ValueError, SyntaxError):
                node[last] = text
