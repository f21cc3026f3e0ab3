# `nltk.tokenize`.
from nltk import word_tokenize, sent_tokenize, wordpunct_tokenize, regexp_tokenize, TweetTokenizer, RegexpTokenizer, TreebankWordTokenizer, WhitespaceTokenizer
