# `dash`.
from streamlit._parts import Part

html = dcc = Input = Output = State = callback_context = ctx = no_update = dash_table = ALL = MATCH = Part
