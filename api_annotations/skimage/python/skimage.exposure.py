# `skimage.exposure`: brightness and contrast.
from skimage._pictures import same as _same, some as _some

equalize_hist = equalize_adapthist = rescale_intensity = adjust_gamma = adjust_log = adjust_sigmoid = match_histograms = _same
histogram = cumulative_distribution = is_low_contrast = _some
