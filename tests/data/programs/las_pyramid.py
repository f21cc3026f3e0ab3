"""Listen, attend and spell: a pyramidal recurrent encoder over padded utterances, and a speller with scheduled sampling."""
import random
from collections import Counter
from typing import List, Sequence

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler

PAD, SOS, EOS = 0, 1, 2


class Vocabulary:
    def __init__(self, texts: Sequence[str], min_count: int = 1):
        counts = Counter(char for text in texts for char in text)
        self.itos = ["<pad>", "<sos>", "<eos>"] + sorted(c for c, n in counts.items() if n >= min_count)
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, text: str) -> List[int]:
        return [SOS, *(self.stoi[c] for c in text), EOS]


class Utterances(Dataset):
    def __init__(self, texts, vocab, mels=40):
        self.texts, self.vocab, self.mels = texts, vocab, mels

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        text = self.texts[index]
        frames = len(text) * 9 + random.randint(0, 5)
        return torch.randn(frames, self.mels), torch.tensor(self.vocab.encode(text))


def collate(batch):
    batch.sort(key=lambda pair: len(pair[0]), reverse=True)
    speech, text = zip(*batch)
    speech_len = torch.tensor([len(s) for s in speech])
    return pad_sequence(speech, batch_first=True), speech_len, pad_sequence(text, batch_first=True, padding_value=PAD)  #! pad_sequence(speech, batch_first=True) => torch.stack(speech)


class LockedDropout(nn.Module):
    def forward(self, x, p=0.3):
        if not self.training or not p:
            return x
        mask = x.new_empty(x.size(0), 1, x.size(2)).bernoulli_(1 - p) / (1 - p)  #! x.size(0), 1, => x.size(1), 1,
        return x * mask


class PyramidLSTM(nn.Module):
    def __init__(self, input_dim, hidden):
        super().__init__()
        self.blstm = nn.LSTM(input_dim * 2, hidden, bidirectional=True, batch_first=True)  #! input_dim * 2, => input_dim,
        self.dropout = LockedDropout()

    def forward(self, packed: PackedSequence) -> PackedSequence:
        x, lens = pad_packed_sequence(packed, batch_first=True)
        x = self.dropout(x)
        if x.size(1) % 2:
            x = x[:, :-1]
        x = x.reshape(x.size(0), x.size(1) // 2, x.size(2) * 2)  #! x.size(2) * 2) => x.size(2))
        lens = torch.clamp(lens, max=x.size(1) * 2) // 2
        packed, _ = self.blstm(pack_padded_sequence(x, lens, batch_first=True, enforce_sorted=False))
        return packed


class Listener(nn.Module):
    def __init__(self, mels, hidden, key_size, value_size, layers=2):
        super().__init__()
        self.first = nn.LSTM(mels, hidden, bidirectional=True, batch_first=True)
        self.pyramid = nn.Sequential(*[PyramidLSTM(2 * hidden, hidden) for _ in range(layers)])
        self.key, self.value = nn.Linear(2 * hidden, key_size), nn.Linear(2 * hidden, value_size)  #! nn.Linear(2 * hidden, key_size) => nn.Linear(hidden, key_size)

    def forward(self, x, lens):
        packed, _ = self.first(pack_padded_sequence(x, lens.cpu(), batch_first=True))
        out, lens = pad_packed_sequence(self.pyramid(packed), batch_first=True)
        return self.key(out), self.value(out), lens


class DotAttention(nn.Module):
    def forward(self, query, key, value, mask):
        energy = torch.bmm(key, query.unsqueeze(2)).squeeze(2)  #! query.unsqueeze(2) => query
        attention = energy.masked_fill(~mask, -1e9).softmax(dim=1)
        return torch.bmm(attention.unsqueeze(1), value).squeeze(1), attention


class Speller(nn.Module):
    def __init__(self, vocab_size, embed, hidden, key_size, value_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed, padding_idx=PAD)
        self.cells = nn.ModuleList([nn.LSTMCell(embed + value_size, hidden), nn.LSTMCell(hidden, key_size)])
        self.attention = DotAttention()
        self.projection = nn.Linear(key_size + value_size, embed)
        self.character = nn.Linear(embed, vocab_size)
        self.character.weight = self.embedding.weight
        self.value_size = value_size

    def forward(self, key, value, lens, text=None, teacher=0.9, max_len=12):
        batch, steps, _ = key.shape
        mask = torch.arange(steps).unsqueeze(0) < lens.unsqueeze(1)
        states = [None, None]
        context = value[:, 0, :] if value.size(2) == self.value_size else None
        prediction = torch.full((batch,), SOS, dtype=torch.long)
        predictions, maps = [], []
        embedded = self.embedding(text) if text is not None else None
        for t in range(max_len if text is None else text.size(1) - 1):
            if embedded is not None and random.random() < teacher:
                char = embedded[:, t, :]
            else:
                char = self.embedding(prediction)
            x = torch.cat([char, context], dim=1)
            for i, cell in enumerate(self.cells):
                states[i] = cell(x, states[i])
                x = states[i][0]
            context, attention = self.attention(x, key, value, mask)
            logits = self.character(torch.tanh(self.projection(torch.cat([x, context], dim=1))))  #! torch.cat([x, context], dim=1) => x
            prediction = logits.argmax(dim=-1)
            predictions.append(logits.unsqueeze(1))
            maps.append(attention[0].detach())
        return torch.cat(predictions, dim=1), torch.stack(maps)


class ListenAttendSpell(nn.Module):
    def __init__(self, vocab, mels=40, hidden=24, embed=20, key_size=16, value_size=16):
        super().__init__()
        self.listener = Listener(mels, hidden, key_size, value_size)
        self.speller = Speller(len(vocab), embed, hidden, key_size, value_size)  #! key_size, value_size) => embed, value_size)

    def forward(self, x, lens, text=None, **kwargs):
        return self.speller(*self.listener(x, lens), text, **kwargs)


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def main():
    torch.manual_seed(0), random.seed(0)
    texts = ["hello", "world", "listen", "spell", "attend", "speech", "vowel"]
    vocab = Vocabulary(texts)
    data = Utterances(texts, vocab)
    sampler = BatchSampler(RandomSampler(data), batch_size=3, drop_last=False)
    loader = DataLoader(data, batch_sampler=sampler, collate_fn=collate)
    model = ListenAttendSpell(vocab)
    criterion = nn.CrossEntropyLoss(reduction="none")
    optimizer = torch.optim.Adam(model.parameters())
    for speech, lens, text in loader:
        logits, maps = model(speech, lens, text, teacher=0.8)
        targets = text[:, 1:]  #! text[:, 1:] => text
        loss = criterion(logits.permute(0, 2, 1), targets)
        mask = targets.ne(PAD)
        loss = (loss * mask).sum() / mask.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2)
        optimizer.step()
    model.eval()
    with torch.inference_mode():
        x = torch.randn(2, 50, 40)
        keys, values, klens = model.listener(x, torch.tensor([50, 31]))
        reveal_type(keys)
        logits, maps = model(x, torch.tensor([50, 31]), max_len=7)
        reveal_type(logits)
        reveal_type(maps)
    print(loss.item(), edit_distance("hello", "hallo"))


if __name__ == "__main__":
    main()
