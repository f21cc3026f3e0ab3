# `langgraph.types`.
from streamlit._parts import Part

Command = Send = interrupt = Part
