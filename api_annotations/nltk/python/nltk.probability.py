# `nltk.probability`.
from nltk import FreqDist, ConditionalFreqDist
