# `flask_cors`.
from streamlit._parts import decorating as _decorating, nothing as _nothing

cross_origin = _decorating
CORS = _nothing
