# Random numbers.
from harp_library import require
from tensorflow._core import as_tensor
from tensorflow._shared import made, sizes_of


def uniform(shape, minval=0, maxval=None, dtype="float32", seed=None, name=None):
    return made(sizes_of(shape), dtype)


def normal(shape, mean=0.0, stddev=1.0, dtype="float32", seed=None, name=None):
    return made(sizes_of(shape), dtype)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype="float32", seed=None, name=None):
    return made(sizes_of(shape), dtype)


def gamma(shape, alpha, beta=None, dtype="float32", seed=None, name=None):
    return made(tuple(sizes_of(shape)) + as_tensor(alpha).shape, dtype)


def poisson(shape, lam, dtype="float32", seed=None, name=None):
    return made(tuple(sizes_of(shape)) + as_tensor(lam).shape, dtype)


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype="float32", name=None, alg="auto_select"):
    return made(sizes_of(shape), dtype)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype="float32", name=None, alg="auto_select"):
    return made(sizes_of(shape), dtype)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype="float32", name=None, alg="auto_select"):
    return made(sizes_of(shape), dtype)


def stateless_gamma(shape, seed, alpha, beta=None, dtype="float32", name=None):
    return made(sizes_of(shape), dtype)


def stateless_poisson(shape, seed, lam, dtype="int32", name=None):
    return made(sizes_of(shape), dtype)


def stateless_binomial(shape, seed, counts, probs, output_dtype="int32", name=None):
    return made(sizes_of(shape), output_dtype)


def stateless_parameterized_truncated_normal(shape, seed, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, name=None):
    return made(sizes_of(shape), "float32")


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    logits = as_tensor(logits)
    require(len(logits.shape) == 2, "categorical takes a matrix of logits")
    return made((logits.shape[0], num_samples), "int64" if dtype is None else dtype)


def stateless_categorical(logits, num_samples, seed, dtype="int64", name=None):
    return categorical(logits, num_samples, dtype)


def split(seed, num=2, alg="auto_select"):
    return made((num, 2), as_tensor(seed).dtype)


def fold_in(seed, data, alg="auto_select"):
    return made((2,), as_tensor(seed).dtype)


def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    return made((num_sampled,), "int64"), made(as_tensor(true_classes).shape, "float32"), made((num_sampled,), "float32")


def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    return log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max)


class Generator:
    def __init__(self, copy_from=None, state=None, alg=None):
        pass

    @classmethod
    def from_seed(cls, seed, alg=None):
        return cls()

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        return cls()

    @classmethod
    def from_state(cls, state, alg):
        return cls()

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        return cls()

    def normal(self, shape, mean=0.0, stddev=1.0, dtype="float32", name=None):
        return made(sizes_of(shape), dtype)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype="float32", name=None):
        return made(sizes_of(shape), dtype)

    def uniform(self, shape, minval=0, maxval=None, dtype="float32", name=None):
        return made(sizes_of(shape), dtype)

    def uniform_full_int(self, shape, dtype="uint64", name=None):
        return made(sizes_of(shape), dtype)

    def binomial(self, shape, counts, probs, dtype="int32", name=None):
        return made(sizes_of(shape), dtype)

    def make_seeds(self, count=1):
        return made((2, count), "int64")

    def split(self, count=1):
        return [Generator() for index in range(count)]

    def reset_from_seed(self, seed):
        pass

    def skip(self, delta):
        pass

    @property
    def state(self):
        return made((3,), "int64")

    @property
    def key(self):
        return made((), "int64")


def get_global_generator():
    return Generator()


def set_global_generator(generator):
    pass


def create_rng_state(seed, alg):
    return made((3,), "int64")
