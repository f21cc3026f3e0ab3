# `starlette.middleware.base`.
from streamlit._parts import Part

BaseHTTPMiddleware = Part
