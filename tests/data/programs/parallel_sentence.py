"""Sentence embeddings: a trainer class with DataParallel, gradient accumulation, autocast, checkpoints on disk, resume, cosine warm-up."""
import os
import pathlib
import tempfile
import types
import typing
from contextlib import nullcontext
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset, DistributedSampler

hp = types.SimpleNamespace(vocab=120, dim=48, heads=4, depth=2, max_len=24, proj=32, batch=8, accumulate=2, lr=5e-4, warmup=3, epochs=1, amp=True, margin=0.2)


class Pairs(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(n)
        self.a = [torch.randint(3, hp.vocab, (int(torch.randint(4, hp.max_len, (1,), generator=g)),), generator=g) for _ in range(n)]

    def __len__(self):
        return len(self.a)

    def __getitem__(self, i):
        ids = self.a[i]
        noisy = ids[torch.rand(len(ids)) > 0.1]
        return ids, noisy if len(noisy) else ids[:1], float(i % 2)


class Tokenise:
    pad = 0

    def __init__(self, max_len):
        self.max_len = max_len

    def encode(self, rows):
        ids = torch.full((len(rows), self.max_len), self.pad)
        mask = torch.zeros(len(rows), self.max_len, dtype=torch.bool)
        for i, row in enumerate(rows):
            n = min(len(row), self.max_len - 1)
            ids[i, 0] = 1
            ids[i, 1:1 + n - 1] = row[:n - 1]
            mask[i, :n] = True
        return {"input_ids": ids, "attention_mask": mask}

    def __call__(self, batch):
        a, b, label = zip(*batch)
        return self.encode(a), self.encode(b), torch.tensor(label)


class Layer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))  #! nn.Linear(4 * d, d) => nn.Linear(2 * d, d)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x, mask):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)  #! .permute(2, 0, 3, 1, 4) => .permute(1, 0, 3, 2, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])  #! mask[:, None, None, :] => mask[:, :, None, :, None]
        x = x + self.o(y.transpose(1, 2).flatten(2))  #! .transpose(1, 2).flatten(2) => .flatten(2)
        return x + self.ff(self.n2(x))


class SentenceEncoder(nn.Module):
    def __init__(self, pooling="mean", use_checkpoint=False):
        super().__init__()
        self.tok, self.pos = nn.Embedding(hp.vocab, hp.dim, padding_idx=0), nn.Embedding(hp.max_len, hp.dim)  #! nn.Embedding(hp.max_len, hp.dim) => nn.Embedding(hp.dim, hp.max_len)
        self.layers = nn.ModuleList(Layer(hp.dim, hp.heads) for _ in range(hp.depth))
        self.project = nn.Linear(hp.dim * (2 if pooling == "both" else 1), hp.proj)  #! (2 if pooling == "both" else 1) => 2
        self.pooling, self.use_checkpoint = pooling, use_checkpoint

    def pool(self, h, mask):
        m = mask.unsqueeze(-1).to(h.dtype)  #! .unsqueeze(-1) => .unsqueeze(-2)
        mean = (h * m).sum(1) / m.sum(1).clamp(min=1e-9)
        if self.pooling == "mean":
            return mean
        if self.pooling == "cls":
            return h[:, 0]
        return torch.hstack([mean, h.masked_fill(~mask[..., None], -1e4).max(1).values])

    def forward(self, input_ids, attention_mask):
        x = self.tok(input_ids) + self.pos.weight[: input_ids.size(1)]
        for layer in self.layers:
            x = checkpoint(layer, x, attention_mask, use_reentrant=False) if self.use_checkpoint and self.training else layer(x, attention_mask)
        return F.normalize(self.project(self.pool(x, attention_mask)), dim=-1)


class Trainer:
    def __init__(self, model, train, folder: pathlib.Path):
        self.raw = model
        self.model = nn.DataParallel(model) if torch.cuda.device_count() != 1 else model
        self.loader = DataLoader(train, batch_size=hp.batch, shuffle=True, collate_fn=Tokenise(hp.max_len), drop_last=True)
        self.opt = torch.optim.AdamW(self.groups(0.01), lr=hp.lr)
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.opt, lambda s: min(1.0, (s + 1) / hp.warmup))
        self.scaler = torch.amp.GradScaler("cuda", enabled=False)
        self.folder, self.step = folder, 0

    def groups(self, decay):
        no = ("bias", "n1.weight", "n2.weight")
        named = list(self.raw.named_parameters())
        return [{"params": [p for n, p in named if not n.endswith(no)], "weight_decay": decay}, {"params": [p for n, p in named if n.endswith(no)], "weight_decay": 0.0}]

    def loss(self, a, b, label):
        scores = a @ b.T * 20.0  #! a @ b.T => a @ b
        target = torch.arange(len(scores))
        ranking = F.cross_entropy(scores, target)
        cosine = F.cosine_embedding_loss(a, b, label * 2 - 1, margin=hp.margin)  #! label * 2 - 1 => (label * 2 - 1).unsqueeze(1)
        return ranking + 0.1 * cosine

    def train_epoch(self):
        self.model.train()
        self.opt.zero_grad()
        for i, (a, b, label) in enumerate(self.loader):
            context = torch.autocast("cpu", dtype=torch.bfloat16) if hp.amp else nullcontext()
            with context:
                ea, eb = self.model(**a), self.model(**b)
            loss = self.loss(ea.float(), eb.float(), label) / hp.accumulate
            self.scaler.scale(loss).backward()
            if (i + 1) % hp.accumulate == 0:
                self.scaler.step(self.opt)
                self.scaler.update()
                self.opt.zero_grad(set_to_none=True)
                self.sched.step()
                self.step += 1
        return ea.detach()

    def save(self, name="last.pt"):
        torch.save({"model": self.raw.state_dict(), "opt": self.opt.state_dict(), "step": self.step, "hp": vars(hp)}, self.folder / name)

    def resume(self, name="last.pt"):
        if not (self.folder / name).exists():
            return False
        state = torch.load(self.folder / name, map_location="cpu", weights_only=False)
        self.raw.load_state_dict(state["model"])
        self.opt.load_state_dict(state["opt"])
        self.step = state["step"]
        return True


def search(model, corpus, queries, k=3):
    model.eval()
    tok = Tokenise(hp.max_len)
    with torch.inference_mode():
        index = torch.cat([model(**tok.encode(corpus[i:i + 8])) for i in range(0, len(corpus), 8)])
        q = model(**tok.encode(queries))
        reveal_type(index)
        return torch.topk(q @ index.T, k, dim=1, largest=True)  #! q @ index.T => index @ q.T.T.T


torch.manual_seed(0)
data = Pairs(40)
with tempfile.TemporaryDirectory() as tmp:
    for pooling in ("mean", "both"):
        trainer = Trainer(SentenceEncoder(pooling, use_checkpoint=pooling == "both"), data, pathlib.Path(tmp))
        out = trainer.train_epoch()
        trainer.save(f"{pooling}.pt")
        assert trainer.resume(f"{pooling}.pt")
    reveal_type(out)
scores, ids = search(trainer.raw, data.a, data.a[:5])
reveal_type(ids)
reveal_type(trainer.raw.project.weight)
