# What `unittest.mock.patch` puts in the place of attributes and entries, for as long as a block runs.


class _Patch:
    def __call__(self, function):
        return function

    def start(self):
        return self.__enter__()

    def stop(self):
        self.__exit__(None, None, None)


class Replaced(_Patch):
    def __init__(self, target, attribute, new):
        self.target = target
        self.attribute = attribute
        self.new = new

    def __enter__(self):
        self.old = getattr(self.target, self.attribute)
        setattr(self.target, self.attribute, self.new)
        return self.new

    def __exit__(self, kind, value, traceback):
        setattr(self.target, self.attribute, self.old)


class Placed(_Patch):
    def __init__(self, new):
        self.new = new

    def __enter__(self):
        return self.new

    def __exit__(self, kind, value, traceback):
        pass


def giving(return_value, side_effect):
    def call(*args, **kwargs):
        return return_value if side_effect is None else side_effect(*args, **kwargs)

    return call


class dict(_Patch):
    def __init__(self, in_dict, values=(), clear=False, **kwargs):
        self.in_dict = in_dict
        self.values = {**values, **kwargs} if values else kwargs
        self.clear = clear

    def __enter__(self):
        self.old = self.in_dict.copy()
        if self.clear:
            self.in_dict.clear()
        self.in_dict.update(self.values)
        return self.in_dict

    def __exit__(self, kind, value, traceback):
        for key in self.values:
            if key in self.old:
                self.in_dict[key] = self.old[key]
            else:
                del self.in_dict[key]
        if self.clear:
            self.in_dict.update(self.old)
