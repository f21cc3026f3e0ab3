# `uvicorn`.
from streamlit._parts import Part as _Part, nothing as _nothing

run = _nothing
Config = Server = _Part
