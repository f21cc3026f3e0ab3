# `scipy.signal.windows`: windows over signals.
import numpy as np


def hann(M, *arguments, **options):
    return np.zeros(M)


hamming = blackman = gaussian = kaiser = boxcar = triang = bartlett = tukey = nuttall = blackmanharris = cosine = parzen = flattop = hann
exponential = hann
bohman = barthann = chebwin = general_hamming = general_cosine = general_gaussian = hann


def get_window(window, Nx, fftbins=True):
    return np.zeros(Nx)
