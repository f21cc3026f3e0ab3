# `fastapi.templating`.
from streamlit._parts import Part

Jinja2Templates = Part
