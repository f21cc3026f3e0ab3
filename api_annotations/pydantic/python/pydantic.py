# Models of `pydantic`: Harp fills their fields as it fills those of data classes.


import json


class ValidationError(ValueError):
    def __init__(self, errors):
        super().__init__(errors)
        self._errors = errors

    def errors(self, **options):
        return self._errors

    def error_count(self):
        return len(self._errors)


# What a decorator made of a method of a model: Harp calls `field` for each value that it is about, and `model` for the whole model where it
# is about no field.
class _Validator:
    def __init__(self, function, fields, mode):
        self.function = function
        self.fields = fields
        self.mode = mode

    def field(self, cls, value, *further):
        try:
            return self.function(cls, value, *further)
        except (ValueError, AssertionError) as error:
            raise ValidationError([{"type": "value_error", "msg": str(error)}])

    def model(self, *arguments):
        try:
            return self.function(*arguments)
        except (ValueError, AssertionError) as error:
            raise ValidationError([{"type": "value_error", "msg": str(error)}])


def field_validator(*fields, mode="after", **options):
    return lambda function: _Validator(function, fields, "before" if mode == "plain" else mode)


def validator(*fields, pre=False, **options):
    return lambda function: _Validator(function, fields, "before" if pre else "after")


def model_validator(*, mode):
    return lambda function: _Validator(function, None, mode)


class _Computed:
    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner=None):
        return self.function(instance)


def computed_field(function=None, **options):
    if function is None:
        return _Computed
    return _Computed(function)


def ConfigDict(**options):
    return options


def PrivateAttr(default=None, *, default_factory=None, **options):
    return default if default_factory is None else default_factory()


def _plain(value):
    if isinstance(value, BaseModel):
        entries = {name: _plain(part) for name, part in vars(value).items()}
        for name, member in vars(type(value)).items():
            if isinstance(member, _Computed):
                entries[name] = _plain(member.function(value))
        return entries
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
    def model_validate_json(cls, json_data, **options):
        return cls.model_validate(json.loads(json_data))

    @classmethod
    def model_construct(cls, **values):
        return cls(**values)

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
