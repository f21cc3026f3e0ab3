"""Word language model: iterable stream of windows, tied weights, truncated BPTT with detached state, top-k sampling."""
import math
import os
from collections import Counter
from pathlib import Path
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, IterableDataset

TEXT = "the quick brown fox jumps over the lazy dog while the cat sleeps and the bird sings a song about rain " * 20


class Vocab:
    def __init__(self, tokens, min_freq=1, specials=("<unk>", "<eos>")):
        counts = Counter(tokens)
        self.itos = list(specials) + sorted(t for t, c in counts.items() if c >= min_freq)
        self.stoi = {t: i for i, t in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def __call__(self, tokens):
        return [self.stoi.get(t, 0) for t in tokens]


class Windows(IterableDataset):
    def __init__(self, ids, length, stride):
        self.ids, self.length, self.stride = ids, length, stride

    def __iter__(self):
        for i in range(0, len(self.ids) - self.length - 1, self.stride):
            chunk = self.ids[i:i + self.length + 1]
            yield chunk[:-1], chunk[1:]


class RNNLM(nn.Module):
    def __init__(self, vocab, dim=32, hidden=32, layers=2, cell="LSTM", tie=True):
        super().__init__()
        self.drop = nn.Dropout(0.1)
        self.encoder = nn.Embedding(vocab, dim)
        self.rnn = getattr(nn, cell)(dim, hidden, layers, batch_first=True)  #! dim, hidden, layers => hidden * 2, hidden, layers
        self.decoder = nn.Linear(hidden, vocab)
        if tie:
            if hidden != dim:
                raise ValueError("tied weights need equal sizes")
            self.decoder.weight = self.encoder.weight
        self.cell, self.hidden, self.layers = cell, hidden, layers

    def init_state(self, batch):
        z = next(self.parameters()).new_zeros(self.layers, batch, self.hidden)  #! self.layers, batch, self.hidden => batch, self.layers, self.hidden
        return (z, z.clone()) if self.cell == "LSTM" else z

    def forward(self, x, state):
        y, state = self.rnn(self.drop(self.encoder(x)), state)
        return self.decoder(self.drop(y)), state


def detach(state):
    return tuple(detach(s) for s in state) if isinstance(state, tuple) else state.detach()


def batchify(ids, bs):
    n = ids.size(0) // bs
    return ids.narrow(0, 0, n * bs).view(bs, -1)  #! .narrow(0, 0, n * bs).view(bs, -1) => .view(bs, -1, 3)


tokens = TEXT.split()
vocab = Vocab(tokens)
ids = torch.tensor(vocab(tokens))
model = RNNLM(200)
criterion = nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=float(os.environ.get("LR", "0.003")))
source = batchify(torch.randint(0, 200, (1003,)), 8)
reveal_type(source)
state = model.init_state(8)  #! init_state(8) => init_state(4)
bptt = 25
for i in range(0, source.size(1) - 1, bptt):
    n = min(bptt, source.size(1) - 1 - i)
    x, y = source[:, i:i + n], source[:, i + 1:i + 1 + n]
    state = detach(state)
    out, state = model(x, state)
    loss = criterion(out.reshape(-1, 200), y.reshape(-1))  #! out.reshape(-1, 200) => out #! y.reshape(-1) => y
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    opt.step()
reveal_type(state[0])

gru = RNNLM(200, cell="GRU", layers=1)
loader = DataLoader(Windows(torch.randint(0, 200, (500,)), 16, 8), batch_size=12, drop_last=True)
for x, y in loader:
    out, h = gru(x, gru.init_state(x.size(0)))
    loss = criterion(out.transpose(1, 2), y)  #! out.transpose(1, 2) => out
    loss.backward()
reveal_type(x)
reveal_type(out)
ppl = math.exp(min(20, loss.item()))


@torch.no_grad()
def sample(model, start, n, k=5, temperature=0.8):
    model.eval()
    x, state, result = torch.tensor([[start]]), model.init_state(1), [start]
    for _ in range(n):
        logits, state = model(x, state)
        values, indices = (logits[:, -1] / temperature).topk(k)  #! logits[:, -1] => logits
        pick = torch.multinomial(values.softmax(-1), 1)
        x = indices.gather(1, pick)
        result.append(x.item())
    reveal_type(x)
    return result


print(sample(model, 3, 10), ppl)
path = Path("lm.pt")
torch.save({"model": model.state_dict(), "config": dict(vocab=200, dim=32)}, path)
saved = torch.load(path)
again = RNNLM(**saved["config"])  #! saved["config"] => {"vocab": 100}
again.load_state_dict(saved["model"])
reveal_type(again.decoder.weight)
