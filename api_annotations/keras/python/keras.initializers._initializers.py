# Initializers: called with a shape, they give a tensor of it.
import numpy as np
from harp_library import is_known, require
from keras._shapes import _made


class Initializer:
    def __init__(self, *arguments, **options):
        pass

    def __call__(self, shape, dtype=None, **options):
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        self._checked(sizes)
        return _made(sizes, np.float32 if dtype is None else dtype)

    def _checked(self, sizes):
        pass

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class Identity(Initializer):
    def _checked(self, sizes):
        require(len(sizes) == 2, "an identity is a matrix")


class Zeros(Initializer):
    pass


class Orthogonal(Initializer):
    def _checked(self, sizes):
        require(len(sizes) >= 2, "orthogonal weights have at least two axes")


Ones = Constant = RandomNormal = RandomUniform = TruncatedNormal = VarianceScaling = STFT = Zeros
GlorotNormal = GlorotUniform = HeNormal = HeUniform = LecunNormal = LecunUniform = Zeros
zeros = ones = constant = random_normal = random_uniform = truncated_normal = variance_scaling = Zeros
normal = uniform = glorot_normal = glorot_uniform = he_normal = he_uniform = lecun_normal = lecun_uniform = Zeros
orthogonal, identity, IdentityInitializer, OrthogonalInitializer = Orthogonal, Identity, Identity, Orthogonal


def get(identifier):
    if identifier is None or callable(identifier):
        return identifier
    return Zeros()


def serialize(initializer):
    return {}


deserialize = get
