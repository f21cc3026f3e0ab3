"""Contrastive language-image training: tokenizer in a dictionary, text transformer with a causal mask, image tower, zero-shot prompts."""
import re
from collections import Counter, OrderedDict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms as T

CAPTIONS = ["a red square", "a small blue circle on grass", "green triangle", "a photo of a dog", "two cats sleeping", "an old car in the street"]


class Tokenizer:
    def __init__(self, texts, context=12):
        counts = Counter(w for t in texts for w in self.words(t))
        self.vocab = ["<pad>", "<sot>", "<eot>", "<unk>"] + sorted(counts)
        self.index = {w: i for i, w in enumerate(self.vocab)}
        self.context = context

    @staticmethod
    def words(text):
        return re.findall(r"\w+", text.lower())

    def __call__(self, texts):
        if isinstance(texts, str):
            texts = [texts]
        out = torch.zeros(len(texts), self.context, dtype=torch.long)
        for i, text in enumerate(texts):
            ids = [1] + [self.index.get(w, 3) for w in self.words(text)][: self.context - 2] + [2]
            out[i, : len(ids)] = torch.tensor(ids)
        return out


class Pairs(Dataset):
    def __init__(self, n=20, size=64):
        self.n = n
        self.tf = T.Compose([T.Resize(size, interpolation=T.InterpolationMode.BICUBIC), T.CenterCrop(size), lambda im: im.convert("RGB"), T.ToTensor(), T.Normalize((0.48,) * 3, (0.27,) * 3)])

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        im = Image.fromarray(np.full((80, 100, 4), i, dtype=np.uint8), mode="RGBA")
        return self.tf(im), CAPTIONS[i % len(CAPTIONS)]


class QuickGELU(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(1.702 * x)


class Residual(nn.Module):
    def __init__(self, d, heads, mask=None):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, heads)
        self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.mlp = nn.Sequential(OrderedDict([("c_fc", nn.Linear(d, d * 4)), ("gelu", QuickGELU()), ("c_proj", nn.Linear(d * 4, d))]))
        self.mask = mask

    def attention(self, x):
        mask = self.mask.to(dtype=x.dtype) if self.mask is not None else None
        return self.attn(x, x, x, need_weights=False, attn_mask=mask)[0]

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class CLIP(nn.Module):
    def __init__(self, vocab, context, embed=24, image=64, patch=16, v_width=32, t_width=40, layers=2):
        super().__init__()
        self.context = context
        self.conv1 = nn.Conv2d(3, v_width, patch, patch, bias=False)
        self.cls = nn.Parameter(v_width ** -0.5 * torch.randn(v_width))
        self.v_pos = nn.Parameter(torch.randn((image // patch) ** 2 + 1, v_width))
        self.visual = nn.Sequential(*[Residual(v_width, 4) for _ in range(layers)])
        self.v_proj = nn.Parameter(torch.randn(v_width, embed))
        self.token = nn.Embedding(vocab, t_width)
        self.t_pos = nn.Parameter(torch.empty(context, t_width))
        self.text = nn.Sequential(*[Residual(t_width, 4, self.build_mask()) for _ in range(layers)])
        self.ln_final = nn.LayerNorm(t_width)
        self.t_proj = nn.Parameter(torch.empty(t_width, embed))
        self.logit_scale = nn.Parameter(torch.ones([]) * np.log(1 / 0.07))
        for p in (self.t_pos, self.t_proj):
            nn.init.normal_(p, std=0.02)

    def build_mask(self):
        mask = torch.empty(self.context, self.context)
        mask.fill_(float("-inf"))
        mask.triu_(1)
        return mask

    def encode_image(self, image):
        x = self.conv1(image)
        x = x.reshape(x.shape[0], x.shape[1], -1).permute(0, 2, 1)
        cls = self.cls + torch.zeros(x.shape[0], 1, x.shape[-1])
        x = torch.cat([cls, x], dim=1) + self.v_pos
        x = self.visual(x.permute(1, 0, 2)).permute(1, 0, 2)
        return x[:, 0, :] @ self.v_proj

    def encode_text(self, text):
        x = self.token(text) + self.t_pos
        x = self.text(x.permute(1, 0, 2)).permute(1, 0, 2)  #! self.text(x.permute(1, 0, 2)) => self.text(x)
        x = self.ln_final(x)
        return x[torch.arange(x.shape[0]), (text == 2).int().argmax(dim=-1)] @ self.t_proj

    def forward(self, image, text):
        i, t = F.normalize(self.encode_image(image), dim=1), F.normalize(self.encode_text(text), dim=1)
        logits = self.logit_scale.exp() * i @ t.t()
        return logits, logits.t()


tokenizer = Tokenizer(CAPTIONS)
loader = DataLoader(Pairs(), batch_size=8, collate_fn=lambda b: (torch.stack([x for x, _ in b]), tokenizer([t for _, t in b])))
model = CLIP(len(tokenizer.vocab), tokenizer.context)
opt = torch.optim.Adam(model.parameters(), lr=5e-5, betas=(0.9, 0.98))
for images, texts in loader:
    per_image, per_text = model(images, texts)
    truth = torch.arange(len(images))
    loss = (F.cross_entropy(per_image, truth) + F.cross_entropy(per_text, truth)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.logit_scale.data.clamp_(0, 4.6)
reveal_type(images)
reveal_type(texts)
reveal_type(per_text)
model.eval()
with torch.no_grad():
    prompts = tokenizer([f"a photo of a {c}" for c in ("dog", "cat", "car")])
    reveal_type(prompts)
    weights = F.normalize(model.encode_text(prompts), dim=-1).t()
    feats = F.normalize(model.encode_image(torch.rand(5, 3, 64, 64)), dim=-1)  #! 64, 64 => 48, 48
    reveal_type(feats)
    probs = (100.0 * feats @ weights).softmax(dim=-1)  #! feats @ weights => weights @ feats
reveal_type(probs)
top = probs.topk(2, dim=-1).indices
reveal_type(top)
