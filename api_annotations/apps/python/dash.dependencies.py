# `dash.dependencies`.
from streamlit._parts import Part

Input = Output = State = ALL = MATCH = Part
