# `nltk.tag`.
from nltk import pos_tag
