"""NLI by a sentence-pair model: hashing tokenizer, sorted batches, packed GRU, co-attention, and a Tree-LSTM baseline."""
import re
import zlib
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Sampler

PAIRS = [
    ("A man plays a guitar.", "Someone makes music.", 0), ("The dog is asleep", "The dog runs fast in the park", 2),
    ("Two kids sit on a bench", "The kids are friends", 1), ("It rains", "The street is wet", 1), ("A cook cuts bread", "Nobody cooks here", 2),
]


def tokenize(text, buckets=500):
    return torch.tensor([zlib.crc32(w.encode()) % buckets for w in re.findall(r"[a-z]+", text.lower())])


class LengthSampler(Sampler):
    def __init__(self, data, size):
        self.order = sorted(range(len(data)), key=lambda i: len(data[i][0]))
        self.size = size

    def __iter__(self):
        for i in range(0, len(self.order), self.size):
            yield self.order[i:i + self.size]

    def __len__(self):
        return (len(self.order) + self.size - 1) // self.size


def collate(rows):
    a, b, y = zip(*rows)
    la, lb = torch.tensor([len(s) for s in a]), torch.tensor([len(s) for s in b])
    return pad_sequence(a, batch_first=True), la, pad_sequence(b, batch_first=True), lb, torch.tensor(y)


class Encoder(nn.Module):
    def __init__(self, buckets, dim, hidden):
        super().__init__()
        self.embed = nn.Embedding(buckets, dim)
        self.gru = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=False)  #! batch_first=True, => batch_first=False,
        out, h = self.gru(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=ids.size(1))
        return out, torch.cat([h[0], h[1]], dim=-1)


class CoAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w = nn.Bilinear(d, d, 1)
        self.proj = nn.Linear(4 * d, d)  #! 4 * d => 3 * d

    def forward(self, a, b, ma, mb):
        s = torch.bmm(a, b.transpose(1, 2))  #! b.transpose(1, 2) => b
        s_b = s.masked_fill(~mb[:, None, :], -1e9).softmax(-1)  #! mb[:, None, :] => mb[:, :, None]
        s_a = s.masked_fill(~ma[:, :, None], -1e9).softmax(1)
        a2, b2 = s_b @ b, s_a.transpose(1, 2) @ a  #! s_a.transpose(1, 2) @ a => s_a @ a
        join = lambda x, y: F.relu(self.proj(torch.cat([x, y, x - y, x * y], -1)))
        return join(a, a2), join(b, b2)


def lengths_to_mask(lengths, size):
    return torch.arange(size)[None] < lengths[:, None]  #! lengths[:, None] => lengths


def masked_max(x, mask):
    return x.masked_fill(~mask.unsqueeze(-1), float("-inf")).max(1).values  #! mask.unsqueeze(-1) => mask


class Matcher(nn.Module):
    def __init__(self, buckets=500, dim=16, hidden=20, classes=3):
        super().__init__()
        d = 2 * hidden
        self.encoder, self.co = Encoder(buckets, dim, hidden), CoAttention(d)
        self.compose = nn.LSTM(d, hidden, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.out = nn.Linear(2 * d + 1, classes)  #! 2 * d + 1 => 2 * d

    def forward(self, a, la, b, lb):
        ma, mb = lengths_to_mask(la, a.size(1)), lengths_to_mask(lb, b.size(1))
        (ha, va), (hb, vb) = self.encoder(a, la), self.encoder(b, lb)
        fa, fb = self.co(ha, hb, ma, mb)
        (ca, _), (cb, _) = self.compose(fa), self.compose(fb)
        score = self.co.w(va, vb)
        return self.out(torch.cat([masked_max(ca, ma), masked_max(cb, mb), score], 1))


class TreeLSTM(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.leaf, self.iou, self.f = nn.Linear(dim, 2 * hidden), nn.Linear(2 * hidden, 3 * hidden), nn.Linear(2 * hidden, 2 * hidden)

    def forward(self, tree):
        if torch.is_tensor(tree):
            h, c = self.leaf(tree).chunk(2, -1)
            return torch.tanh(h), c
        (hl, cl), (hr, cr) = map(self.forward, tree)
        h = torch.cat([hl, hr], -1)
        i, o, u = self.iou(h).chunk(3, -1)  #! .chunk(3, -1) => .chunk(2, -1)
        fl, fr = torch.sigmoid(self.f(h)).chunk(2, -1)
        c = torch.sigmoid(i) * torch.tanh(u) + fl * cl + fr * cr
        return torch.sigmoid(o) * torch.tanh(c), c


rows = [(tokenize(a), tokenize(b), y) for a, b, y in PAIRS]
loader = DataLoader(rows, batch_sampler=LengthSampler(rows, 2), collate_fn=collate)
model = Matcher()
opt = torch.optim.Adagrad(model.parameters(), 0.05)
correct = 0
for a, la, b, lb, y in loader:
    logits = model(a, la, b, lb)
    loss = F.nll_loss(logits.log_softmax(1), y)  #! y) => y.unsqueeze(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    correct += (logits.argmax(1) == y).sum().item()
print(correct / len(rows))
model.eval()
reveal_type(model(torch.randint(0, 500, (4, 9)), torch.tensor([9, 3, 5, 1]), torch.randint(0, 500, (4, 7)), torch.tensor([1, 7, 2, 2])))
packed = pack_sequence([torch.randn(n, 16) for n in (5, 3, 2)])
out, h = model.encoder.gru(packed)
reveal_type(out.data)
reveal_type(h)
padded, lengths = pad_packed_sequence(out)
reveal_type(padded)
cell = nn.GRUCell(16, 20)
h = torch.zeros(3, 20)
for step in padded[:, :, :16]:
    h = cell(step, h)  #! step, h => step, h[:2]
reveal_type(h)
tree = TreeLSTM(16, 12)
leaf = lambda: torch.randn(16)
h, c = tree(((leaf(), leaf()), (leaf(), (leaf(), leaf()))))
reveal_type(h)
