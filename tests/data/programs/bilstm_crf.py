"""Named entities: character CNN and word embeddings, packed BiLSTM, linear-chain CRF with Viterbi."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
CORPUS = [
    ("John Smith lives in Paris", "B-PER I-PER O O B-LOC"),
    ("Mary went to New York", "B-PER O O B-LOC I-LOC"),
    ("the dog sleeps", "O O O"),
    ("Berlin is far from Rome today", "B-LOC O O O B-LOC O"),
    ("Ann likes Bob", "B-PER O B-PER"),
    ("no entity is here", "O O O O"),
    ("London calling", "B-LOC O"),
]


class TaggingData(Dataset):
    def __init__(self, corpus):
        self.word2id, self.char2id = {"<pad>": 0}, {"<pad>": 0}
        self.samples = []
        for sentence, tags in corpus:
            words = sentence.split()
            ids = [self.word2id.setdefault(w, len(self.word2id)) for w in words]
            chars = [[self.char2id.setdefault(c, len(self.char2id)) for c in w] for w in words]
            self.samples.append((ids, chars, [TAGS.index(t) for t in tags.split()]))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.samples[index]


def collate(batch):
    batch = sorted(batch, key=lambda s: len(s[0]), reverse=True)
    lengths = torch.tensor([len(s[0]) for s in batch])
    words = pad_sequence([torch.tensor(s[0]) for s in batch], batch_first=True)
    tags = pad_sequence([torch.tensor(s[2]) for s in batch], batch_first=True)
    chars = torch.zeros(len(batch), words.size(1), 8, dtype=torch.long)
    for i, (_, cs, _) in enumerate(batch):
        for j, c in enumerate(cs):
            c = c[:8]
            chars[i, j, : len(c)] = torch.tensor(c)
    return words, chars, lengths, tags


class CharCNN(nn.Module):
    def __init__(self, n_chars, dim=10, filters=12, k=3):
        super().__init__()
        self.embed = nn.Embedding(n_chars, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, filters, k, padding=k // 2)

    def forward(self, chars):
        b, t, w = chars.shape
        x = self.embed(chars.view(b * t, w)).transpose(1, 2)  #! .transpose(1, 2) => .transpose(0, 1)
        x = torch.relu(self.conv(x)).max(dim=-1).values
        return x.view(b, t, -1)


class CRF(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(n, n))
        self.start = nn.Parameter(torch.zeros(n))
        self.end = nn.Parameter(torch.zeros(n))

    def score(self, emissions, tags, mask):
        total = self.start[tags[:, 0]] + emissions[:, 0].gather(1, tags[:, :1]).squeeze(1)
        for t in range(1, tags.size(1)):
            step = self.transitions[tags[:, t - 1], tags[:, t]] + emissions[:, t].gather(1, tags[:, t : t + 1]).squeeze(1)
            total = total + step * mask[:, t]
        last = tags.gather(1, (mask.sum(1).long() - 1).unsqueeze(1)).squeeze(1)
        return total + self.end[last]

    def partition(self, emissions, mask):
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.size(1)):
            scores = alpha.unsqueeze(2) + self.transitions + emissions[:, t].unsqueeze(1)
            alpha = torch.where(mask[:, t].unsqueeze(1).bool(), torch.logsumexp(scores, dim=1), alpha)  #! dim=1) => dim=0)
        return torch.logsumexp(alpha + self.end, dim=1)

    def decode(self, emissions):
        score, back = self.start + emissions[0], []
        for emission in emissions[1:]:
            total = score.unsqueeze(1) + self.transitions + emission
            score, best = total.max(dim=0)
            back.append(best)
        path = [int((score + self.end).argmax())]
        for best in reversed(back):
            path.append(int(best[path[-1]]))
        return path[::-1]


class Tagger(nn.Module):
    def __init__(self, n_words, n_chars, n_tags, emb=20, hidden=16):
        super().__init__()
        self.words = nn.Embedding(n_words, emb, padding_idx=0)
        self.chars = CharCNN(n_chars)
        self.lstm = nn.LSTM(emb + 12, hidden, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1)  #! emb + 12 => emb + 10
        self.project = nn.Linear(2 * hidden, n_tags)
        self.crf = CRF(n_tags)

    def emissions(self, words, chars, lengths):
        x = torch.cat((self.words(words), self.chars(chars)), dim=2)
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=words.size(1))
        reveal_type(self.lstm.weight_ih_l0)
        return self.project(out)

    def forward(self, words, chars, lengths, tags):
        e = self.emissions(words, chars, lengths)
        mask = (torch.arange(words.size(1))[None, :] < lengths[:, None]).float()
        return (self.crf.partition(e, mask) - self.crf.score(e, tags, mask)).mean()


data = TaggingData(CORPUS)
loader = DataLoader(data, batch_size=4, collate_fn=collate)
model = Tagger(len(data.word2id), len(data.char2id), len(TAGS))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(2):
    for words, chars, lengths, tags in loader:
        optimizer.zero_grad()
        loss = model(words, chars, lengths, tags)
        loss.backward()
        optimizer.step()
    reveal_type(loss)
reveal_type(model.crf.transitions)

model.eval()
with torch.no_grad():
    w = torch.randint(1, 20, (2, 6))
    ch = torch.randint(0, 20, (2, 6, 8))
    e = model.emissions(w, ch, torch.tensor([6, 4]))  #! torch.tensor([6, 4]) => torch.tensor([6, 4, 2])
    reveal_type(e)
    path = model.crf.decode(e[0])
    states = torch.zeros(3, 6)
reveal_type(model.chars(ch))
