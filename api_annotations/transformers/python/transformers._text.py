# Tokenizers of Transformers, and models that make texts of texts, as far as the sizes of tensors go through them. How many words a text has, and all that a
# checkpoint decides, is not known.
import torch
import transformers
from torch import nn


class BatchEncoding:
    def __init__(self, data):
        self.data = data

    def __getitem__(self, key):
        return self.data[key] if key in self.data else transformers._outside()

    def __getattr__(self, name):
        return self.data[name] if name in self.data else transformers._outside()

    def __contains__(self, key):
        return key in self.data

    def __len__(self):
        return len(self.data)

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()

    def to(self, device, non_blocking=False):
        return BatchEncoding({name: value.to(device) for name, value in self.data.items()})


class _Tokenizer:
    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path, *inputs, **options):
        return cls()

    def __getattr__(self, name):
        return transformers._outside()

    def __len__(self):
        return transformers._count()

    def __call__(self, text=None, text_pair=None, **options):
        if isinstance(text, (list, tuple)):
            return _encoded(len(text), **options)
        if isinstance(text, str):
            return _encoded(None, **options)
        return transformers._outside()

    def batch_encode_plus(self, batch_text_or_text_pairs, **options):
        return _encoded(len(batch_text_or_text_pairs), **options)

    def encode_plus(self, text, text_pair=None, **options):
        return _encoded(None, **options)


def _encoded(count, padding=False, truncation=None, max_length=None, return_tensors=None, **options):
    if return_tensors != "pt":
        return transformers._outside()
    length = max_length if padding == "max_length" and max_length is not None else transformers._count()
    size = (1 if count is None else count, length)
    names = ("input_ids", "attention_mask")
    return BatchEncoding({name: torch.ones(size, dtype=torch.long) for name in names})


class T5Tokenizer(_Tokenizer):
    pass


class T5TokenizerFast(_Tokenizer):
    pass


class _Output:
    def __init__(self, **values):
        self.values_by_name = values

    def __getitem__(self, key):
        values = self.values_by_name
        if isinstance(key, int):
            return list(values.values())[key]
        return values[key] if key in values else transformers._outside()

    def __getattr__(self, name):
        return self[name]


class T5ForConditionalGeneration(nn.Module):
    def __init__(self, config=None):
        super().__init__()
        self.shared = nn.Embedding(transformers._count(), transformers._count())

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path, *inputs, **options):
        return cls()

    def __getattr__(self, name):
        return transformers._outside()

    def _looked(self, words):
        states = self.shared(words)
        return torch.bmm(states, states.mT) @ states

    def forward(self, input_ids=None, attention_mask=None, decoder_input_ids=None, labels=None, **options):
        if input_ids is None or (labels is None and decoder_input_ids is None):
            return transformers._outside()
        if attention_mask is not None:
            # What each word looks at: the mask is added for all that look.
            scores = torch.zeros(input_ids.shape)[:, None, None, :] + attention_mask[:, None, None, :]
        words = labels if decoder_input_ids is None else decoder_input_ids
        # Both have a row of words for each text; each word of the one text looks at all words of its own and of the other.
        states, looking = self._looked(input_ids), self._looked(words)
        logits = (looking @ states.mT @ states) @ self.shared.weight.T
        if labels is None:
            return _Output(logits=logits)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        return _Output(loss=loss, logits=logits)
