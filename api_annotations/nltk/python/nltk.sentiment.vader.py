# `nltk.sentiment.vader`.
from nltk import SentimentIntensityAnalyzer
