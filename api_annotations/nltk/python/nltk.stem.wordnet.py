# `nltk.stem.wordnet`.
from nltk import WordNetLemmatizer
