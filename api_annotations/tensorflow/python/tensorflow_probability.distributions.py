# Distributions of TensorFlow Probability: batches of events, before which samples come.
from harp_library import outside, require, tensor
from tensorflow._core import as_tensor, broadcast
from tensorflow._v1distributions import Distribution as _Distribution
from tensorflow._v1distributions import _lead, _made


def _both(one, other):
    return _made(broadcast(one, other, other).shape, one)


class Distribution(_Distribution):
    def batch_shape_tensor(self):
        return self._batch

    def event_shape_tensor(self):
        return self._event

    def _of_value(self, value):
        value = as_tensor(value)
        count = len(self._event)
        if count == 0:
            return _made(broadcast(value, _made(self._batch, self._like), value).shape, self._like)
        require(len(value.shape) >= count, "the value has fewer axes than an event")
        for place in range(1, count + 1):
            require(value.shape[-place] == self._event[-place], "the value does not have the shape of an event")
        return _both(_made(value.shape[:len(value.shape) - count], self._like), _made(self._batch, self._like))

    def unnormalized_log_prob(self, value, name="unnormalized_log_prob"):
        return self._of_value(value)

    def quantile(self, value, name="quantile"):
        return self._of_value(value)

    def survival_function(self, value, name="survival_function"):
        return self._of_value(value)

    def kl_divergence(self, other, name="kl_divergence"):
        return _both(_made(self._batch, self._like), _made(other._batch, self._like))

    cross_entropy = kl_divergence

    def copy(self, **changes):
        return self

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return outside("what a distribution has")


class _OfNumbers(Distribution):
    """Of several parameters, which broadcast."""

    def __init__(self, *parameters, **named):
        given = [as_tensor(value) for value in list(parameters) + list(named.values()) if value is not None]
        whole = given[0]
        for value in given[1:]:
            whole = _both(whole, value)
        self._start(whole.shape, (), given[0])


class Normal(_OfNumbers):
    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal"):
        super().__init__(loc, scale)
        self.loc, self.scale = loc, scale


class Laplace(Normal):
    pass


class LogNormal(Normal):
    pass


class Cauchy(Normal):
    pass


class Gumbel(Normal):
    pass


class Logistic(Normal):
    pass


class TruncatedNormal(_OfNumbers):
    def __init__(self, loc, scale, low, high, validate_args=False, allow_nan_stats=True, name="TruncatedNormal"):
        super().__init__(loc, scale, low, high)


class Uniform(_OfNumbers):
    def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True, name="Uniform"):
        super().__init__(low, high)


class Beta(_OfNumbers):
    def __init__(self, concentration1, concentration0, validate_args=False, allow_nan_stats=True, name="Beta"):
        super().__init__(concentration1, concentration0)


class Gamma(_OfNumbers):
    def __init__(self, concentration, rate=None, log_rate=None, validate_args=False, allow_nan_stats=True, name="Gamma"):
        super().__init__(concentration, rate if log_rate is None else log_rate)


class Exponential(_OfNumbers):
    def __init__(self, rate, force_probs_to_zero_outside_support=False, validate_args=False, allow_nan_stats=True, name="Exponential"):
        super().__init__(rate)


class HalfNormal(_OfNumbers):
    def __init__(self, scale, validate_args=False, allow_nan_stats=True, name="HalfNormal"):
        super().__init__(scale)


class StudentT(_OfNumbers):
    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentT"):
        super().__init__(df, loc, scale)


class Poisson(_OfNumbers):
    def __init__(self, rate=None, log_rate=None, force_probs_to_zero_outside_support=None, validate_args=False, allow_nan_stats=True, name="Poisson"):
        super().__init__(rate if log_rate is None else log_rate)


class _OfWholeNumbers(Distribution):
    """Samples are whole numbers, unless the program says otherwise."""

    def _take(self, logits, probs, dtype, event, batch):
        given = as_tensor(probs if logits is None else logits)
        self.logits, self.probs, self._type = logits, probs, "int32" if dtype is None else dtype
        self._start(given.shape[:batch] if batch is not None else given.shape, given.shape[-1:] if event else (), given)

    def sample(self, sample_shape=(), seed=None, name="sample"):
        return tensor(_lead(sample_shape) + self._batch + self._event, self._type, "tensorflow.Tensor")

    def mode(self, name="mode"):
        return tensor(self._batch + self._event, self._type, "tensorflow.Tensor")


class Bernoulli(_OfWholeNumbers):
    def __init__(self, logits=None, probs=None, dtype=None, validate_args=False, allow_nan_stats=True, name="Bernoulli"):
        self._take(logits, probs, dtype, False, None)


class Categorical(_OfWholeNumbers):
    def __init__(self, logits=None, probs=None, dtype=None, validate_args=False, allow_nan_stats=True, name="Categorical"):
        self._take(logits, probs, dtype, False, -1)


class OneHotCategorical(_OfWholeNumbers):
    def __init__(self, logits=None, probs=None, dtype=None, validate_args=False, allow_nan_stats=True, name="OneHotCategorical"):
        self._take(logits, probs, dtype, True, -1)


class _OfVectors(Distribution):
    def _take_vectors(self, given):
        self._start(given.shape[:-1], given.shape[-1:], given)


class RelaxedOneHotCategorical(_OfVectors):
    def __init__(self, temperature, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="RelaxedOneHotCategorical"):
        given = as_tensor(probs if logits is None else logits)
        lead = _both(_made(given.shape[:-1], given), as_tensor(temperature))
        self._start(lead.shape, given.shape[-1:], given)


class RelaxedBernoulli(_OfNumbers):
    def __init__(self, temperature, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="RelaxedBernoulli"):
        super().__init__(probs if logits is None else logits, temperature)


class Dirichlet(_OfVectors):
    def __init__(self, concentration, force_probs_to_zero_outside_support=False, validate_args=False, allow_nan_stats=True, name="Dirichlet"):
        self._take_vectors(as_tensor(concentration))


class MultivariateNormalDiag(_OfVectors):
    def __init__(self, loc=None, scale_diag=None, *arguments, validate_args=False, allow_nan_stats=True, name="MultivariateNormalDiag", **options):
        if loc is None or scale_diag is None:
            self._take_vectors(as_tensor(scale_diag if loc is None else loc))
        else:
            self._take_vectors(_both(as_tensor(loc), as_tensor(scale_diag)))


class _OfMatrix(_OfVectors):
    def _take_matrix(self, loc, matrix):
        matrix = as_tensor(matrix)
        rows = _made(matrix.shape[:-1], matrix)
        self._take_vectors(rows if loc is None else _both(as_tensor(loc), rows))


class MultivariateNormalTriL(_OfMatrix):
    def __init__(self, loc=None, scale_tril=None, validate_args=False, allow_nan_stats=True, name="MultivariateNormalTriL"):
        self._take_matrix(loc, scale_tril)


class MultivariateNormalFullCovariance(_OfMatrix):
    def __init__(self, loc=None, covariance_matrix=None, validate_args=False, allow_nan_stats=True, name="MultivariateNormalFullCovariance"):
        self._take_matrix(loc, covariance_matrix)


class Independent(Distribution):
    def __init__(self, distribution, reinterpreted_batch_ndims=None, *arguments, **options):
        batch = distribution._batch
        count = len(batch) - 1 if reinterpreted_batch_ndims is None else reinterpreted_batch_ndims
        require(count <= len(batch), "there are not as many axes of a batch")
        first = len(batch) - count
        self.distribution = distribution
        self._start(batch[:first], batch[first:] + distribution._event, distribution._like)


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    return distribution_a.kl_divergence(distribution_b)
