# `motor.motor_asyncio`.
from streamlit._parts import Part

AsyncIOMotorClient = Part
