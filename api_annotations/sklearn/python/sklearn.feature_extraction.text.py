# `sklearn.feature_extraction.text`: texts as rows of counts.
import numpy as np
import harp_library as _harp, pandas as _pandas
from sklearn._tables import Sparse, length_of


class CountVectorizer:
    def __init__(self, *, vocabulary=None, **options):
        self._words = vocabulary

    def fit(self, raw_documents, y=None):
        self._width = _harp.free_size("words", 1) if self._words is None else len(self._words)
        return self

    def transform(self, raw_documents):
        return Sparse(np.zeros((length_of(raw_documents), self._width)))

    def fit_transform(self, raw_documents, y=None):
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def get_feature_names_out(self, input_features=None):
        return _pandas._cells((self._width,))


class TfidfVectorizer(CountVectorizer):
    pass


class HashingVectorizer(CountVectorizer):
    def __init__(self, *, n_features=1048576, **options):
        self._words = range(n_features)
