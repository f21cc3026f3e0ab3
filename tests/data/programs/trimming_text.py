"""Text of random lengths: a data set that crops at random, collation by hand, a GRU over packed batches, attention over ragged parts by split."""
import random

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class Texts(Dataset):
    def __init__(self, count, vocab, max_len=30):
        self.vocab, self.max_len = vocab, max_len
        self.texts = [np.random.randint(1, vocab, size=60) for _ in range(count)]
        self.scores = np.random.rand(count).astype("float32")

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, idx):
        text = self.texts[idx]
        length = random.randint(5, self.max_len)
        begin = random.randint(0, len(text) - length)
        tokens = torch.from_numpy(text[begin:begin + length]).long()
        features = torch.randn(length, 4)  #! torch.randn(length, 4) => torch.randn(4, length)
        return tokens, features, self.scores[idx]


def collate(batch):
    tokens, features, scores = zip(*batch)
    lengths = torch.LongTensor([len(t) for t in tokens])
    x = torch.zeros(len(batch), int(lengths.max()), dtype=torch.long)
    f = torch.zeros(len(batch), int(lengths.max()), 4)
    for i, (t, feat) in enumerate(zip(tokens, features)):
        x[i, :len(t)] = t
        f[i, :len(t)] = feat
    return x, f, lengths, torch.tensor(np.array(scores))


def flat_collate(batch):
    tokens, features, scores = zip(*batch)
    lengths = [len(t) for t in tokens]
    return torch.cat(tokens), torch.cat(features), lengths, torch.tensor(np.array(scores))  #! torch.cat(features) => torch.stack(features)


class Reader(nn.Module):
    def __init__(self, vocab, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim + 4, dim, bidirectional=True, batch_first=True)  #! dim + 4 => dim
        self.att = nn.Linear(2 * dim, 1)
        self.out = nn.Linear(2 * dim, 1)

    def forward(self, x, f, lengths):
        z = torch.cat([self.embed(x), f], dim=-1)
        packed = pack_padded_sequence(z, lengths, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=x.size(1))  #! total_length=x.size(1) => total_length=x.size(0) * 100
        mask = torch.arange(x.size(1))[None, :] < lengths[:, None]  #! lengths[:, None] => lengths[None, :]
        score = self.att(h).squeeze(-1).masked_fill(~mask, float("-inf"))
        weights = score.softmax(1).unsqueeze(1)
        return self.out((weights @ h).squeeze(1)).squeeze(1)  #! weights @ h => weights.transpose(1, 2) @ h

    def flat(self, x, f, lengths):
        z = torch.cat([self.embed(x), f], dim=1)
        parts = z.split(lengths)
        pooled = torch.stack([p.mean(0) for p in parts])  #! p.mean(0) => p.mean(1)
        return pooled


def main():
    torch.manual_seed(0)
    data = Texts(40, 80)
    model = Reader(80)
    opt = torch.optim.Adam(model.parameters())
    for x, f, lengths, y in DataLoader(data, batch_size=8, shuffle=True, collate_fn=collate):
        pred = model(x, f, lengths)
        loss = nn.functional.mse_loss(pred, y)  #! pred, y => pred[:-1], y
        opt.zero_grad()
        loss.backward()
        opt.step()
    reveal_type(pred)
    for x, f, lengths, y in DataLoader(data, batch_size=5, collate_fn=flat_collate):
        pooled = model.flat(x, f, lengths)
    reveal_type(pooled)
    slope = nn.Linear(28, 1)  #! 28, 1 => 24, 1
    print((slope(pooled).squeeze(1) - y).abs().mean())
    loader = DataLoader(data, batch_size=8, collate_fn=lambda b: (pad_sequence([t for t, _, _ in b], batch_first=True), torch.tensor([s for *_, s in b])))
    for tokens, scores in loader:
        mean = model.embed(tokens).mean(1)
        reveal_type(mean)
        print((mean * scores[:, None]).sum())  #! scores[:, None] => scores
    fixed = DataLoader([(t[:5], s) for t, _, s in data], batch_size=8)  #! t[:5] => t
    for tokens, scores in fixed:
        reveal_type(tokens)


if __name__ == "__main__":
    main()
