# `langchain_core.messages`.
from streamlit._parts import Part

HumanMessage = AIMessage = SystemMessage = ToolMessage = BaseMessage = AnyMessage = Part
