"""Masked language modelling: a word-piece vocabulary, pairs of sentences, dynamic masking in the collator, tied heads."""
import random
import re
import unicodedata
from collections import Counter
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

TEXT = "the quick brown fox jumps over the lazy dog . a stitch in time saves nine . all that glitters is not gold . the early bird catches the worm ."


class Tokenizer:
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

    def __init__(self, text, size=64):
        words = re.findall(r"\w+|[^\w\s]", unicodedata.normalize("NFC", text.lower()))
        pieces = Counter()
        for word in words:
            pieces[word[:3]] += 1
            for i in range(3, len(word), 2):
                pieces["##" + word[i : i + 2]] += 1
        self.vocab = self.specials + [p for p, _ in pieces.most_common(size - len(self.specials))]
        self.ids = {t: i for i, t in enumerate(self.vocab)}
        self.pad_id, self.unk_id, self.cls_id, self.sep_id, self.mask_id = range(5)

    def tokenize(self, text):
        out = []
        for word in text.lower().split():
            out.append(self.ids.get(word[:3], self.unk_id))
            out.extend(self.ids.get("##" + word[i : i + 2], self.unk_id) for i in range(3, len(word), 2))
        return out

    def __len__(self):
        return len(self.vocab)


class SentencePairs(Dataset):
    def __init__(self, text, tokenizer, max_len=32, count=37):
        self.sentences = [s.strip() for s in text.split(".") if s.strip()]
        self.tokenizer, self.max_len, self.count = tokenizer, max_len, count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        rng = random.Random(i)
        a = i % len(self.sentences)
        is_next = rng.random() < 0.5
        b = (a + 1) % len(self.sentences) if is_next else rng.randrange(len(self.sentences))
        ta, tb = self.tokenizer.tokenize(self.sentences[a]), self.tokenizer.tokenize(self.sentences[b])
        while len(ta) + len(tb) > self.max_len - 3:
            (ta if len(ta) > len(tb) else tb).pop()
        ids = [self.tokenizer.cls_id] + ta + [self.tokenizer.sep_id] + tb + [self.tokenizer.sep_id]
        types = [0] * (len(ta) + 2) + [1] * (len(tb) + 1)
        return {"input_ids": ids, "token_type_ids": types, "next": int(is_next)}


def collate(examples, tokenizer, max_len, probability=0.15):
    width = max_len
    ids = torch.full((len(examples), width), tokenizer.pad_id, dtype=torch.long)
    types = torch.zeros_like(ids)
    for row, e in enumerate(examples):
        n = len(e["input_ids"])
        ids[row, :n] = torch.tensor(e["input_ids"])
        types[row, :n] = torch.tensor(e["token_type_ids"])
    labels = ids.clone()
    chance = torch.full(labels.shape, probability)  #! labels.shape, probability => labels.shape[::-1], probability
    special = (ids == tokenizer.pad_id) | (ids == tokenizer.cls_id) | (ids == tokenizer.sep_id)
    chance.masked_fill_(special, value=0.0)
    masked = torch.bernoulli(chance).bool()
    labels[~masked] = -100
    replaced = torch.bernoulli(torch.full(labels.shape, 0.8)).bool() & masked
    ids[replaced] = tokenizer.mask_id
    rand = torch.bernoulli(torch.full(labels.shape, 0.5)).bool() & masked & ~replaced
    words = torch.randint(len(tokenizer), labels.shape, dtype=torch.long)
    ids[rand] = words[rand]
    return {"input_ids": ids, "token_type_ids": types, "labels": labels, "next_labels": torch.tensor([e["next"] for e in examples])}


class Bert(nn.Module):
    def __init__(self, vocab, dim=32, heads=4, layers=2, max_len=32):
        super().__init__()
        self.tok, self.typ, self.pos = nn.Embedding(vocab, dim, padding_idx=0), nn.Embedding(2, dim), nn.Parameter(torch.zeros(max_len, dim))
        self.norm = nn.LayerNorm(dim)
        layer = nn.TransformerEncoderLayer(d_model=dim, nhead=heads, dim_feedforward=4 * dim, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=layers, norm=nn.LayerNorm(dim), enable_nested_tensor=False)
        self.pooler = nn.Sequential(nn.Linear(dim, dim), nn.Tanh())

    def forward(self, ids, types):
        x = self.norm(self.tok(ids) + self.typ(types) + self.pos[: ids.size(1)])  #! self.pos[: ids.size(1)] => self.pos[: ids.size(0)]
        x = self.encoder(x, src_key_padding_mask=ids.eq(0))
        return x, self.pooler(x[:, 0])


class Pretraining(nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = bert
        vocab, dim = bert.tok.weight.shape
        self.transform = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.LayerNorm(dim))
        self.decoder = nn.Linear(dim, vocab, bias=False)
        self.decoder.weight = bert.tok.weight
        self.bias = nn.Parameter(torch.zeros(vocab))  #! torch.zeros(vocab) => torch.zeros(dim)
        self.next = nn.Linear(dim, 2)

    def forward(self, input_ids, token_type_ids, labels=None, next_labels=None):
        x, pooled = self.bert(input_ids, token_type_ids)
        scores, relation = self.decoder(self.transform(x)) + self.bias, self.next(pooled)
        outputs = (scores, relation)
        if labels is not None and next_labels is not None:
            mlm = F.cross_entropy(scores.view(-1, scores.size(-1)), labels.view(-1), ignore_index=-100)
            nsp = F.cross_entropy(relation.view(-1, 2), next_labels.view(-1))
            outputs = (mlm + nsp,) + outputs
        return outputs


def main():
    random.seed(0)
    torch.manual_seed(0)
    tokenizer = Tokenizer(TEXT)
    data = SentencePairs(TEXT, tokenizer)
    loader = DataLoader(data, batch_size=8, shuffle=True, collate_fn=partial(collate, tokenizer=tokenizer, max_len=32))
    model = Pretraining(Bert(len(tokenizer)))
    no_decay = ["bias", "norm"]
    groups = [
        {"params": [p for n, p in model.named_parameters() if not any(nd in n for nd in no_decay)], "weight_decay": 0.01},
        {"params": [p for n, p in model.named_parameters() if any(nd in n for nd in no_decay)], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=1e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-3, total_steps=2 * len(loader))
    for epoch in range(2):
        for step, batch in enumerate(loader):
            loss, scores, relation = model(**batch)  #! model(**batch) => model(**batch)[1:] + (0, 1)
            loss.backward()
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        masked = batch["labels"] != -100
        hits = (scores.argmax(-1)[masked] == batch["labels"][masked]).float().mean()
    reveal_type(relation)
    reveal_type(hits)
    with torch.no_grad():
        _, sentence = model.bert(torch.randint(5, 30, (3, 12)), torch.zeros(3, 12, dtype=torch.long))
    similarity = F.cosine_similarity(sentence[:, None], sentence[None], dim=-1)
    reveal_type(similarity)


if __name__ == "__main__":
    main()
