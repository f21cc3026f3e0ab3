# `mss`.
from streamlit._parts import Part

mss = MSS = Part
