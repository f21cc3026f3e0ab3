# `serial`.
from streamlit._parts import Part

Serial = Part
