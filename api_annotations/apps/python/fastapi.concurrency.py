# `fastapi.concurrency`.
from streamlit._parts import Part

run_in_threadpool = Part
