# `sentence_transformers`: a row of numbers for each text. How wide it is, the checkpoint decides.
import numpy as np
import torch
import harp_library as _harp
from torch import nn


def _known(*arguments, **options):
    return _harp.outside("what a checkpoint decides")


class SentenceTransformer(nn.Module):
    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, model_name_or_path=None, *arguments, **options):
        super().__init__()
        self._width = _harp.free_size("embedding", 1)
        self._layer = nn.Linear(self._width, self._width)

    def __getattr__(self, name):
        return _harp.outside("a part of a checkpoint")

    def get_sentence_embedding_dimension(self):
        return self._width

    def encode(self, sentences, *arguments, convert_to_numpy=True, convert_to_tensor=False, output_value="sentence_embedding", **options):
        if output_value != "sentence_embedding" or not convert_to_numpy and not convert_to_tensor:
            return _harp.outside("what a model gives")
        if isinstance(sentences, str):
            shape = (self._width,)
        elif isinstance(sentences, (list, tuple)):
            shape = (len(sentences), self._width)
        elif isinstance(sentences, np.ndarray) and sentences.ndim == 1:
            shape = (sentences.shape[0], self._width)
        else:
            shape = None
        if convert_to_tensor:
            return _harp.tensor(shape, torch.float32)
        return _harp.array(shape, np.float32)

    def forward(self, features, *arguments, **options):
        return _harp.outside("what a model gives")

    def _nothing(self, *arguments, **options):
        return None

    fit = save = save_pretrained = evaluate = push_to_hub = start_multi_process_pool = stop_multi_process_pool = _nothing


class CrossEncoder:
    def __init__(self, *arguments, **options):
        pass

    def predict(self, sentences, *arguments, **options):
        return _harp.outside("scores of pairs")

    def __getattr__(self, name):
        return _known


class InputExample:
    def __init__(self, guid="", texts=None, label=0):
        self.guid, self.texts, self.label = guid, texts, label


SentenceTransformerTrainer = SentenceTransformerTrainingArguments = SentencesDataset = LoggingHandler = _known


class _Parts:
    def __getattr__(self, name):
        return _known


losses = models = evaluation = readers = datasets = _Parts()
