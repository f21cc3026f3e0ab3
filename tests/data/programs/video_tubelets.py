"""A factorised video transformer with tubelet embedding; clips sampled from frames with NumPy; masked pre-training, then classification."""
import argparse
import dataclasses
import numpy as np
import torch
from torch import nn, Tensor
from torch.utils.data import Dataset, DataLoader
from einops import rearrange, repeat


@dataclasses.dataclass
class Args:
    frames: int = 8
    size: int = 32
    patch: int = 8
    tube: int = 2
    dim: int = 48
    heads: int = 4
    depth: int = 2
    classes: int = 5

    @property
    def tokens(self):
        return (self.frames // self.tube) * (self.size // self.patch) ** 2


class Clips(Dataset):
    """Moving squares; a clip has every second frame."""

    def __init__(self, args: Args, n=20):
        self.args, self.n = args, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng(i)
        a = self.args
        video = np.zeros((a.frames * 2 + 3, a.size, a.size, 3), dtype=np.uint8)
        label = i % a.classes
        for t in range(len(video)):
            y, x = (4 + t * (label + 1)) % (a.size - 6), (4 + t) % (a.size - 6)
            video[t, y:y + 6, x:x + 6] = rng.integers(50, 255, size=3)
        start = rng.integers(0, 3)
        clip = video[start:start + 2 * a.frames:2]  #! start + 2 * a.frames:2 => start + 2 * a.frames
        clip = clip.astype(np.float32) / 127.5 - 1
        return torch.from_numpy(clip.transpose(3, 0, 1, 2).copy()), label  #! clip.transpose(3, 0, 1, 2) => clip.transpose(0, 3, 1, 2)


class Block(nn.Module):
    def __init__(self, dim, heads, mlp=4):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(dim, dim * mlp), nn.GELU(), nn.Linear(dim * mlp, dim))  #! nn.Linear(dim * mlp, dim) => nn.Linear(dim, dim * mlp)

    def forward(self, x):
        y = self.n1(x)
        x = x + self.attn(y, y, y)[0]
        return x + self.mlp(self.n2(x))


class ViViT(nn.Module):
    def __init__(self, a: Args):
        super().__init__()
        self.a = a
        self.embed = nn.Conv3d(3, a.dim, (a.tube, a.patch, a.patch), stride=(a.tube, a.patch, a.patch))  #! nn.Conv3d(3, a.dim => nn.Conv3d(1, a.dim
        n = (a.size // a.patch) ** 2
        self.space_pos = nn.Parameter(torch.randn(1, 1, n, a.dim) * 0.02)
        self.time_pos = nn.Parameter(torch.randn(1, a.frames // a.tube, 1, a.dim) * 0.02)  #! a.frames // a.tube, 1, a.dim => a.frames, 1, a.dim
        self.cls = nn.Parameter(torch.zeros(1, 1, a.dim))
        self.spatial = nn.ModuleList([Block(a.dim, a.heads) for _ in range(a.depth)])
        self.temporal = nn.ModuleList([Block(a.dim, a.heads) for _ in range(a.depth)])
        self.head = nn.Linear(a.dim, a.classes)

    def tokens(self, x: Tensor) -> Tensor:
        x = self.embed(x)
        x = rearrange(x, "b d t h w -> b t (h w) d")
        return x + self.space_pos + self.time_pos

    def forward(self, x):
        x = self.tokens(x)
        b, t = x.shape[:2]
        x = rearrange(x, "b t n d -> (b t) n d")
        for block in self.spatial:
            x = block(x)
        x = rearrange(x.mean(dim=1), "(b t) d -> b t d", b=b)  #! x.mean(dim=1), "(b t) d => x, "(b t) d
        x = torch.cat([repeat(self.cls, "1 1 d -> b 1 d", b=b), x], dim=1)
        for block in self.temporal:
            x = block(x)
        return self.head(x[:, 0])


class Masked(nn.Module):
    def __init__(self, encoder: ViViT, ratio=0.75, dec=32):
        super().__init__()
        self.encoder, self.ratio = encoder, ratio
        a = encoder.a
        self.to_dec = nn.Linear(a.dim, dec)
        self.mask_token = nn.Parameter(torch.zeros(dec))
        self.pos = nn.Embedding(a.tokens, dec)  #! a.tokens, dec => a.tokens, a.dim
        self.decoder = Block(dec, 2)
        self.out = nn.Linear(dec, 3 * a.tube * a.patch ** 2)  #! 3 * a.tube * a.patch ** 2 => 3 * a.patch ** 2

    def forward(self, video):
        a = self.encoder.a
        target = rearrange(video, "b c (t k) (h p) (w q) -> b (t h w) (c k p q)", k=a.tube, p=a.patch, q=a.patch)
        x = self.encoder.tokens(video).flatten(1, 2)
        b, n, d = x.shape
        keep = int(n * (1 - self.ratio))
        order = torch.rand(b, n).argsort(dim=1)
        visible, masked = order[:, :keep], order[:, keep:]
        rows = torch.arange(b).unsqueeze(1)
        h = x[rows, visible]  #! x[rows, visible] => x[rows.T, visible]
        for block in self.encoder.spatial:
            h = block(h)
        h = self.to_dec(h) + self.pos(visible)
        m = self.mask_token + self.pos(masked)
        y = self.out(self.decoder(torch.cat([h, m], dim=1)))[:, keep:]
        return (y - target[rows, masked]).pow(2).mean(), y


def parse():
    parser = argparse.ArgumentParser()
    for f in dataclasses.fields(Args):
        parser.add_argument("--" + f.name, type=int, default=f.default)
    return Args(**vars(parser.parse_args([])))


args = parse()
data = Clips(args)
loader = DataLoader(data, batch_size=5, shuffle=True)
model = ViViT(args)
masked = Masked(model)
opt = torch.optim.AdamW(masked.parameters(), lr=1e-3)
for video, _ in loader:
    loss, y = masked(video)
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(video)
reveal_type(y)
opt = torch.optim.SGD(model.head.parameters(), lr=0.1)
for video, label in loader:
    out = model(video)
    loss = nn.functional.cross_entropy(out, label)
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(out)
reveal_type(model.tokens(video))
