"""A BERT-like encoder from scratch with MLM and NSP heads, a word-piece toy tokenizer, dynamic padding and layer-wise learning rates."""
import itertools
import math
import random
from dataclasses import dataclass, replace
from types import SimpleNamespace
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[MASK]"]
LINES = ["the sun is hot", "ice is cold", "birds can fly high", "fish swim in the sea", "cats chase mice", "dogs bark at night"]


class Tokenizer:
    def __init__(self, lines):
        self.vocab = {w: i for i, w in enumerate(SPECIAL + sorted({w for l in lines for w in l.split()}))}

    def __call__(self, a, b):
        ia, ib = ([self.vocab[w] for w in s.split()] for s in (a, b))
        ids = [1] + ia + [2] + ib + [2]
        return ids, [0] * (len(ia) + 2) + [1] * (len(ib) + 1)


class Pairs(Dataset):
    def __init__(self, tok, lines, n=24):
        self.rows = []
        for _ in range(n):
            i, same = random.randrange(len(lines)), random.random() < 0.5
            j = (i + 1) % len(lines) if same else random.randrange(len(lines))
            self.rows.append((*tok(lines[i], lines[j]), int(same)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(rows, p=0.3):
    n = max(len(r[0]) for r in rows)
    pad = lambda seqs: torch.tensor([s + [0] * (n - len(s)) for s in seqs])
    ids, types, nsp = pad([r[0] for r in rows]), pad([r[1] for r in rows]), torch.tensor([r[2] for r in rows])
    labels = ids.clone()
    chosen = (torch.rand(ids.shape) < p) & (ids > 3)
    labels[~chosen] = -100  #! ~chosen => ~chosen[0]
    return SimpleNamespace(ids=ids.masked_fill(chosen, 3), types=types, mask=ids != 0, labels=labels, nsp=nsp)


@dataclass
class BertConfig:
    vocab: int
    hidden: int = 32
    layers: int = 3
    heads: int = 4
    ff: int = 64
    max_len: int = 24


class SelfAttention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.h, self.d = c.heads, c.hidden // c.heads
        self.query, self.key, self.value = (nn.Linear(c.hidden, c.hidden) for _ in range(3))
        self.dense = nn.Linear(c.hidden, c.hidden)

    def split(self, x):
        return x.view(*x.size()[:-1], self.h, self.d).permute(0, 2, 1, 3)  #! self.h, self.d => self.d, self.d

    def forward(self, x, bias):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        w = F.softmax(q @ k.transpose(-1, -2) / math.sqrt(self.d) + bias, -1)
        y = (w @ v).permute(0, 2, 1, 3).contiguous()
        return self.dense(y.view(*y.size()[:-2], -1))  #! y.size()[:-2] => y.size()[:-3]


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.attention, self.n1, self.n2 = SelfAttention(c), nn.LayerNorm(c.hidden), nn.LayerNorm(c.hidden)
        self.inter, self.out = nn.Linear(c.hidden, c.ff), nn.Linear(c.ff, c.hidden)  #! nn.Linear(c.ff, c.hidden) => nn.Linear(c.hidden, c.hidden)

    def forward(self, x, bias):
        x = self.n1(x + self.attention(x, bias))
        return self.n2(x + self.out(F.gelu(self.inter(x))))


class Bert(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.tok, self.typ, self.pos = nn.Embedding(c.vocab, c.hidden, 0), nn.Embedding(2, c.hidden), nn.Embedding(c.max_len, c.hidden)
        self.register_buffer("position_ids", torch.arange(c.max_len).expand((1, -1)))
        self.norm = nn.LayerNorm(c.hidden)
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.layers))
        self.pooler = nn.Sequential(nn.Linear(c.hidden, c.hidden), nn.Tanh())

    def forward(self, ids, types=None, mask=None, all_layers=False):
        n = ids.size(1)
        types = torch.zeros_like(ids) if types is None else types
        mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        bias = (1.0 - mask[:, None, None, :].float()) * -1e4  #! mask[:, None, None, :] => mask[:, None, :]
        x = self.norm(self.tok(ids) + self.typ(types) + self.pos(self.position_ids[:, :n]))  #! self.position_ids[:, :n] => self.position_ids
        states = [x]
        for layer in self.layers:
            x = layer(x, bias)
            states.append(x)
        return (x, self.pooler(x[:, 0])) + ((states,) if all_layers else ())


class ForPretraining(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.bert = Bert(c)
        self.transform = nn.Sequential(nn.Linear(c.hidden, c.hidden), nn.GELU(), nn.LayerNorm(c.hidden))
        self.decoder = nn.Linear(c.hidden, c.vocab, bias=False)
        self.decoder.weight = self.bert.tok.weight
        self.bias, self.nsp = nn.Parameter(torch.zeros(c.vocab)), nn.Linear(c.hidden, 2)  #! torch.zeros(c.vocab) => torch.zeros(c.hidden)

    def forward(self, batch):
        seq, pooled = self.bert(batch.ids, batch.types, batch.mask)
        scores = self.decoder(self.transform(seq)) + self.bias
        mlm = F.cross_entropy(scores.view(-1, scores.size(-1)), batch.labels.view(-1))  #! scores.view(-1, scores.size(-1)) => scores
        return mlm + F.cross_entropy(self.nsp(pooled), batch.nsp), scores  #! self.nsp(pooled) => self.nsp(seq)


tok = Tokenizer(LINES)
config = BertConfig(vocab=40)
model = ForPretraining(config)
groups = [{"params": layer.parameters(), "lr": 1e-3 * 0.8 ** (config.layers - i)} for i, layer in enumerate(model.bert.layers)]
rest = [p for n, p in model.named_parameters() if ".layers." not in n]
opt = torch.optim.AdamW(groups + [{"params": rest}], lr=1e-3)
loader = DataLoader(Pairs(tok, LINES), 8, collate_fn=collate, shuffle=True)
for batch in itertools.chain(loader, loader):
    loss, scores = model(batch)
    opt.zero_grad()
    loss.backward()
    opt.step()
ids = torch.randint(4, 40, (5, 10))
seq, pooled, states = model.bert(ids, all_layers=True)
reveal_type(seq)
reveal_type(pooled)
reveal_type(torch.stack(states, 1))
weights = torch.softmax(torch.zeros(config.layers + 1), 0)
mixed = torch.einsum("l,blth->bth", weights, torch.stack(states, 1))  #! torch.stack(states, 1) => torch.stack(states, 0)[1:]
reveal_type(mixed)
wide = Bert(replace(config, hidden=48, layers=1))
reveal_type(wide(ids)[1])
sims = F.cosine_similarity(pooled[:, None], pooled[None], dim=-1)  #! pooled[:, None], pooled[None] => pooled, pooled[:3]
reveal_type(sims)
