"""Named entities: sentences from a file with a word a line, words as characters, settings in TOML."""
import tomllib
from itertools import groupby
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from modules import Tagger

HERE = Path(__file__).parent


def sentences(path):
    with open(path, encoding="utf8") as lines:
        for blank, group in groupby(lines, key=lambda line: not line.strip()):
            if not blank:
                yield [tuple(line.split()) for line in group]


class Indexer(dict):
    def __missing__(self, key):
        self[key] = len(self) + 1
        return self[key]


def collate(batch, labels):
    t = max(len(words) for words, _, _ in batch)
    c = max(len(w) for _, spelled, _ in batch for w in spelled)
    words, tags = torch.zeros(len(batch), t, dtype=torch.long), torch.full((len(batch), t), -1)
    chars = torch.zeros(len(batch), t, c, dtype=torch.long)
    for i, (w, spelled, tag) in enumerate(batch):
        words[i, :len(w)] = torch.tensor(w)  #! :len(w)] = torch => :len(w) + 1] = torch
        tags[i, :len(tag)] = torch.tensor(tag)
        for j, letters in enumerate(spelled):
            chars[i, j, :len(letters)] = torch.tensor(letters)
    return words, chars, tags


def main():
    with open(HERE / "settings.toml", "rb") as f:
        cfg = tomllib.load(f)
    labels = {name: i for i, name in enumerate(cfg["labels"]["names"])}
    words, letters = Indexer(), Indexer()
    data = []
    for sentence in sentences(HERE / "corpus.txt"):
        tokens, tags = zip(*sentence)
        data.append(([words[w.lower()] for w in tokens], [[letters[c] for c in w] for w in tokens], [labels[t] for t in tags]))
    net = Tagger(len(words) + 1, len(letters) + 1, cfg)
    opt = torch.optim.Adam(net.parameters())
    for w, c, tags in DataLoader(data, batch_size=2, collate_fn=lambda b: collate(b, labels)):
        scores = net(w, c)
        reveal_type(scores.shape[-1])
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), tags.flatten(), ignore_index=-1)  #! tags.flatten() => tags
        opt.zero_grad()
        loss.backward()
        opt.step()
    transitions = torch.zeros(3, 3)
    for _, _, tags in data:
        for a, b in zip(tags, tags[1:]):
            transitions[a, b] += 1
    print((scores @ transitions).shape, transitions.sum(1) + torch.ones(3))  #! torch.ones(3) => torch.ones(2)


if __name__ == "__main__":
    main()
