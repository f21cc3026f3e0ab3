# `scipy.stats`: distributions, tests and summaries.
import numpy as np
import harp_library as _harp
from scipy._numbers import Result as _Result, floats_like as _floats_like, is_array as _is_array, number as _number, numbers as _numbers


class _Distribution:
    def __init__(self, *settings, **named):
        self._settings = settings

    def __call__(self, *settings, **named):
        return _Distribution(*settings, *named.values())

    def _of_each(self, x, *settings, **named):
        return _floats_like(x, *self._settings, *settings, *named.values())

    pdf = logpdf = cdf = logcdf = sf = logsf = ppf = isf = pmf = logpmf = _of_each

    def rvs(self, *settings, size=None, random_state=None, **named):
        if size is None:
            # The number of draws may stand last among the settings.
            return _numbers() if settings or named or self._settings else _number()
        if isinstance(size, int):
            return np.zeros(size)
        return np.zeros(tuple(size)) if isinstance(size, (list, tuple)) else _harp.array(None)

    def interval(self, confidence=None, *settings, **named):
        return _numbers(), _numbers()

    def fit(self, data, *settings, **named):
        return _numbers()

    def __getattr__(self, name):
        return _numbers


norm = beta = gamma = expon = uniform = t = chi2 = f = lognorm = cauchy = laplace = logistic = pareto = weibull_min = weibull_max = _Distribution()
truncnorm = skewnorm = genextreme = gumbel_r = gumbel_l = invgamma = rayleigh = triang = vonmises = loguniform = reciprocal = _Distribution()
halfnorm = powerlaw = genpareto = exponnorm = nct = ncx2 = ncf = invgauss = erlang = arcsine = dweibull = gennorm = foldnorm = _Distribution()
bernoulli = binom = poisson = geom = nbinom = randint = hypergeom = zipf = planck = boltzmann = dlaplace = betabinom = skellam = _Distribution()


class _OfVectors:
    def __init__(self, *settings, **named):
        pass

    def __call__(self, *settings, **named):
        return self

    def rvs(self, *settings, **named):
        return _harp.array(None)

    def pdf(self, x, *settings, **named):
        return _numbers()

    logpdf = cdf = logcdf = entropy = pdf

    def __getattr__(self, name):
        return _numbers


multivariate_normal = dirichlet = multinomial = wishart = invwishart = multivariate_t = ortho_group = special_ortho_group = _OfVectors()
random_correlation = unitary_group = matrix_normal = uniform_direction = _OfVectors()


def _tested(*arguments, **options):
    return _Result(statistic=_number(), pvalue=_number())


def _tested_by_axis(*arguments, **options):
    return _Result(statistic=_numbers(), pvalue=_numbers())


ttest_ind = ttest_rel = ttest_1samp = mannwhitneyu = wilcoxon = kruskal = f_oneway = friedmanchisquare = chisquare = normaltest = _tested_by_axis
skewtest = kurtosistest = jarque_bera = levene = bartlett = fligner = ansari = mood = ranksums = brunnermunzel = power_divergence = _tested_by_axis
pearsonr = kendalltau = pointbiserialr = weightedtau = somersd = kstest = ks_2samp = ks_1samp = shapiro = fisher_exact = binomtest = _tested
cramervonmises = cramervonmises_2samp = epps_singleton_2samp = median_test = alexandergovern = _tested
spearmanr = _tested_by_axis


def linregress(x, y=None, alternative="two-sided", **options):
    return _Result(slope=_number(), intercept=_number(), rvalue=_number(), pvalue=_number(), stderr=_number())


def chi2_contingency(observed, *arguments, **options):
    return _Result(statistic=_number(), pvalue=_number(), dof=_harp.free_size("degrees", 0), expected_freq=np.zeros(np.shape(observed)))


def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    return _Result(mode=_numbers(), count=_numbers())


def describe(a, *arguments, **options):
    return _Result(nobs=_numbers(), minmax=_numbers(), mean=_numbers(), variance=_numbers(), skewness=_numbers(), kurtosis=_numbers())


def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    return np.zeros(np.shape(a))


def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    return _harp.array(np.shape(a) if axis is not None else (np.size(a),))


def _summary(a, axis=0, *arguments, **options):
    if isinstance(a, np.ndarray) and isinstance(axis, int) and _harp.is_known(a.ndim) and a.ndim > 1:
        return _harp.array(np.zeros(a.shape).sum(axis=axis).shape)
    return _numbers()


skew = kurtosis = gmean = hmean = sem = tmean = tstd = tvar = variation = moment = iqr = trim_mean = _summary
entropy = scoreatpercentile = percentileofscore = median_abs_deviation = differential_entropy = _numbers
wasserstein_distance = energy_distance = _number


class gaussian_kde:
    def __init__(self, dataset, bw_method=None, weights=None):
        self._is_flat = isinstance(dataset, np.ndarray) and dataset.ndim == 1

    def __call__(self, points):
        if isinstance(points, np.ndarray) and _harp.is_known(points.ndim):
            return np.zeros(points.shape[0] if points.ndim == 1 and self._is_flat else points.shape[-1])
        return _harp.array(None)

    evaluate = pdf = logpdf = __call__

    def resample(self, size=None, seed=None):
        return _harp.array(None)

    def __getattr__(self, name):
        return _numbers


def boxcox(x, lmbda=None, alpha=None, optimizer=None):
    return (np.zeros(np.shape(x)), _number()) if lmbda is None else np.zeros(np.shape(x))


yeojohnson = boxcox


def probplot(x, *arguments, **options):
    return (np.zeros(np.shape(x)), np.zeros(np.shape(x))), (_number(), _number(), _number())


def binned_statistic(x, values, statistic="mean", bins=10, range=None):
    count = bins if isinstance(bins, int) else len(bins) - 1
    return _Result(statistic=_harp.array(None), bin_edges=np.zeros(count + 1), binnumber=np.zeros(np.size(x), dtype=np.int64))


bootstrap = permutation_test = monte_carlo_test = tukey_hsd = anderson = sigmaclip = trimboth = binned_statistic_2d = binned_statistic_dd = _numbers
rv_continuous = rv_discrete = rv_histogram = _Distribution
qmc = _Distribution()
