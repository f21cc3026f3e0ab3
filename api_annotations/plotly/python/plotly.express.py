# `plotly.express`: plots of tables.
from plotly._drawn import Drawn as _Drawn

scatter = scatter_3d = line = line_3d = bar = histogram = box = violin = strip = pie = sunburst = treemap = imshow = density_heatmap = _Drawn
density_contour = scatter_matrix = parallel_coordinates = parallel_categories = area = funnel = choropleth = scatter_mapbox = scatter_geo = _Drawn
line_polar = scatter_polar = bar_polar = timeline = ecdf = icicle = line_mapbox = density_mapbox = _Drawn
colors = data = _Drawn()
