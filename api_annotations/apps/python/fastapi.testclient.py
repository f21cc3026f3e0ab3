# `fastapi.testclient`.
from streamlit._parts import Part

TestClient = Part
