# `pyautogui`.
from streamlit._parts import Part

click = press = moveTo = screenshot = size = position = write = hotkey = typewrite = keyDown = keyUp = locateOnScreen = scroll = dragTo = Part
Part
