# `matplotlib.offsetbox`: boxes beside plots.
from matplotlib._drawn import Drawn

AnchoredText = OffsetImage = AnnotationBbox = TextArea = DrawingArea = AnchoredOffsetbox = HPacker = VPacker = Drawn
