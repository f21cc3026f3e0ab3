# `PyQt5`: parts of a desktop application.
from streamlit._parts import Part as _Part

uic = QtMultimedia = QtOpenGL = QtSvg = QtNetwork = _Part()
