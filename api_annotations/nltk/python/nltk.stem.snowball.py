# `nltk.stem.snowball`.
from nltk import SnowballStemmer
