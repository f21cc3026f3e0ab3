# `imageio.v3`: pictures and videos of files.
import harp_library as _harp


def imread(uri, *, index=None, plugin=None, extension=None, **options):
    return _harp.outside("a picture")


imiter = improps = immeta = imread


def imwrite(uri, image, **options):
    return None
