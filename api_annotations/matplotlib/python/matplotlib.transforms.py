# `matplotlib.transforms`: coordinates.
from matplotlib._drawn import Drawn

Affine2D = Bbox = ScaledTranslation = blended_transform_factory = Transform = TransformedBbox = IdentityTransform = Drawn
