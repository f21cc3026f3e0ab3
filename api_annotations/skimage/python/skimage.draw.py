# `skimage.draw`: places of shapes.
from skimage._pictures import some as _some

disk = circle = polygon = line = ellipse = rectangle = circle_perimeter = ellipse_perimeter = polygon_perimeter = _some
rectangle_perimeter = line_aa = circle_perimeter_aa = set_color = random_shapes = polygon2mask = bezier_curve = line_nd = _some
