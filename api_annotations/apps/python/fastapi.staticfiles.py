# `fastapi.staticfiles`.
from streamlit._parts import Part

StaticFiles = Part
