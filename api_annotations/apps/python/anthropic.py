# `anthropic`.
from streamlit._parts import Part

Anthropic = AsyncAnthropic = Part
