"""Sequence labelling with packed LSTMs: per-layer initial states as parameters, sorting by length, CRF-free decoding, character CNN."""
import random
import string

import torch
import torch.nn as nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

random.seed(0)
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
CHARS = {c: i + 1 for i, c in enumerate(string.ascii_lowercase)}


def make_corpus(n):
    out = []
    for _ in range(n):
        words = ["".join(random.choices(string.ascii_lowercase, k=random.randint(1, 9))) for _ in range(random.randint(4, 15))]
        out.append((words, [random.choice(TAGS) for _ in words]))
    return out


class Corpus(Dataset):
    def __init__(self, sentences, word2id):
        self.sentences, self.word2id = sentences, word2id
        self.tag2id = {t: i for i, t in enumerate(TAGS)}

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, i):
        words, tags = self.sentences[i]
        ids = torch.tensor([self.word2id.get(w, 1) for w in words])
        chars = torch.zeros(len(words), 10, dtype=torch.long)
        for j, w in enumerate(words):
            for k, c in enumerate(w[:10]):
                chars[j, k] = CHARS[c]
        return ids, chars, torch.tensor([self.tag2id[t] for t in tags])


def collate(batch):
    batch.sort(key=lambda item: len(item[0]), reverse=True)
    words, chars, tags = zip(*batch)
    lengths = torch.tensor([len(w) for w in words])
    return (pad_sequence(words, batch_first=True), pad_sequence(chars, batch_first=True),
            pad_sequence(tags, batch_first=True, padding_value=-100), lengths)  #! batch_first=True => batch_first=False


class CharCNN(nn.Module):
    def __init__(self, n_chars, dim, out, width=3):
        super().__init__()
        self.embed = nn.Embedding(n_chars, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, out, width, padding=1)

    def forward(self, chars):
        b, t, c = chars.shape
        x = self.embed(chars.view(b * t, c)).permute(0, 2, 1)  #! .permute(0, 2, 1) => .permute(1, 0, 2)
        return self.conv(x).relu().max(dim=2).values.view(b, t, -1)  #! .max(dim=2) => .max(dim=1)


class Tagger(nn.Module):
    def __init__(self, vocab, word_dim=32, char_dim=12, char_out=16, hidden=24, layers=2, dropout=0.3):
        super().__init__()
        self.words = nn.Embedding(vocab, word_dim, padding_idx=0)
        self.chars = CharCNN(len(CHARS) + 1, char_dim, char_out)
        self.lstm = nn.LSTM(word_dim + char_out, hidden, layers, bidirectional=True, batch_first=True, dropout=dropout)  #! word_dim + char_out => word_dim
        self.h0 = nn.Parameter(torch.zeros(2 * layers, 1, hidden))  #! 2 * layers => layers
        self.c0 = nn.Parameter(torch.zeros(2 * layers, 1, hidden))
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(2 * hidden, len(TAGS))  #! 2 * hidden => hidden
        self.reset()

    def reset(self):
        for name, p in self.lstm.named_parameters():
            if name.startswith("weight"):
                nn.init.orthogonal_(p)
            elif "bias" in name:
                n = p.size(0)
                p.data[n // 4:n // 2].fill_(1.0)

    def forward(self, words, chars, lengths):
        x = torch.cat([self.words(words), self.chars(chars)], dim=-1)  #! dim=-1 => dim=1
        packed = pack_padded_sequence(self.drop(x), lengths, batch_first=True)
        state = tuple(s.expand(-1, words.size(0), -1).contiguous() for s in (self.h0, self.c0))
        output, (h, c) = self.lstm(packed, state)
        padded, _ = pad_packed_sequence(output, batch_first=True)
        sentence = torch.cat([h[-2], h[-1]], dim=1)
        return self.out(self.drop(padded)), sentence


def pooled(packed: PackedSequence, rnn):
    out, h = rnn(packed)
    reveal_type(out.data)
    return h.transpose(0, 1).flatten(1)


def main():
    sentences = make_corpus(50)
    vocab = {w: i + 2 for i, w in enumerate(sorted({w for words, _ in sentences for w in words}))}
    split = int(0.8 * len(sentences))
    train, valid = Corpus(sentences[:split], vocab), Corpus(sentences[split:], vocab)
    model = Tagger(len(vocab) + 2)
    topic = nn.Linear(48, 3)  #! 48, 3 => 24, 3
    opt = torch.optim.Adam(list(model.parameters()) + list(topic.parameters()), lr=1e-2)
    criterion = nn.CrossEntropyLoss(ignore_index=-100)
    for words, chars, tags, lengths in DataLoader(train, batch_size=8, shuffle=True, collate_fn=collate):
        scores, sentence = model(words, chars, lengths)
        loss = criterion(scores.view(-1, len(TAGS)), tags.reshape(-1))  #! tags.reshape(-1) => tags
        loss = loss + topic(sentence).logsumexp(-1).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
    reveal_type(sentence)
    right = total = 0
    model.eval()
    for words, chars, tags, lengths in DataLoader(valid, batch_size=5, collate_fn=collate):
        best = model(words, chars, lengths)[0].argmax(-1)
        mask = tags != -100
        right += (best == tags)[mask].sum().item()  #! (best == tags)[mask] => (best == tags)[mask.T]
        total += mask.sum().item()
    print(right / total)
    rnn = nn.GRU(6, 9, bidirectional=True)
    steps = [torch.randn(n, 6) for n in (5, 3, 2)]  #! torch.randn(n, 6) => torch.randn(6, n)
    reveal_type(pooled(pack_sequence(steps), rnn))


if __name__ == "__main__":
    main()
