# `pynput.mouse`.
from streamlit._parts import Part

Listener = Controller = Button = Part
