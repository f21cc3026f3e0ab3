# `langchain_core.prompts`.
from streamlit._parts import Part

ChatPromptTemplate = PromptTemplate = MessagesPlaceholder = HumanMessagePromptTemplate = SystemMessagePromptTemplate = Part
