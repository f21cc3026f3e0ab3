"""Translation of digits to words with packed sequences, additive attention, teacher forcing and beam search."""
import random
from collections import Counter, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, BOS, EOS, UNK = range(4)
SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]
Batch = namedtuple("Batch", ["src", "src_len", "tgt"])
Hypothesis = namedtuple("Hypothesis", "tokens score state")
WORDS = "zero one two three four five six seven eight nine".split()


class Vocab:
    def __init__(self, texts, min_freq=1):
        counter = Counter(token for text in texts for token in text)
        self.itos = SPECIALS + sorted(t for t, c in counter.items() if c >= min_freq)
        self.stoi = {t: i for i, t in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, tokens):
        return [BOS] + [self.stoi.get(t, UNK) for t in tokens] + [EOS]


class Pairs(Dataset):
    def __init__(self, count, seed=0):
        rng = random.Random(seed)
        numbers = ["".join(rng.choice("0123456789") for _ in range(rng.randint(2, 7))) for _ in range(count)]
        self.pairs = [(list(n), [WORDS[int(d)] for d in reversed(n)]) for n in numbers]
        self.src_vocab = Vocab([p[0] for p in self.pairs])
        self.tgt_vocab = Vocab([p[1] for p in self.pairs])

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        src, tgt = self.pairs[i]
        return torch.tensor(self.src_vocab.encode(src)), torch.tensor(self.tgt_vocab.encode(tgt))


def collate(samples):
    src, tgt = zip(*samples)
    lengths = torch.tensor([len(s) for s in src])
    return Batch(pad_sequence(src, batch_first=True, padding_value=PAD), lengths, pad_sequence(tgt, batch_first=True, padding_value=PAD))


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hid, bidirectional=True, batch_first=True)
        self.bridge = nn.Linear(2 * hid, hid)  #! 2 * hid, hid => hid, hid

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        output, hidden = self.rnn(packed)
        output, _ = pad_packed_sequence(output, batch_first=True)
        hidden = torch.tanh(self.bridge(torch.cat([hidden[-2], hidden[-1]], dim=1)))
        return output, hidden.unsqueeze(0)


class AdditiveAttention(nn.Module):
    def __init__(self, query, key, hid):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(query, hid), nn.Linear(key, hid, bias=False), nn.Linear(hid, 1)

    def forward(self, query, keys, mask):
        energy = self.v(torch.tanh(self.q(query).unsqueeze(1) + self.k(keys))).squeeze(-1)  #! .unsqueeze(1) + => .unsqueeze(2) +
        energy = energy.masked_fill(~mask, float("-inf"))
        weights = F.softmax(energy, dim=-1)
        return torch.bmm(weights.unsqueeze(1), keys).squeeze(1), weights  #! weights.unsqueeze(1), keys) => weights.unsqueeze(2), keys)


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.vocab = vocab
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.attention = AdditiveAttention(hid, 2 * hid, hid)
        self.rnn = nn.GRU(emb + 2 * hid, hid, batch_first=True)
        self.out = nn.Linear(hid + 2 * hid + emb, vocab)

    def step(self, token, hidden, keys, mask):
        embedded = self.embedding(token).unsqueeze(1)
        context, weights = self.attention(hidden[-1], keys, mask)
        output, hidden = self.rnn(torch.cat([embedded, context.unsqueeze(1)], dim=2), hidden)
        logits = self.out(torch.cat([output.squeeze(1), context, embedded.squeeze(1)], dim=1))
        return logits, hidden, weights

    def forward(self, tgt, hidden, keys, mask, teacher_forcing=0.5):
        steps = tgt.size(1)
        outputs = torch.zeros(tgt.size(0), steps - 1, self.vocab)
        token = tgt[:, 0]
        for t in range(1, steps):
            logits, hidden, _ = self.step(token, hidden, keys, mask)
            outputs[:, t - 1] = logits
            token = tgt[:, t] if random.random() < teacher_forcing else logits.argmax(1)
        return outputs


class Seq2Seq(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, emb=16, hid=24):
        super().__init__()
        self.encoder = Encoder(src_vocab, emb, hid)
        self.decoder = Decoder(tgt_vocab, emb, hid)

    def forward(self, batch):
        keys, hidden = self.encoder(batch.src, batch.src_len)
        return self.decoder(batch.tgt, hidden, keys, batch.src != PAD)

    @torch.no_grad()
    def beam_search(self, src, width=3, max_len=10):
        keys, hidden = self.encoder(src[None], torch.tensor([len(src)]))
        mask = torch.ones(1, len(src), dtype=torch.bool)
        beams, done = [Hypothesis([BOS], 0.0, hidden)], []
        for _ in range(max_len):
            candidates = []
            for hyp in beams:
                logits, state, _ = self.decoder.step(torch.tensor([hyp.tokens[-1]]), hyp.state, keys, mask)
                scores, tokens = F.log_softmax(logits, dim=-1).squeeze(0).topk(width)
                for score, token in zip(scores.tolist(), tokens.tolist()):
                    candidates.append(Hypothesis(hyp.tokens + [token], hyp.score + score, state))
            candidates.sort(key=lambda h: h.score / len(h.tokens), reverse=True)
            beams = [c for c in candidates[:width] if c.tokens[-1] != EOS]
            done += [c for c in candidates[:width] if c.tokens[-1] == EOS]
            if not beams:
                break
        return max(done or beams, key=lambda h: h.score)


if __name__ == "__main__":
    torch.manual_seed(0)
    data = Pairs(70)
    loader = DataLoader(data, batch_size=16, shuffle=True, collate_fn=collate)
    model = Seq2Seq(len(data.src_vocab), len(data.tgt_vocab))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        for batch in loader:
            logits = model(batch)
            loss = F.cross_entropy(logits.transpose(1, 2), batch.tgt[:, 1:], ignore_index=PAD)  #! logits.transpose(1, 2) => logits
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    best = model.beam_search(data[0][0])
    reveal_type(best.state)
    keys, hidden = model.encoder(torch.randint(4, 10, (5, 9)), torch.tensor([9, 3, 4, 8, 2]))
    reveal_type(keys)
    reveal_type(hidden)
