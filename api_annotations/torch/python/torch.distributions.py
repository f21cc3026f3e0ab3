# Probability distributions, as far as shapes and devices go: parameters broadcast to the shape of a batch, and each has the shape of an event.
# What a distribution gives lies where its parameters do.
import copy

import torch


def _size(shape):
    return torch.Size(shape)


def _tensor(value):
    return torch.tensor(float(value)) if isinstance(value, (int, float)) else value


def _together(*values):
    """The values as tensors of one shape, numbers where the others lie."""
    total = values[0]
    for other in values[1:]:
        total = total + other
    total = _tensor(total)
    return [
        total.new_full(total.shape, float(value)) if isinstance(value, (int, float)) else value.expand(total.shape)
        for value in values
    ]


class Distribution:
    has_rsample = False
    has_enumerate_support = False
    arg_constraints = {}
    support = None
    _integral = False
    _beside = torch.zeros(())

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape = _size(batch_shape)
        self._event_shape = _size(event_shape)

    @property
    def batch_shape(self):
        return self._batch_shape

    @property
    def event_shape(self):
        return self._event_shape

    def _extended_shape(self, sample_shape=()):
        return _size(sample_shape) + self._batch_shape + self._event_shape

    def _zeros(self, shape, dtype=None):
        return self._beside.new_zeros(shape, dtype=dtype)

    def _like(self, shape):
        return self._zeros(shape)

    def sample(self, sample_shape=()):
        return self._like(self._extended_shape(sample_shape))

    def rsample(self, sample_shape=()):
        return self._like(self._extended_shape(sample_shape))

    def sample_n(self, n):
        return self.sample((n,))

    @property
    def mean(self):
        return self._zeros(self._extended_shape())

    @property
    def mode(self):
        return self._like(self._extended_shape())

    @property
    def variance(self):
        return self._zeros(self._extended_shape())

    @property
    def stddev(self):
        return self.variance.sqrt()

    def _density(self, value):
        """A number for each event of the value: the value goes together with a sample of the distribution."""
        return (self._zeros(self._extended_shape()) + value).float()

    def log_prob(self, value):
        density = self._density(value)
        count = len(self._event_shape)
        return density.sum(tuple(range(-count, 0))) if count > 0 else density

    def cdf(self, value):
        return self._density(value)

    def icdf(self, value):
        return self._density(value)

    def entropy(self):
        return self._zeros(self._batch_shape)

    def perplexity(self):
        return torch.exp(self.entropy())

    def enumerate_support(self, expand=True):
        return self._zeros((2,) + tuple(self._batch_shape))

    def expand(self, batch_shape, _instance=None):
        made = copy.copy(self)
        torch.zeros(self._batch_shape).expand(_size(batch_shape))
        made._batch_shape = _size(batch_shape)
        return made


class ExponentialFamily(Distribution):
    pass


class _LocationScale(Distribution):
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = _together(loc, scale)
        self._beside = self.loc
        super().__init__(self.loc.shape)

    def _like(self, shape):
        return self._zeros(shape, self.loc.dtype)


class Normal(_LocationScale):
    pass


class Laplace(_LocationScale):
    pass


class Cauchy(_LocationScale):
    pass


class Gumbel(_LocationScale):
    pass


class LogNormal(_LocationScale):
    pass


class StudentT(Distribution):
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = _together(df, loc, scale)
        self._beside = self.df
        super().__init__(self.df.shape)


class HalfNormal(Distribution):
    has_rsample = True

    def __init__(self, scale, validate_args=None):
        self.scale = _tensor(scale)
        self._beside = self.scale
        super().__init__(self.scale.shape)


class HalfCauchy(HalfNormal):
    pass


class Uniform(Distribution):
    has_rsample = True

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = _together(low, high)
        self._beside = self.low
        super().__init__(self.low.shape)


class Beta(Distribution):
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = _together(concentration1, concentration0)
        self._beside = self.concentration1
        super().__init__(self.concentration1.shape)


class Kumaraswamy(Beta):
    pass


class Gamma(Distribution):
    has_rsample = True

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = _together(concentration, rate)
        self._beside = self.rate
        super().__init__(self.rate.shape)


class InverseGamma(Gamma):
    pass


class Chi2(Gamma):
    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5)

    @property
    def df(self):
        return self.concentration * 2


class Weibull(Gamma):
    def __init__(self, scale, concentration, validate_args=None):
        super().__init__(concentration, scale)


class Pareto(Gamma):
    def __init__(self, scale, alpha, validate_args=None):
        super().__init__(alpha, scale)


