# Models of Transformers that make texts of texts, as far as the sizes of tensors go through them. What a checkpoint decides is not known.
import torch
import transformers
from torch import nn


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
