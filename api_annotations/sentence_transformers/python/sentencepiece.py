# `sentencepiece`: texts in pieces.
import harp_library as _harp


def _known(*arguments, **options):
    return _harp.outside("what a model of pieces says")


class SentencePieceProcessor:
    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return _known

    def __len__(self):
        return _harp.free_size("pieces", 1)


class SentencePieceTrainer:
    @staticmethod
    def train(*arguments, **options):
        return None

    Train = train
