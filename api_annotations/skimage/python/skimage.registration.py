# `skimage.registration`: pictures that are laid over each other.
from skimage._pictures import some as _some

phase_cross_correlation = optical_flow_tvl1 = optical_flow_ilk = _some
