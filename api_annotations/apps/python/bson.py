# `bson`.
from streamlit._parts import Part

ObjectId = Binary = json_util = Part
