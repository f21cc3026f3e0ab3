# `plotly.io`.
from plotly._drawn import Drawn

show = write_image = write_html = to_image = to_html = write_json = Drawn
renderers = templates = Drawn()
