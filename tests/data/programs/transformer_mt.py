"""Translation with nn.Transformer: collate with padding, masks, greedy decoding."""
import math
import random
from typing import List, Tuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, BOS, EOS, UNK = range(4)
SRC_WORDS = "ein mann frau hund katze läuft sitzt schnell auf der bank".split()
TGT_WORDS = "a man woman dog cat runs sits fast on the bench".split()


class Vocab:
    def __init__(self, words):
        self.itos = ["<pad>", "<bos>", "<eos>", "<unk>"] + list(words)
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def __call__(self, tokens):
        return [self.stoi.get(t, UNK) for t in tokens]


class Pairs(Dataset):
    def __init__(self, n, src_vocab, tgt_vocab):
        rng = random.Random(1)
        self.items = []
        for _ in range(n):
            k = rng.randint(3, 8)
            pick = [rng.randrange(len(SRC_WORDS)) for _ in range(k)]
            self.items.append((src_vocab([SRC_WORDS[i] for i in pick]), tgt_vocab([TGT_WORDS[i] for i in pick])))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    src, tgt = [], []
    for s, t in batch:
        src.append(torch.tensor([BOS] + s + [EOS]))
        tgt.append(torch.tensor([BOS] + t + [EOS]))
    return pad_sequence(src, padding_value=PAD), pad_sequence(tgt, padding_value=PAD)


class PositionalEncoding(nn.Module):
    def __init__(self, emb_size: int, dropout: float, maxlen: int = 500):
        super().__init__()
        den = torch.exp(-torch.arange(0, emb_size, 2) * math.log(10000) / emb_size)
        pos = torch.arange(0, maxlen).reshape(maxlen, 1)
        table = torch.zeros((maxlen, emb_size))
        table[:, 0::2] = torch.sin(pos * den)
        table[:, 1::2] = torch.cos(pos * den)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", table.unsqueeze(-2))  #! table.unsqueeze(-2) => table.unsqueeze(-1)

    def forward(self, x: Tensor):
        return self.dropout(x + self.table[: x.size(0), :])


class Seq2SeqTransformer(nn.Module):
    def __init__(self, src_size, tgt_size, emb=32, heads=4, layers=2, ff=64):
        super().__init__()
        self.emb = emb
        self.transformer = nn.Transformer(emb, heads, layers, layers, ff, 0.1)
        self.generator = nn.Linear(emb, tgt_size)
        self.src_tok = nn.Embedding(src_size, emb, padding_idx=PAD)
        self.tgt_tok = nn.Embedding(tgt_size, emb, padding_idx=PAD)
        self.pos = PositionalEncoding(emb, 0.1)

    def forward(self, src, tgt, src_mask, tgt_mask, src_pad, tgt_pad, memory_pad):
        s = self.pos(self.src_tok(src.long()) * math.sqrt(self.emb))
        t = self.pos(self.tgt_tok(tgt.long()) * math.sqrt(self.emb))
        out = self.transformer(s, t, src_mask, tgt_mask, None, src_pad, tgt_pad, memory_pad)
        return self.generator(out)

    def encode(self, src, mask):
        return self.transformer.encoder(self.pos(self.src_tok(src)), mask)

    def decode(self, tgt, memory, mask):
        return self.transformer.decoder(self.pos(self.tgt_tok(tgt)), memory, mask)


def square_mask(n: int) -> Tensor:
    mask = (torch.triu(torch.ones((n, n))) == 1).transpose(0, 1)
    return mask.float().masked_fill(mask == 0, float("-inf")).masked_fill(mask == 1, 0.0)


def create_mask(src: Tensor, tgt: Tensor):
    s, t = src.shape[0], tgt.shape[0]
    tgt_mask = square_mask(t)
    src_mask = torch.zeros((s, s))
    return src_mask, tgt_mask, (src == PAD).transpose(0, 1) == 1, (tgt == PAD).transpose(0, 1) == 1  #! (tgt == PAD).transpose(0, 1) => (tgt == PAD)


@torch.no_grad()
def greedy(model, src, max_len):
    n = src.shape[0]
    memory = model.encode(src, torch.zeros(n, n))
    ys = torch.full((1, 1), BOS, dtype=torch.long)
    for _ in range(max_len - 1):
        out = model.decode(ys, memory, square_mask(ys.size(0)))
        prob = model.generator(out.transpose(0, 1)[:, -1])
        word = prob.argmax(dim=1).item()
        ys = torch.cat([ys, torch.full((1, 1), word, dtype=ys.dtype)], dim=0)  #! dim=0 => dim=1
        if word == EOS:
            break
    return ys


def main():
    torch.manual_seed(0)
    vs, vt = Vocab(SRC_WORDS), Vocab(TGT_WORDS)
    loader = DataLoader(Pairs(50, vs, vt), batch_size=16, shuffle=True, collate_fn=collate)
    model = Seq2SeqTransformer(len(vs), len(vt))
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.xavier_uniform_(p)
    reveal_type(model.pos.table)
    loss_fn = nn.CrossEntropyLoss(ignore_index=PAD)
    opt = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)
    total = 0.0
    for src, tgt in loader:
        tgt_in = tgt[:-1, :]
        masks = create_mask(src, tgt_in)
        sm, tm, sp, tp = masks
        logits = model(src, tgt_in, sm, tm, sp, tp, sp)
        opt.zero_grad()
        tgt_out = tgt[1:, :]
        loss = loss_fn(logits.reshape(-1, logits.shape[-1]), tgt_out.reshape(-1))  #! tgt_out.reshape(-1) => tgt.reshape(-1)
        loss.backward()
        opt.step()
        total += loss.item()
    model.eval()
    sentence = torch.tensor([BOS] + vs("ein hund läuft".split()) + [EOS]).view(-1, 1)
    reveal_type(sentence)
    memory = model.encode(sentence, torch.zeros(5, 5))
    reveal_type(memory)
    out = greedy(model, sentence, max_len=sentence.shape[0] + 5).flatten()
    print(" ".join(vt.itos[i] for i in out.tolist()), total / len(loader))


main()
