# `langgraph.graph`.
from streamlit._parts import Part

StateGraph = MessageGraph = MessagesState = START = END = Part
