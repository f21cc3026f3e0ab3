# `matplotlib.text`: texts.
from matplotlib._drawn import Drawn

Text = Annotation = Drawn
