# Fields, data sets and iterators of `torchtext` as they were up to version 0.11: what a batch has of each field.
import math
import random

import torch
import torchtext.vocab
from torch.nn.utils.rnn import pad_sequence


def _longest():
    # The longest text of a batch.
    return pad_sequence([torch.zeros(random.randint(1, 1000)) for _ in range(8)]).size(0)


def _size(vectors):
    return torchtext.vocab._size_in_name(vectors) if isinstance(vectors, str) else vectors.dim


class Vocab:
    def __init__(self, specials, max_size=None, vectors=None):
        self.itos = list(specials)
        self.stoi = {}
        for index, word in enumerate(specials):
            self.stoi[word] = index
        for word in open("words").read().split():
            self.stoi[word] = len(self.itos)
            self.itos.append(word)
        self.freqs = {word: 1 for word in self.itos}
        self.vectors = None
        if vectors is not None:
            self.load_vectors(vectors)

    def __len__(self):
        return len(self.itos)

    def load_vectors(self, vectors, **options):
        if not isinstance(vectors, list):
            vectors = [vectors]
        self.vectors = torch.zeros(len(self), sum(_size(part) for part in vectors))

    def set_vectors(self, stoi, vectors, dim, **options):
        self.vectors = torch.zeros(len(self), dim)


class RawField:
    is_target = False

    def __init__(self, preprocessing=None, postprocessing=None, is_target=False):
        self.is_target = is_target

    def process(self, size, device=None):
        return [None for _ in range(size)]


class Field(RawField):
    vocab_cls = Vocab

    def __init__(self, sequential=True, use_vocab=True, init_token=None, eos_token=None, fix_length=None, dtype=torch.long,
                 preprocessing=None, postprocessing=None, lower=False, tokenize=None, tokenizer_language="en",
                 include_lengths=False, batch_first=False, pad_token="<pad>", unk_token="<unk>", pad_first=False,
                 truncate_first=False, stop_words=None, is_target=False):
        self.sequential = sequential
        self.use_vocab = use_vocab
        self.init_token = init_token
        self.eos_token = eos_token
        self.unk_token = unk_token
        self.pad_token = pad_token if sequential else None
        self.fix_length = fix_length
        self.dtype = dtype
        self.lower = lower
        self.tokenize = str.split if not callable(tokenize) else tokenize
        self.include_lengths = include_lengths
        self.batch_first = batch_first
        self.is_target = is_target

    def build_vocab(self, *sources, max_size=None, min_freq=1, specials=(), vectors=None, **options):
        known = [self.unk_token, self.pad_token, self.init_token, self.eos_token]
        self.vocab = Vocab([token for token in known if token is not None] + list(specials), max_size, vectors)

    def preprocess(self, x):
        return self.tokenize(x) if self.sequential else x

    def numericalize(self, arr, device=None):
        return self.process(len(arr), device)

    def process(self, size, device=None):
        if not self.sequential:
            return torch.zeros(size, dtype=self.dtype, device=device)
        length = self.fix_length
        if length is None:
            length = _longest()
        if self.batch_first:
            data = torch.zeros(size, length, dtype=self.dtype, device=device)
        else:
            data = torch.zeros(length, size, dtype=self.dtype, device=device)
        if self.include_lengths:
            return data, torch.zeros(size, dtype=torch.long, device=device)
        return data


class ReversibleField(Field):
    def reverse(self, batch):
        return [" ".join(str(item) for item in row) for row in batch]


class LabelField(Field):
    def __init__(self, **options):
        options["sequential"] = False
        options["unk_token"] = None
        options["is_target"] = True
        super().__init__(**options)


class Example:
    @classmethod
    def fromlist(cls, data, fields):
        return cls()

    @classmethod
    def fromdict(cls, data, fields):
        return cls()


def _by_name(fields):
    # (name, field) in lists; {column: (name, field)} in dictionaries.
    named = {}
    if isinstance(fields, dict):
        for entry in fields.values():
            if isinstance(entry, tuple):
                named[entry[0]] = entry[1]
        return named
    for name, field in fields:
        if field is not None:
            named[name] = field
    return named


class Dataset:
    sort_key = None

    def __init__(self, examples, fields, filter_pred=None):
        self.examples = open("examples").read().splitlines()
        self.fields = _by_name(fields)

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, index):
        return self.examples[index]

    def split(self, split_ratio=0.7, stratified=False, strata_field="label", random_state=None):
        parts = len(split_ratio) if isinstance(split_ratio, (list, tuple)) else 2
        made = []
        for _ in range(parts):
            part = Dataset(None, [])
            part.fields = self.fields
            made.append(part)
        return tuple(made)


class TabularDataset(Dataset):
    def __init__(self, path, format, fields, skip_header=False, csv_reader_params=None, **options):
        super().__init__(None, fields)

    @classmethod
    def splits(cls, path=None, root=".data", train=None, validation=None, test=None, format=None, fields=None, **options):
        return tuple(cls(name, format, fields) for name in (train, validation, test) if name is not None)


class Batch:
    def __init__(self, data=None, dataset=None, device=None, size=None):
        self.batch_size = size
        self.dataset = dataset
        self.fields = dataset.fields.keys()
        for name, field in dataset.fields.items():
            setattr(self, name, field.process(size, device))

    def __len__(self):
        return self.batch_size


class Iterator:
    def __init__(self, dataset, batch_size, sort_key=None, device=None, batch_size_fn=None, train=True, repeat=False,
                 shuffle=None, sort=None, sort_within_batch=None):
        self.dataset = dataset
        self.batch_size = batch_size
        self.device = device
        self.train = train
        self.epoch = 0
        self.iterations = 0

    @classmethod
    def splits(cls, datasets, batch_sizes=None, batch_size=None, **options):
        if batch_sizes is None:
            batch_sizes = [batch_size] * len(datasets)
        made = []
        for index, dataset in enumerate(datasets):
            made.append(cls(dataset, batch_sizes[index], train=index == 0, **options))
        return tuple(made)

    def init_epoch(self):
        pass

    def __len__(self):
        return math.ceil(len(self.dataset) / self.batch_size)

    def __iter__(self):
        batch = Batch(None, self.dataset, self.device, self.batch_size)
        return iter([batch for _ in range(len(self))])


class BucketIterator(Iterator):
    pass
