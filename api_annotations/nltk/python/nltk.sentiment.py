# `nltk.sentiment`.
from nltk import SentimentIntensityAnalyzer
