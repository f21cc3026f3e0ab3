# `pygame`.
from streamlit._parts import Part

display = event = draw = time = font = image = key = mouse = mixer = transform = sprite = surfarray = Rect = Surface = Color = init = Part
quit = math = joystick = Part
