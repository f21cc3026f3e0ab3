# `matplotlib.widgets`: controls.
from matplotlib._drawn import Drawn

Slider = Button = CheckButtons = RadioButtons = RangeSlider = TextBox = Cursor = RectangleSelector = LassoSelector = SpanSelector = Drawn
PolygonSelector = Drawn
