# `skimage.data`: pictures that come with it.
from skimage._pictures import some as _some

camera = astronaut = coins = coffee = chelsea = cat = rocket = moon = page = text = horse = checkerboard = hubble_deep_field = _some
immunohistochemistry = retina = lena = binary_blobs = clock = logo = brick = grass = gravel = cell = cells3d = _some
shepp_logan_phantom = _some
