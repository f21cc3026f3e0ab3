# `matplotlib.patheffects`: effects of outlines.
from matplotlib._drawn import Drawn

Stroke = Normal = withStroke = SimpleLineShadow = PathPatchEffect = Drawn
