# `pynput.keyboard`.
from streamlit._parts import Part

Listener = Controller = Key = KeyCode = Part
