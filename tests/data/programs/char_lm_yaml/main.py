from dataclasses import asdict, replace
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, RandomSampler

from settings import load

TEXT = "the quick brown fox jumps over the lazy dog. " * 12


class CharDataset(Dataset):
    def __init__(self, text, block_size):
        chars = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(chars)}
        self.itos = {i: c for c, i in self.stoi.items()}
        self.block_size = block_size
        self.data = torch.tensor([self.stoi[c] for c in text], dtype=torch.long)

    @property
    def vocab_size(self):
        return len(self.stoi)

    def __len__(self):
        return len(self.data) - self.block_size

    def __getitem__(self, i):
        chunk = self.data[i:i + self.block_size + 1]
        return chunk[:-1], chunk[1:]  #! chunk[1:] => chunk[2:]


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(cfg.d_model), nn.LayerNorm(cfg.d_model)
        self.attn = nn.MultiheadAttention(cfg.d_model, cfg.n_heads, cfg.dropout, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(cfg.d_model, 4 * cfg.d_model), nn.GELU(), nn.Linear(4 * cfg.d_model, cfg.d_model))  #! nn.GELU(), nn.Linear(4 * => nn.GELU(), nn.Linear(2 *
        self.register_buffer("mask", torch.triu(torch.ones(cfg.max_len, cfg.max_len, dtype=torch.bool), 1))

    def forward(self, x):
        t = x.size(1)
        h = self.ln1(x)
        x = x + self.attn(h, h, h, attn_mask=self.mask[:t, :t], need_weights=False)[0]  #! self.mask[:t, :t] => self.mask[:t - 1, :t - 1]
        return x + self.mlp(self.ln2(x))


class CharLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab_size, cfg.d_model)
        self.pos = nn.Parameter(torch.zeros(1, cfg.max_len, cfg.d_model))
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.n_layers))
        self.head = nn.Linear(cfg.d_model, cfg.vocab_size)

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos[:, :idx.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = self.head(x)
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())  #! logits.flatten(0, 1), targets.flatten() => logits, targets

    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            logits, _ = self(idx[:, -self.cfg.max_len:])  #! idx[:, -self.cfg.max_len:] => idx[:, None]
            nxt = torch.multinomial(F.softmax(logits[:, -1], dim=-1), 1)
            idx = torch.cat([idx, nxt], dim=1)  #! dim=1 => dim=0
        return idx


def main():
    cfg = load(Path(__file__).with_name("config.yaml"))
    data = CharDataset(TEXT, cfg.data.block_size)
    cfg.model = replace(cfg.model, vocab_size=data.vocab_size, max_len=cfg.data.block_size)
    model = CharLM(cfg.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.train.lr)
    sampler = RandomSampler(data, replacement=True, num_samples=cfg.train.steps * cfg.data.batch_size)
    for step, (x, y) in enumerate(DataLoader(data, sampler=sampler, batch_size=cfg.data.batch_size)):
        logits, loss = model(x, y)
        reveal_type(logits)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 2 == 0:
            print(step, loss.item(), asdict(cfg.model))
    model.eval()
    start = torch.tensor([[data.stoi["t"]]])
    out = model.generate(start, 5)
    reveal_type(out)
    print("".join(data.itos[i] for i in out[0].tolist()))


if __name__ == "__main__":
    main()
