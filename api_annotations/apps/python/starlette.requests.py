# `starlette.requests`.
from streamlit._parts import Part

Request = Part
