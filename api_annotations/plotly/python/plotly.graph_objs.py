# `plotly.graph_objs`: what a plot is made of.
from plotly._drawn import Drawn

Figure = FigureWidget = Scatter = Scatter3d = Scattergl = Scatterpolar = Scattermapbox = Bar = Barpolar = Histogram = Histogram2d = Box = Violin = Drawn
Heatmap = Contour = Surface = Mesh3d = Pie = Sunburst = Treemap = Table = Indicator = Candlestick = Ohlc = Waterfall = Funnel = Sankey = Drawn
Layout = Frame = Image = Isosurface = Volume = Cone = Streamtube = Choropleth = Parcoords = Splom = Densitymapbox = Marker = Line = Drawn
