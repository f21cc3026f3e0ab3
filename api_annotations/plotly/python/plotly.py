# `plotly`: plots in a browser.
from plotly._drawn import Drawn as _Drawn

io = offline = colors = tools = figure_factory = utils = _Drawn()
