# `nltk.corpus`: texts that are kept.
from nltk import _Corpus

stopwords = wordnet = brown = reuters = gutenberg = movie_reviews = words = treebank = inaugural = webtext = names = conll2000 = conll2002 = _Corpus()
twitter_samples = sentiwordnet = cmudict = udhr = nps_chat = product_reviews_1 = subjectivity = opinion_lexicon = _Corpus()
