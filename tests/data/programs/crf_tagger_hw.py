"""Course homework: sequence tagging with a GRU encoder over own batches, masked loss, per-class F1, and an HMM baseline."""
import random
from collections import Counter, defaultdict
from typing import Dict, List, Tuple
import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

random.seed(0)
WORDS = "the a dog cat man sees likes big small red runs".split()
TAG_OF = {"the": "DET", "a": "DET", "dog": "N", "cat": "N", "man": "N", "sees": "V", "likes": "V", "runs": "V", "big": "ADJ", "small": "ADJ", "red": "ADJ"}
TAGS = ["PAD", "DET", "N", "V", "ADJ"]


def make_corpus(n: int) -> List[List[Tuple[str, str]]]:
    return [[(w, TAG_OF[w]) for w in random.choices(WORDS, k=random.randint(3, 8))] for _ in range(n)]


class Vocabulary:
    def __init__(self, corpus):
        words = Counter(w for sent in corpus for w, _ in sent)
        self.index: Dict[str, int] = {"<pad>": 0, "<unk>": 1}
        for word, _ in words.most_common():
            self.index[word] = len(self.index)

    def encode(self, sentence):
        return [self.index.get(w, 1) for w, _ in sentence], [TAGS.index(t) for _, t in sentence]

    def __len__(self):
        return len(self.index)


def batches(corpus, vocab, size):
    order = sorted(range(len(corpus)), key=lambda i: len(corpus[i]))
    for start in range(0, len(order), size):
        rows = [vocab.encode(corpus[i]) for i in order[start:start + size]]
        longest = max(len(w) for w, _ in rows)
        words = torch.zeros(len(rows), longest, dtype=torch.long)
        tags = torch.zeros(len(rows), longest, dtype=torch.long)  #! torch.zeros(len(rows), longest, dtype=torch.long) => torch.zeros(longest, len(rows), dtype=torch.long)
        for r, (w, t) in enumerate(rows):
            words[r, :len(w)] = torch.tensor(w)
            tags[r, :len(t)] = torch.tensor(t)
        yield words, tags, (words != 0).sum(1)


class Tagger(nn.Module):
    def __init__(self, vocab, n_tags, dim=20, hidden=24, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.gru = nn.GRU(dim, hidden, layers, batch_first=True, bidirectional=True, dropout=0.1)
        self.h0 = nn.Parameter(torch.zeros(2 * layers, 1, hidden))  #! 2 * layers, 1, hidden => layers, 1, hidden
        self.out = nn.Linear(2 * hidden, n_tags)  #! 2 * hidden, n_tags => hidden, n_tags

    def forward(self, words, lengths):
        x = pack_padded_sequence(self.emb(words), lengths.cpu(), batch_first=True, enforce_sorted=False)
        h, _ = self.gru(x, self.h0.expand(-1, words.size(0), -1).contiguous())  #! words.size(0) => words.size(1)
        h, _ = pad_packed_sequence(h, batch_first=True)
        return self.out(h)


def f1_per_class(pred, gold, n):
    scores = torch.zeros(n)
    for c in range(n):
        tp = ((pred == c) & (gold == c)).sum()
        fp, fn = ((pred == c) & (gold != c)).sum(), ((pred != c) & (gold == c)).sum()
        scores[c] = 2 * tp / (2 * tp + fp + fn).clamp(min=1)
    return scores


class HMM:
    def __init__(self, corpus, vocab, n):
        self.trans, self.emit, self.start = np.ones((n, n)), np.ones((n, len(vocab))), np.ones(n)
        for sent in corpus:
            ids, tags = vocab.encode(sent)
            self.start[tags[0]] += 1
            for a, b in zip(tags, tags[1:]):
                self.trans[a, b] += 1
            for w, t in zip(ids, tags):
                self.emit[t, w] += 1
        self.trans /= self.trans.sum(axis=1, keepdims=True)  #! keepdims=True => keepdims=False
        self.emit /= self.emit.sum(axis=1)[:, None]  #! [:, None] => 
        self.start /= self.start.sum()

    def viterbi(self, obs):
        n, T = len(self.start), len(obs)
        delta, back = np.zeros((T, n)), np.zeros((T, n), dtype=int)
        delta[0] = np.log(self.start) + np.log(self.emit[:, obs[0]])  #! self.emit[:, obs[0]] => self.emit[obs[0]]
        for t in range(1, T):
            scores = delta[t - 1][:, None] + np.log(self.trans)
            back[t] = scores.argmax(axis=0)
            delta[t] = scores.max(axis=0) + np.log(self.emit[:, obs[t]])
        path = [int(delta[-1].argmax())]
        for t in range(T - 1, 0, -1):
            path.append(int(back[t, path[-1]]))
        return path[::-1]


corpus = make_corpus(60)
train, test = corpus[:50], corpus[50:]
vocab = Vocabulary(train)
model = Tagger(50, len(TAGS))
opt = torch.optim.Adam(model.parameters(), 1e-2)
criterion = nn.CrossEntropyLoss(ignore_index=0)
for epoch in range(2):
    for words, tags, lengths in batches(train, vocab, 10):
        logits = model(words, lengths)
        loss = criterion(logits.permute(0, 2, 1), tags)  #! logits.permute(0, 2, 1) => logits
        opt.zero_grad()
        loss.backward()
        opt.step()
ids = torch.randint(2, 50, (4, 9))
logits = model(ids, torch.tensor([9, 4, 7, 2]))
reveal_type(logits)
f1 = f1_per_class(logits.argmax(-1), torch.randint(0, 5, (4, 9)), len(TAGS))  #! torch.randint(0, 5, (4, 9)) => torch.randint(0, 5, (4, 8))
reveal_type(f1)
hmm = HMM(train, vocab, len(TAGS))
reveal_type(hmm.trans)
print(hmm.viterbi(vocab.encode(test[0])[0]))
reveal_type(hmm.start)
reveal_type(model.h0)
