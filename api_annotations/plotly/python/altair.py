# `altair`: plots of tables.
from plotly._drawn import Drawn

Chart = X = Y = Color = Tooltip = Size = Shape = Axis = Scale = Legend = selection = condition = value = layer = hconcat = vconcat = Drawn
Opacity = Row = Column = Text = Order = data_transformers = selection_point = selection_interval = EncodingSortField = Drawn
