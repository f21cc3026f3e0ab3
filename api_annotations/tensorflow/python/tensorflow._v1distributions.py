# Distributions: a batch of them has the shape of its parameters, and samples come before it.
from harp_library import judge, tensor
from tensorflow._core import as_tensor, broadcast


def _made(shape, like):
    return tensor(shape, like.dtype, "tensorflow.Tensor")


def _lead(sample_shape):
    return (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)


class Distribution:
    # How many axes an event has, after those of the batch.
    def _start(self, batch, event, like):
        self._batch, self._event, self._like = batch, event, like
        self.batch_shape, self.event_shape, self.dtype = batch, event, like.dtype

    def sample(self, sample_shape=(), seed=None, name="sample"):
        return _made(_lead(sample_shape) + self._batch + self._event, self._like)

    def _of_value(self, value):
        value = as_tensor(value)
        if len(self._event) == 0:
            return _made(broadcast(value, _made(self._batch, self._like), value).shape, self._like)
        judge(value.shape[-1] == self._event[-1], "the value does not have the shape of an event")
        return _made(value.shape[:-1], self._like)

    def log_prob(self, value, name="log_prob"):
        return self._of_value(value)

    def prob(self, value, name="prob"):
        return self._of_value(value)

    def cdf(self, value, name="cdf"):
        return self._of_value(value)

    def log_cdf(self, value, name="log_cdf"):
        return self._of_value(value)

    def entropy(self, name="entropy"):
        return _made(self._batch, self._like)

    def kl_divergence(self, other, name="kl_divergence"):
        return _made(self._batch, self._like)

    def mean(self, name="mean"):
        return _made(self._batch + self._event, self._like)

    def mode(self, name="mode"):
        return _made(self._batch + self._event, self._like)

    def stddev(self, name="stddev"):
        return _made(self._batch + self._event, self._like)

    def variance(self, name="variance"):
        return _made(self._batch + self._event, self._like)


class _OfTwo(Distribution):
    """A distribution of two parameters, which broadcast."""

    def __init__(self, one, other):
        one, other = as_tensor(one), as_tensor(other)
        self._start(broadcast(one, other, other).shape, (), one)


class Normal(_OfTwo):
    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal"):
        super().__init__(loc, scale)
        self.loc, self.scale = loc, scale


class Laplace(_OfTwo):
    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Laplace"):
        super().__init__(loc, scale)


class Uniform(_OfTwo):
    def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True, name="Uniform"):
        super().__init__(low, high)


class Beta(_OfTwo):
    def __init__(self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name="Beta"):
        super().__init__(concentration1, concentration0)


class Gamma(_OfTwo):
    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="Gamma"):
        super().__init__(concentration, rate)


class Bernoulli(Distribution):
    def __init__(self, logits=None, probs=None, dtype=None, validate_args=False, allow_nan_stats=True, name="Bernoulli"):
        given = as_tensor(probs if logits is None else logits)
        self._start(given.shape, (), given)
        self.logits, self.probs = logits, probs

    def sample(self, sample_shape=(), seed=None, name="sample"):
        return tensor(_lead(sample_shape) + self._batch, "int32", "tensorflow.Tensor")


class Categorical(Distribution):
    def __init__(self, logits=None, probs=None, dtype=None, validate_args=False, allow_nan_stats=True, name="Categorical"):
        given = as_tensor(probs if logits is None else logits)
        self._start(given.shape[:-1], (), given)
        self.logits, self.probs = logits, probs

    def sample(self, sample_shape=(), seed=None, name="sample"):
        return tensor(_lead(sample_shape) + self._batch, "int32", "tensorflow.Tensor")


class Multinomial(Distribution):
    def __init__(self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Multinomial"):
        given = as_tensor(probs if logits is None else logits)
        self._start(given.shape[:-1], given.shape[-1:], given)


class Dirichlet(Distribution):
    def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name="Dirichlet"):
        given = as_tensor(concentration)
        self._start(given.shape[:-1], given.shape[-1:], given)


class MultivariateNormalDiag(Distribution):
    def __init__(self, loc=None, scale_diag=None, scale_identity_multiplier=None, validate_args=False, allow_nan_stats=True, name="MultivariateNormalDiag"):
        given = as_tensor(scale_diag if loc is None else loc)
        self._start(given.shape[:-1], given.shape[-1:], given)


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    return distribution_a.kl_divergence(distribution_b)
