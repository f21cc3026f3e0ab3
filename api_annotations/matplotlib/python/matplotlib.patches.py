# `matplotlib.patches`: shapes.
from matplotlib._drawn import Drawn

Rectangle = Circle = Ellipse = Polygon = Patch = PathPatch = FancyArrow = FancyArrowPatch = FancyBboxPatch = Wedge = Arc = Arrow = Drawn
RegularPolygon = ConnectionPatch = Annulus = StepPatch = BoxStyle = ArrowStyle = Drawn
