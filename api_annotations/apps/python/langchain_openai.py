# `langchain_openai`.
from streamlit._parts import Part

ChatOpenAI = OpenAIEmbeddings = AzureChatOpenAI = OpenAI = Part
