# `skimage.segmentation`: pictures in parts.
from skimage._pictures import of_bools as _of_bools, of_labels as _of_labels, some as _some

watershed = expand_labels = clear_border = random_walker = join_segmentations = _of_labels
find_boundaries = chan_vese = _of_bools
slic = felzenszwalb = quickshift = mark_boundaries = active_contour = relabel_sequential = flood = flood_fill = _some
morphological_chan_vese = _some
