# `flask_cors`.
from streamlit._parts import decorating as cross_origin, nothing as CORS
