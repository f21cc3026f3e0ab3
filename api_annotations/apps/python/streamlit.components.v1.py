# `streamlit.components.v1`.
from streamlit._parts import Part

html = iframe = declare_component = Part
