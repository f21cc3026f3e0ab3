# `boto3`.
from streamlit._parts import Part

client = resource = Session = Part
