# Words of texts as numbers.
import numpy as np
from harp_library import array, free_size, outside, some_of


class Tokenizer:
    def __init__(self, num_words=None, *arguments, **options):
        self.num_words = num_words
        self.word_index, self.index_word, self.word_counts = outside("numbers of words"), outside("words"), outside("counts of words")
        self.document_count = outside("texts")

    def fit_on_texts(self, texts):
        pass

    fit_on_sequences = fit_on_texts

    def texts_to_sequences(self, texts):
        count = len(texts) if hasattr(texts, "__len__") else free_size("texts", 1)
        return _Sequences(count)

    def sequences_to_texts(self, sequences):
        return outside("texts")

    def texts_to_matrix(self, texts, mode="binary"):
        return array((len(texts), free_size("words", 1) if self.num_words is None else self.num_words), np.float64)

    def sequences_to_matrix(self, sequences, mode="binary"):
        return array((len(sequences), free_size("words", 1) if self.num_words is None else self.num_words), np.float64)

    def to_json(self, *arguments, **options):
        return str(outside("tokenizer"))


class _Sequences(list):
    """As many lists of numbers as there are texts."""

    def __init__(self, count):
        self._count = count

    def __len__(self):
        return self._count

    def __getitem__(self, index):
        return outside("numbers of words")

    def __iter__(self):
        return iter(outside("numbers of words"))


def text_to_word_sequence(text, *arguments, **options):
    return outside("words of a text")


def one_hot(text, n, *arguments, **options):
    return outside("numbers of words")


def hashing_trick(text, n, *arguments, **options):
    return outside("numbers of words")


def tokenizer_from_json(text):
    return Tokenizer()
