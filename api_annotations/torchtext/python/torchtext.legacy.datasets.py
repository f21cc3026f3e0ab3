# Data sets of `torchtext` as they were up to version 0.11: the fields of their examples.
import torchtext.legacy.data as data


class _Classification(data.Dataset):
    parts = 3

    @classmethod
    def splits(cls, text_field, label_field, *arguments, **options):
        fields = [("text", text_field), ("label", label_field)]
        return tuple(cls(None, fields) for _ in range(cls.parts))


class IMDB(_Classification):
    parts = 2


class TREC(_Classification):
    parts = 2


class SST(_Classification):
    pass


class _Inference(data.Dataset):
    @classmethod
    def splits(cls, text_field, label_field, parse_field=None, *arguments, **options):
        fields = [("premise", text_field), ("hypothesis", text_field), ("label", label_field)]
        return tuple(cls(None, fields) for _ in range(3))


class SNLI(_Inference):
    pass


class MultiNLI(_Inference):
    pass


class XNLI(_Inference):
    pass


class TranslationDataset(data.Dataset):
    @classmethod
    def splits(cls, exts=None, fields=None, *arguments, **options):
        first, second = fields
        if not isinstance(first, tuple):
            first, second = ("src", first), ("trg", second)
        return tuple(cls(None, [first, second]) for _ in range(3))


class Multi30k(TranslationDataset):
    pass


class IWSLT(TranslationDataset):
    pass


class WMT14(TranslationDataset):
    pass


class SequenceTaggingDataset(data.Dataset):
    @classmethod
    def splits(cls, fields=None, *arguments, **options):
        return tuple(cls(None, fields) for _ in range(3))


class UDPOS(SequenceTaggingDataset):
    pass


class CoNLL2000Chunking(SequenceTaggingDataset):
    pass
