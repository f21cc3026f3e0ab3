# `scipy.special`: functions of each element.
import numpy as np


def _of_each(x, *arguments, **options):
    return np.zeros(np.shape(x))


expit = logit = erf = erfc = erfinv = gamma = gammaln = digamma = psi = log1p = expm1 = exp2 = exp10 = ndtr = ndtri = i0 = j0 = _of_each
softmax = log_softmax = _of_each


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    result = np.sum(np.zeros(np.shape(a)), axis=axis, keepdims=keepdims)
    return (result, result) if return_sign else result


def xlogy(x, y):
    return np.zeros(np.shape(x)) + np.zeros(np.shape(y))


rel_entr = kl_div = xlogy


from scipy._numbers import floats_like as _floats_like, numbers as _numbers


def _of_several(*values, **options):
    return _floats_like(*values)


gammainc = gammaincc = gammaincinv = gammainccinv = betainc = betaincinv = beta = betaln = jv = jn = kv = kn = iv = yv = binom = _of_several
hyp2f1 = hyp1f1 = xlog1py = boxcox = inv_boxcox = huber = pseudo_huber = stdtr = chdtr = fdtr = bdtr = nbdtr = owens_t = zeta = _of_several
ellipk = ellipe = ellipkinc = erfcinv = erfcx = i1 = i0e = i1e = j1 = k0 = k1 = y0 = y1 = sinc = cbrt = entr = log_ndtr = loggamma = _of_each
polygamma = multigammaln = wofz = dawsn = spence = expi = exp1 = expn = rgamma = gammasgn = _of_several
comb = perm = factorial = factorial2 = factorialk = sph_harm = sph_harm_y = lpmv = legendre = eval_legendre = hermite = chebyt = laguerre = _numbers
