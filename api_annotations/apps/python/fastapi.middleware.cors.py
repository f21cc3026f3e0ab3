# `fastapi.middleware.cors`.
from streamlit._parts import Part

CORSMiddleware = Part
