# `nltk.stem`.
from nltk import PorterStemmer, SnowballStemmer, LancasterStemmer, WordNetLemmatizer, RegexpStemmer
