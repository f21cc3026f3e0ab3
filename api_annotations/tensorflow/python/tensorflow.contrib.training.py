# Settings of a model, as attributes.


class HParams:
    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def add_hparam(self, name, value):
        setattr(self, name, value)

    def set_hparam(self, name, value):
        setattr(self, name, value)

    def get(self, key, default=None):
        return getattr(self, key, default)

    def parse(self, values):
        return self

    def parse_json(self, values_json):
        return self

    def override_from_dict(self, values_dict):
        return self

    def values(self):
        return self.__dict__
