# What JAX raises.
class JAXTypeError(TypeError):
    pass


class JAXIndexError(IndexError):
    pass


class ConcretizationTypeError(JAXTypeError):
    pass


class NonConcreteBooleanIndexError(JAXIndexError):
    pass


class TracerArrayConversionError(JAXTypeError):
    pass


class TracerBoolConversionError(ConcretizationTypeError):
    pass


class TracerIntegerConversionError(JAXTypeError):
    pass


class UnexpectedTracerError(JAXTypeError):
    pass


class JaxRuntimeError(RuntimeError):
    pass
