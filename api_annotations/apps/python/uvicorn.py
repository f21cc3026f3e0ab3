# `uvicorn`.
from streamlit._parts import Part, nothing as run

Config = Server = Part
