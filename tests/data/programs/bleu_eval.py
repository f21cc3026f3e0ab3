"""Toy translation: vocabularies by Counter, padding in a collate class, greedy decoding in batches, BLEU by hand."""
import math
from collections import Counter
from functools import partial

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PAIRS = [("ein hund läuft", "a dog runs"), ("eine katze schläft hier", "a cat sleeps here"), ("der hund schläft", "the dog sleeps"),
         ("die katze sieht den hund", "the cat sees the dog"), ("wir laufen", "we run")] * 4
SPECIALS = ["<pad>", "<s>", "</s>", "<unk>"]
PAD, BOS, EOS, UNK = range(4)


class Vocabulary:
    def __init__(self, sentences, min_count=1):
        counter = Counter()
        for s in sentences:
            counter.update(s.split())
        kept = sorted(w for w, c in counter.items() if c >= min_count)
        self.itos = SPECIALS + kept
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def numericalize(self, s):
        return [BOS] + [self.stoi.get(w, UNK) for w in s.split()] + [EOS]

    def words(self, ids):
        return [self.itos[i] for i in ids if i > EOS]


class Pairs(Dataset):
    def __init__(self, pairs, src, trg):
        self.data = [(src.numericalize(a), trg.numericalize(b)) for a, b in pairs]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i]


class Pad:
    def __init__(self, value):
        self.value = value

    def pad(self, rows):
        longest = max(map(len, rows))
        return torch.tensor([r + [self.value] * (longest - len(r)) for r in rows])

    def __call__(self, batch):
        sources, targets = zip(*batch)
        return self.pad(sources), self.pad(targets), torch.tensor([len(s) for s in sources])


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=PAD)
        self.rnn = nn.GRU(emb, hid, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(2 * hid, hid)  #! 2 * hid, hid => hid, hid

    def forward(self, src, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(src), lengths, batch_first=True, enforce_sorted=False)
        outputs, hidden = self.rnn(packed)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, padding_value=0.0)
        return outputs, torch.tanh(self.fc(torch.cat((hidden[0], hidden[1]), dim=1)))  #! dim=1 => dim=0


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.attn = nn.Linear(3 * hid, 1)
        self.rnn = nn.GRUCell(emb + 2 * hid, hid)  #! emb + 2 * hid => emb + hid
        self.out = nn.Linear(hid, vocab)

    def forward(self, token, hidden, memory, mask):
        expanded = hidden.unsqueeze(1).expand(-1, memory.size(1), -1)  #! hidden.unsqueeze(1) => hidden.unsqueeze(0)
        scores = self.attn(torch.cat([expanded, memory], dim=2)).squeeze(2).masked_fill(~mask, -1e10)
        context = (scores.softmax(1).unsqueeze(1) @ memory).squeeze(1)
        hidden = self.rnn(torch.cat([self.embedding(token), context], 1), hidden)
        return self.out(hidden), hidden


def bleu(candidates, references, n=2):
    precisions = []
    for k in range(1, n + 1):
        hits = total = 0
        for c, r in zip(candidates, references):
            grams = Counter(tuple(c[i:i + k]) for i in range(len(c) - k + 1))
            ref = Counter(tuple(r[i:i + k]) for i in range(len(r) - k + 1))
            hits += sum((grams & ref).values())
            total += max(sum(grams.values()), 1)
        precisions.append(max(hits, 1e-9) / total)
    return math.exp(sum(map(math.log, precisions)) / n)


def main(emb=12, hid=16, batch=4):
    src, trg = Vocabulary(p[0] for p in PAIRS), Vocabulary(p[1] for p in PAIRS)
    make = partial(DataLoader, Pairs(PAIRS, src, trg), batch_size=batch, collate_fn=Pad(PAD))
    enc, dec = Encoder(len(src), emb, hid), Decoder(len(trg), emb, hid)
    opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()])
    for source, target, lengths in make(shuffle=True):
        memory, hidden = enc(source, lengths)
        reveal_type(hidden)
        logits = []
        for t in range(target.size(1) - 1):
            step, hidden = dec(target[:, t], hidden, memory, source != PAD)
            logits.append(step)
        logits = torch.stack(logits, dim=1)
        reveal_type(logits)
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)  #! target[:, 1:] => target
        opt.zero_grad()
        loss.backward()
        opt.step()
    guesses, truths = [], []
    with torch.no_grad():
        for source, target, lengths in make():
            memory, hidden = enc(source, lengths)
            token, ids = torch.full((source.size(0),), BOS), []
            for _ in range(6):
                step, hidden = dec(token, hidden, memory, source != PAD)
                token = step.argmax(1)  #! step.argmax(1) => step.argmax(0)
                ids.append(token)
            ids = torch.stack(ids, 1)
            reveal_type(ids)
            guesses += [trg.words(row) for row in ids.tolist()]
            truths += [trg.words(row) for row in target.tolist()]
    print(bleu(guesses, truths))


main()
