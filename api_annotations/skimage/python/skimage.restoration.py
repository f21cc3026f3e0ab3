# `skimage.restoration`: pictures without noise.
from skimage._pictures import same as _same, some as _some

denoise_tv_chambolle = denoise_bilateral = denoise_wavelet = denoise_nl_means = denoise_tv_bregman = inpaint_biharmonic = _same
wiener = richardson_lucy = unwrap_phase = rolling_ball = _same
estimate_sigma = unsupervised_wiener = calibrate_denoiser = _some
