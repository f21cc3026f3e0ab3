# `redis`.
from streamlit._parts import Part

Redis = StrictRedis = from_url = ConnectionPool = Part