class FisherSnedecor(Gamma):
    def __init__(self, df1, df2, validate_args=None):
        super().__init__(df1, df2)


class Exponential(Distribution):
    has_rsample = True

    def __init__(self, rate, validate_args=None):
        self.rate = _tensor(rate)
        self._beside = self.rate
        super().__init__(self.rate.shape)


class Poisson(Exponential):
    has_rsample = False


class VonMises(_LocationScale):
    def __init__(self, loc, concentration, validate_args=None):
        super().__init__(loc, concentration)
        self.concentration = self.scale


class _OfChances(Distribution):
    """Chances, or their logits, each of its own."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        if probs is not None:
            self.probs = _tensor(probs)
            self.logits = probs_to_logits(self.probs, is_binary=True)
            self._param = self.probs
        else:
            self.logits = _tensor(logits)
            self.probs = logits_to_probs(self.logits, is_binary=True)
            self._param = self.logits
        self._beside = self._param
        super().__init__(self._param.shape)


class Bernoulli(_OfChances):
    has_enumerate_support = True


class ContinuousBernoulli(_OfChances):
    has_rsample = True


class Geometric(_OfChances):
    pass


class Binomial(_OfChances):
    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        super().__init__(probs, logits)
        self.total_count = total_count


class NegativeBinomial(Binomial):
    pass


class RelaxedBernoulli(_OfChances):
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(probs, logits)
        self.temperature = temperature


class Categorical(Distribution):
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
            self.logits = probs_to_logits(self.probs)
            self._param = self.probs
        else:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
            self.probs = logits_to_probs(self.logits)
            self._param = self.logits
        self._num_events = self._param.size(-1)
        self._beside = self._param
        super().__init__(self._param.shape[:-1])

    @property
    def param_shape(self):
        return self._param.size()

    def _like(self, shape):
        return self._zeros(shape, torch.long)

    def log_prob(self, value):
        return self._zeros(self._batch_shape) + value.float()

    def entropy(self):
        return -(self._param * self._param).sum(-1)

    def expand(self, batch_shape, _instance=None):
        made = Categorical(logits=self.logits.expand(_size(batch_shape) + (self._num_events,)))
        return made

    def enumerate_support(self, expand=True):
        values = torch.arange(self._num_events, device=self._beside.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + tuple(self._batch_shape)) if expand else values


class OneHotCategorical(Distribution):
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        self.probs, self.logits = self._categorical.probs, self._categorical.logits
        self._beside = self._categorical._beside
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:])

    @property
    def param_shape(self):
        return self._categorical.param_shape

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        count = self._event_shape[0]
        values = torch.eye(count, device=self._beside.device)
        values = values.view((count,) + (1,) * len(self._batch_shape) + (count,))
        return values.expand((count,) + tuple(self._batch_shape) + (count,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    has_rsample = True


class RelaxedOneHotCategorical(OneHotCategorical):
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(probs, logits)
        self.temperature = temperature


class Multinomial(Distribution):
    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        self.total_count = total_count
        self._categorical = Categorical(probs, logits)
        self.probs, self.logits = self._categorical.probs, self._categorical.logits
        self._beside = self._categorical._beside
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:])


class Dirichlet(Distribution):
    has_rsample = True

    def __init__(self, concentration, validate_args=None):
        self.concentration = concentration
        self._beside = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])


class MultivariateNormal(Distribution):
    has_rsample = True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        given = [matrix for matrix in (covariance_matrix, precision_matrix, scale_tril) if matrix is not None]
        matrix = given[0]
        # The matrix is square, as wide as the mean.
        total = loc.unsqueeze(-1) + matrix
        self.covariance_matrix = matrix.expand(total.shape)
        self.scale_tril = self.covariance_matrix
        self.precision_matrix = self.covariance_matrix
        self.loc = loc.expand(total.shape[:-1])
        self._beside = self.loc
        super().__init__(self.loc.shape[:-1], self.loc.shape[-1:])


class LowRankMultivariateNormal(Distribution):
    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        total = loc + cov_diag + cov_factor.sum(-1)
        self.loc, self.cov_diag, self.cov_factor = loc.expand(total.shape), cov_diag.expand(total.shape), cov_factor
        self._beside = total
        super().__init__(total.shape[:-1], total.shape[-1:])

    @property
    def covariance_matrix(self):
        return self.cov_factor @ self.cov_factor.mT + torch.diag_embed(self.cov_diag)


class Independent(Distribution):
    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape = base_distribution.batch_shape + base_distribution.event_shape
        count = len(base_distribution.batch_shape) - reinterpreted_batch_ndims
        self.has_rsample = base_distribution.has_rsample
        self._beside = base_distribution._beside
        super().__init__(shape[:count], shape[count:])

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    @property
    def mean(self):
        return self.base_dist.mean

    @property
    def mode(self):
        return self.base_dist.mode

    @property
    def variance(self):
        return self.base_dist.variance

    def _summed(self, values):
        count = self.reinterpreted_batch_ndims
        return values.sum(tuple(range(-count, 0))) if count > 0 else values

    def log_prob(self, value):
        return self._summed(self.base_dist.log_prob(value))

    def entropy(self):
        return self._summed(self.base_dist.entropy())

    def expand(self, batch_shape, _instance=None):
        shape = _size(batch_shape) + self._event_shape[: self.reinterpreted_batch_ndims]
        return Independent(self.base_dist.expand(shape), self.reinterpreted_batch_ndims)


class TransformedDistribution(Distribution):
    def __init__(self, base_distribution, transforms, validate_args=None):
        self.base_dist = base_distribution
        self.transforms = list(transforms) if isinstance(transforms, (list, tuple)) else [transforms]
        self.has_rsample = base_distribution.has_rsample
        batch, event = base_distribution.batch_shape, base_distribution.event_shape
        count = max([len(event)] + [transform.event_dim for transform in self.transforms])
        shape = batch + event
        for transform in self.transforms:
            shape = transform.forward_shape(shape)
        cut = len(shape) - count
        self._beside = base_distribution._beside
        super().__init__(shape[:cut], shape[cut:])

    def _transformed(self, value):
        for transform in self.transforms:
            value = transform(value)
        return value

    def sample(self, sample_shape=()):
        return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._transformed(self.base_dist.rsample(sample_shape))


class MixtureSameFamily(Distribution):
    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self.mixture_distribution = mixture_distribution
        self.component_distribution = component_distribution
        # There is a chance for each component.
        torch.zeros(mixture_distribution.param_shape) + torch.zeros(component_distribution.batch_shape)
        self._beside = component_distribution._beside
        super().__init__(component_distribution.batch_shape[:-1], component_distribution.event_shape)

    def log_prob(self, value):
        count = len(self._event_shape)
        value = value.unsqueeze(-1 - count)
        return torch.logsumexp(self.component_distribution.log_prob(value) + self.mixture_distribution.logits, dim=-1)


class Transform:
    event_dim = 0
    bijective = True

    def __init__(self, *args, cache_size=0, **options):
        self.cache_size = cache_size

    def __call__(self, x):
        return x * 1.0

    def inv(self, y):
        return y * 1.0

    def _inverse(self, y):
        return y * 1.0

    def log_abs_det_jacobian(self, x, y):
        values = x + y
        count = self.event_dim
        return values.sum(tuple(range(-count, 0))) if count > 0 else values

    def forward_shape(self, shape):
        return shape


class TanhTransform(Transform):
    pass


class SigmoidTransform(Transform):
    pass


class ExpTransform(Transform):
    pass


class AbsTransform(Transform):
    pass


class SoftplusTransform(Transform):
    pass


class PowerTransform(Transform):
    def __init__(self, exponent, cache_size=0):
        self.exponent, self.cache_size = exponent, cache_size


class AffineTransform(Transform):
    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        self.loc, self.scale, self.event_dim, self.cache_size = loc, scale, event_dim, cache_size

    def __call__(self, x):
        return self.loc + self.scale * x

    def forward_shape(self, shape):
        return (torch.zeros(shape) + self.loc + self.scale).shape


class ComposeTransform(Transform):
    def __init__(self, parts, cache_size=0):
        self.parts, self.cache_size = parts, cache_size
        self.event_dim = max([0] + [part.event_dim for part in parts])

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape


def kl_divergence(p, q):
    if isinstance(p, Independent) and isinstance(q, Independent):
        return p._summed(kl_divergence(p.base_dist, q.base_dist))
    batches = p._zeros(p._extended_shape()) + q._zeros(q._extended_shape())
    count = len(p.event_shape)
    return batches.sum(tuple(range(-count, 0))) if count > 0 else batches


def register_kl(type_p, type_q):
    def decorator(function):
        return function

    return decorator


def probs_to_logits(probs, is_binary=False):
    return torch.log(probs)


def logits_to_probs(logits, is_binary=False):
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, dim=-1)


def broadcast_all(*values):
    return tuple(_together(*values))
