# `skimage.filters`: filters keep the shape of a picture.
from skimage._pictures import number as _number, of_bools as _of_bools, same as _same, same_type as _same_type, some as _some

gaussian = sobel = sobel_h = sobel_v = prewitt = scharr = roberts = laplace = frangi = hessian = meijering = sato = _same
unsharp_mask = difference_of_gaussians = farid = butterworth = window = _same
median = rank_order = _same_type
apply_hysteresis_threshold = _of_bools
threshold_otsu = threshold_li = threshold_yen = threshold_isodata = threshold_mean = threshold_minimum = threshold_triangle = _number
threshold_local = threshold_niblack = threshold_sauvola = _same
threshold_multiotsu = gabor = gabor_kernel = try_all_threshold = rank = _some
