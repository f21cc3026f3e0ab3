# `nltk.translate.bleu_score`: how alike texts are.
import harp_library as _harp


def sentence_bleu(references, hypothesis, *arguments, **options):
    return float(_harp.outside("a score"))


corpus_bleu = modified_precision = sentence_bleu


class SmoothingFunction:
    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return _harp.outside("a smoothing")
