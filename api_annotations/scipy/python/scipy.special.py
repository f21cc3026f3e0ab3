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
