# `matplotlib.font_manager`: fonts.
import harp_library as _harp
from matplotlib._drawn import Drawn

FontProperties = FontManager = Drawn
fontManager = Drawn()


def findSystemFonts(fontpaths=None, fontext="ttf"):
    return _harp.some_of([str(_harp.outside("a font"))])


def findfont(prop, **options):
    return str(_harp.outside("a font"))
