# `plotly.subplots`.
from plotly._drawn import Drawn as make_subplots
