# `bson.objectid`.
from streamlit._parts import Part

ObjectId = Part
