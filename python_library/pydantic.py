# Models of `pydantic`: Harp fills their fields as it fills those of data classes.


def _plain(value):
    if isinstance(value, BaseModel):
        return {name: _plain(part) for name, part in vars(value).items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_plain(item) for item in value])
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


class BaseModel:
    @classmethod
    def model_validate(cls, obj, **options):
        return obj if isinstance(obj, cls) else cls(**obj)

    @classmethod
    def parse_obj(cls, obj):
        return cls.model_validate(obj)

    def model_dump(self, **options):
        return _plain(self)

    def dict(self, **options):
        return _plain(self)

    def model_copy(self, *, update=None, deep=False):
        values = {name: value for name, value in vars(self).items()}
        if update is not None:
            values.update(update)
        return type(self)(**values)

    def copy(self, *, update=None, deep=False):
        return self.model_copy(update=update, deep=deep)


class BaseSettings(BaseModel):
    pass
