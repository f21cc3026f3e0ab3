# `bokeh.plotting`.
from plotly._drawn import Drawn

figure = show = output_file = save = output_notebook = ColumnDataSource = curdoc = Drawn
