# Configurations of `yacs`.
import ast
import copy

import yaml


def _decoded(value):
    if not isinstance(value, str):
        return value
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


# A value takes the type of the one in whose place it comes.
def _fitted(value, before):
    value = _decoded(value)
    if isinstance(before, tuple) and isinstance(value, list):
        return tuple(value)
    if isinstance(before, list) and isinstance(value, tuple):
        return list(value)
    return value


class CfgNode(dict):
    _is_frozen = False

    def __init__(self, init_dict=None, key_list=None, new_allowed=False):
        super().__init__()
        if init_dict is not None:
            for key, value in init_dict.items():
                self[key] = CfgNode(value) if isinstance(value, dict) else value

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __setattr__(self, name, value):
        if self.is_frozen():
            raise AttributeError(f"Attempted to set {name} to {value}, but CfgNode is immutable")
        self[name] = value

    def _merge(self, other):
        for key, value in other.items():
            if isinstance(value, dict) and key in self:
                self[key]._merge(value)
            else:
                self[key] = CfgNode(value) if isinstance(value, dict) else _fitted(value, self.get(key))

    def merge_from_file(self, cfg_filename):
        with open(cfg_filename) as file:
            self._merge(yaml.safe_load(file))

    def merge_from_other_cfg(self, cfg_other):
        self._merge(cfg_other)

    def merge_from_list(self, cfg_list):
        for name, value in zip(cfg_list[0::2], cfg_list[1::2]):
            parts = name.split(".")
            node = self
            for part in parts[:-1]:
                node = node[part]
            node[parts[-1]] = _fitted(value, node[parts[-1]])

    @classmethod
    def load_cfg(cls, cfg_file_obj_or_str):
        return cls(yaml.safe_load(cfg_file_obj_or_str))

    def clone(self):
        return copy.deepcopy(self)

    def freeze(self):
        self._set_frozen(True)

    def defrost(self):
        self._set_frozen(False)

    def _set_frozen(self, is_frozen):
        object.__setattr__(self, "_is_frozen", is_frozen)
        for value in self.values():
            if isinstance(value, CfgNode):
                value._set_frozen(is_frozen)

    def set_new_allowed(self, is_new_allowed):
        pass

    def is_frozen(self):
        return self._is_frozen

    def dump(self, **options):
        return yaml.dump(self, **options)
