# `bson.json_util`.
from streamlit._parts import Part

dumps = loads = object_hook = Part
