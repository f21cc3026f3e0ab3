"""Joint intent and slot classification on JSON lines."""
import json
import tomllib
from collections import Counter
from pathlib import Path

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

HERE = Path(__file__).resolve().parent
PAD, UNK = "<pad>", "<unk>"
N_SLOTS = 4  #! N_SLOTS = 4 => N_SLOTS = 3


def read_jsonl(path):
    with path.open() as f:
        return [json.loads(line) for line in f if line.strip()]


class Vocab:
    def __init__(self, texts, min_freq=1):
        counts = Counter(w for t in texts for w in t.split())
        self.words = [PAD, UNK] + [w for w, c in counts.most_common() if c >= min_freq]
        self.index = {w: i for i, w in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def encode(self, text):
        return [self.index.get(w, self.index[UNK]) for w in text.split()]


class Intents(Dataset):
    def __init__(self, records, vocab, labels):
        self.records, self.vocab, self.labels = records, vocab, labels

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        r = self.records[i]
        return torch.tensor(self.vocab.encode(r["text"])), torch.tensor(r["slots"]), self.labels.index(r["intent"])


def collate(batch):
    batch = sorted(batch, key=lambda item: len(item[0]), reverse=True)
    tokens, slots, intents = zip(*batch)
    lengths = torch.tensor([len(t) for t in tokens])
    return (pad_sequence(tokens, batch_first=True), pad_sequence(slots, batch_first=True, padding_value=-100),  #! slots, batch_first=True => slots, batch_first=False
            torch.tensor(intents), lengths)


class JointModel(nn.Module):
    def __init__(self, vocab_size, n_intents, n_slots, *, embedding_dim, hidden_size, num_layers=1, bidirectional=False):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embedding_dim, padding_idx=0)
        self.rnn = nn.GRU(embedding_dim, hidden_size, num_layers, batch_first=True, bidirectional=bidirectional)  #! nn.GRU(embedding_dim => nn.GRU(hidden_size
        width = hidden_size * (2 if bidirectional else 1)  #! (2 if bidirectional else 1) => 1
        self.slot = nn.Linear(width, n_slots)
        self.intent = nn.Linear(width, n_intents)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True)
        out, hidden = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        last = torch.cat([hidden[-2], hidden[-1]], dim=-1)  #! torch.cat([hidden[-2], hidden[-1]], dim=-1) => hidden[-1]
        reveal_type(last)
        return self.intent(last), self.slot(out)


def run(config):
    records = read_jsonl(HERE / "train.jsonl")
    vocab = Vocab(r["text"] for r in records)
    labels = sorted({r["intent"] for r in records})
    loader = DataLoader(Intents(records, vocab, labels), batch_size=config["training"]["batch_size"], shuffle=True, collate_fn=collate)
    model = JointModel(len(vocab), len(labels), N_SLOTS, **config["model"])
    opt = torch.optim.Adam(model.parameters())
    intent_loss, slot_loss = nn.CrossEntropyLoss(), nn.CrossEntropyLoss(ignore_index=-100)
    for _ in range(config["training"]["epochs"]):
        correct = seen = 0
        for tokens, slots, intents, lengths in loader:
            opt.zero_grad()
            intent_logits, slot_logits = model(tokens, lengths)
            reveal_type(intent_logits)
            loss = intent_loss(intent_logits, intents) + slot_loss(slot_logits.transpose(1, 2), slots)  #! slot_logits.transpose(1, 2) => slot_logits
            loss.backward()
            opt.step()
            correct += (intent_logits.argmax(-1) == intents).sum().item()
            seen += intents.numel()
        print(f"accuracy {correct / seen:.2f}")


if __name__ == "__main__":
    run(tomllib.loads((HERE / "config.toml").read_text()))
