# `nltk.stem.porter`.
from nltk import PorterStemmer
