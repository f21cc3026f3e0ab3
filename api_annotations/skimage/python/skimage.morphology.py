# `skimage.morphology`: shapes in pictures.
from skimage._pictures import of_bools as _of_bools, of_labels as _of_labels, same_type as _same_type, some as _some

erosion = dilation = opening = closing = white_tophat = black_tophat = reconstruction = area_opening = area_closing = _same_type
h_maxima = h_minima = remove_small_objects = remove_small_holes = flood_fill = _same_type
binary_erosion = binary_dilation = binary_opening = binary_closing = skeletonize = skeletonize_3d = thin = convex_hull_image = _of_bools
isotropic_dilation = isotropic_erosion = _of_bools
label = _of_labels
disk = square = rectangle = diamond = ball = cube = star = octagon = ellipse = footprint_rectangle = medial_axis = max_tree = _some
flood = local_maxima = local_minima = _some
