# `pynput`.
from streamlit._parts import Part

keyboard = mouse = Part
