# `psycopg2`.
from streamlit._parts import Part

connect = Part
