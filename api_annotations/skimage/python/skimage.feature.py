# `skimage.feature`: what stands out in a picture.
from skimage._pictures import of_bools as _of_bools, same as _same, some as _some

canny = _of_bools
corner_harris = corner_shi_tomasi = local_binary_pattern = shape_index = _same
hog = peak_local_max = blob_log = blob_dog = blob_doh = graycomatrix = graycoprops = greycomatrix = greycoprops = _some
match_template = corner_peaks = ORB = SIFT = BRIEF = CENSURE = match_descriptors = daisy = structure_tensor = hessian_matrix = _some
hessian_matrix_eigvals = draw_multiblock_lbp = haar_like_feature = plot_matches = _some
