import torch
from torch import nn

ENCODERS = {}


def register(name):
    def inner(cls):
        ENCODERS[name] = cls
        return cls
    return inner


class CharCNN(nn.Module):
    def __init__(self, vocab, size, filters, widths):
        super().__init__()
        self.embed = nn.Embedding(vocab, size, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv1d(size, f, w, padding=w - 1) for f, w in zip(filters, widths)])  #! nn.Conv1d(size, f => nn.Conv1d(f, size
        self.out_size = sum(filters)  #! sum(filters) => max(filters)

    def forward(self, chars):
        b, t, c = chars.shape
        x = self.embed(chars).view(b * t, c, -1).transpose(1, 2)
        x = torch.cat([conv(x).amax(dim=-1) for conv in self.convs], dim=1)
        return x.view(b, t, -1)


@register("lstm")
class LSTMEncoder(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.rnn = nn.LSTM(size, hidden, batch_first=True, bidirectional=True)
        self.out_size = 2 * hidden

    def forward(self, x):
        return self.rnn(x)[0]


@register("linear")
class Linear(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.fc, self.out_size = nn.Linear(size, hidden), hidden

    def forward(self, x):
        return torch.tanh(self.fc(x))


class Tagger(nn.Module):
    def __init__(self, words, chars, cfg):
        super().__init__()
        enc = cfg["encoder"]
        self.words = nn.Embedding(words, enc["embedding"], padding_idx=0)
        self.chars = CharCNN(chars, **enc["chars"])
        self.encoder = ENCODERS[enc["kind"]](enc["embedding"] + self.chars.out_size, enc["hidden"])  #! enc["embedding"] + self => self
        self.score = nn.Linear(self.encoder.out_size, len(cfg["labels"]["names"]))  #! self.encoder.out_size => enc["hidden"]

    def forward(self, words, chars):
        x = torch.cat([self.words(words), self.chars(chars)], dim=-1)  #! dim=-1 => dim=1
        return self.score(self.encoder(x))
