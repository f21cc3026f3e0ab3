# `pymysql`.
from streamlit._parts import Part

connect = Part
