# `openai`.
from streamlit._parts import Part

OpenAI = AsyncOpenAI = AzureOpenAI = ChatCompletion = Completion = Embedding = Part
