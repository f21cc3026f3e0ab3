# `nltk.util`.
from nltk import ngrams, bigrams, trigrams, everygrams, skipgrams
