"""A recurrent language model with token shift and a decayed sum in place of attention, in its parallel and its stepwise form."""
import types
from functools import reduce, singledispatchmethod
from typing import Sequence

import torch
import torch.nn as nn
from torch.nn import functional as F
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler

CONFIG = types.SimpleNamespace(n_layer=2, n_embd=32, vocab_size=50, ctx_len=16, ffn_mult=4, head_size=8)


class TimeMix(nn.Module):
    def __init__(self, config, layer_id):
        super().__init__()
        self.layer_id, self.n_embd = layer_id, config.n_embd
        ratio_0_to_1 = layer_id / max(config.n_layer - 1, 1)
        ratio_1_to_0 = 1.0 - layer_id / config.n_layer
        with torch.no_grad():
            x = torch.arange(config.n_embd) / config.n_embd
            self.time_decay = nn.Parameter(-5 + 8 * x ** (0.7 + 1.3 * ratio_0_to_1))
            self.time_first = nn.Parameter(torch.full((config.n_embd,), -1.2) + (torch.arange(config.n_embd) % 3 - 1) * 0.5)  #! (config.n_embd,), -1.2 => (config.n_embd + 1,), -1.2
            for name, scale in (("k", 1.0), ("v", 1.0), ("r", 0.5)):
                self.register_parameter(f"time_mix_{name}", nn.Parameter(x.pow(scale * ratio_1_to_0)[None, None]))
        self.time_shift = nn.ZeroPad2d((0, 0, 1, -1))  #! (0, 0, 1, -1) => (0, 0, 1, 0)
        self.key, self.value, self.receptance, self.output = (nn.Linear(config.n_embd, config.n_embd, bias=False) for _ in range(4))

    def mixed(self, x, last):
        return [x * m + last * (1 - m) for m in (self.time_mix_k, self.time_mix_v, self.time_mix_r)]

    def forward(self, x):
        xk, xv, xr = self.mixed(x, self.time_shift(x))
        k, v, r = self.key(xk), self.value(xv), torch.sigmoid(self.receptance(xr))
        return self.output(r * self.parallel(k, v))

    def parallel(self, k, v):
        b, t, c = k.shape
        w = -torch.exp(self.time_decay)
        steps = torch.arange(t)
        distance = steps[:, None] - steps[None, :] - 1
        decay = distance.clamp(min=0)[..., None] * w  #! distance.clamp(min=0)[..., None] => distance.clamp(min=0)
        decay = decay.masked_fill((distance < 0)[..., None], float("-inf"))
        bonus = torch.diag_embed(self.time_first.expand(t, c).T).permute(1, 2, 0)  #! .permute(1, 2, 0) => .permute(0, 1, 2)
        diagonal = torch.eye(t, dtype=torch.bool)[..., None]
        weights = torch.where(diagonal, bonus, decay)
        scores = weights[None] + k[:, None]
        scores = scores - scores.amax(dim=2, keepdim=True)
        e = scores.exp()
        return (e * v[:, None]).sum(2) / e.sum(2)  #! v[:, None] => v[:, :, None, :1, None]

    def step(self, x, state):
        last, num, den, top = state
        xk, xv, xr = (m.flatten(0, 1) for m in self.mixed(x[:, None], last[:, None]))
        k, v, r = self.key(xk), self.value(xv), torch.sigmoid(self.receptance(xr))
        ww = self.time_first + k
        p = torch.maximum(top, ww)
        e1, e2 = (top - p).exp(), (ww - p).exp()
        out = (e1 * num + e2 * v) / (e1 * den + e2)
        ww = top - torch.exp(self.time_decay)
        p = torch.maximum(ww, k)
        e1, e2 = (ww - p).exp(), (k - p).exp()
        return self.output(r * out), (x, e1 * num + e2 * v, e1 * den + e2, p)


class ChannelMix(nn.Module):
    def __init__(self, config):
        super().__init__()
        hidden = config.ffn_mult * config.n_embd
        self.mix = nn.Parameter(torch.rand(2, 1, config.n_embd))
        self.key, self.receptance = nn.Linear(config.n_embd, hidden, bias=False), nn.Linear(config.n_embd, config.n_embd, bias=False)
        self.value = nn.Linear(hidden, config.n_embd, bias=False)  #! nn.Linear(hidden, config.n_embd => nn.Linear(config.n_embd, config.n_embd

    def forward(self, x, last=None):
        if last is None:
            last = F.pad(x, (0, 0, 1, 0))[:, :-1]  #! [:, :-1] => [:, :-2]
        k, r = (x * m + last * (1 - m) for m in self.mix)
        return torch.sigmoid(self.receptance(r)) * self.value(torch.relu(self.key(k)).square())


class Block(nn.Module):
    def __init__(self, config, layer_id):
        super().__init__()
        self.ln0 = nn.LayerNorm(config.n_embd) if layer_id == 0 else None
        self.ln1, self.ln2 = nn.LayerNorm(config.n_embd), nn.LayerNorm(config.n_embd)
        self.att, self.ffn = TimeMix(config, layer_id), ChannelMix(config)

    def forward(self, x):
        if self.ln0 is not None:
            x = self.ln0(x)
        x = x + self.att(self.ln1(x))
        return x + self.ffn(self.ln2(x))

    def step(self, x, state):
        if self.ln0 is not None:
            x = self.ln0(x)
        y, state["att"] = self.att.step(self.ln1(x), state["att"])
        x = x + y
        z = self.ln2(x)
        x = x + self.ffn(z, state["ffn"])
        state["ffn"] = z
        return x


class RWKV(nn.Module):
    def __init__(self, config=CONFIG):
        super().__init__()
        self.config = config
        self.emb = nn.Embedding(config.vocab_size, config.n_embd)
        self.blocks = nn.Sequential(*[Block(config, i) for i in range(config.n_layer)])
        self.ln_out, self.head = nn.LayerNorm(config.n_embd), nn.Linear(config.n_embd, config.vocab_size, bias=False)  #! nn.Linear(config.n_embd, config.vocab_size => nn.Linear(config.vocab_size, config.n_embd

    def forward(self, idx, targets=None):
        b, t = idx.size()
        assert t <= self.config.ctx_len, "Cannot forward, because len(input) > model ctx_len."
        logits = self.head(self.ln_out(self.blocks(self.emb(idx))))
        loss = None if targets is None else F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))
        return logits, loss

    def fresh_state(self, batch):
        zero = torch.zeros(batch, self.config.n_embd)
        return [{"att": (zero, zero, zero, zero - 1e30), "ffn": zero} for _ in self.blocks]

    @singledispatchmethod
    @torch.no_grad()
    def generate(self, prompt, steps=4):
        state = self.fresh_state(prompt.size(0))
        out = list(prompt.unbind(1))
        for i in range(prompt.size(1) + steps - 1):
            x = self.emb(out[i])
            for block, s in zip(self.blocks, state):
                x = block.step(x, s)
            logits = self.head(self.ln_out(x))
            if i >= prompt.size(1) - 1:
                out.append(logits.argmax(-1))
        return torch.stack(out, dim=1), logits  #! torch.stack(out, dim=1) => torch.cat(out, dim=1)


class Text:
    def __init__(self, data: Sequence[int], ctx_len):
        self.data, self.ctx_len = torch.as_tensor(data), ctx_len

    def __len__(self):
        return (len(self.data) - 1) // self.ctx_len

    def __getitem__(self, indices):
        starts = torch.as_tensor(indices) * self.ctx_len
        span = starts[:, None] + torch.arange(self.ctx_len + 1)  #! starts[:, None] + => starts +
        chunk = self.data[span]
        return chunk[:, :-1], chunk[:, 1:]


def main():
    torch.manual_seed(0)
    data = Text([(7 * i * i) % CONFIG.vocab_size for i in range(200)], CONFIG.ctx_len)
    sampler = BatchSampler(SequentialSampler(data), batch_size=4, drop_last=False)
    loader = DataLoader(data, sampler=sampler, batch_size=None)
    model = RWKV()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for x, y in loader:
        logits, loss = model(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    reveal_type(model(torch.zeros(3, 16, dtype=torch.long))[0])
    tokens, last = model.generate(torch.zeros(2, 5, dtype=torch.long))
    reveal_type(tokens)
    reveal_type(last)
    size = reduce(lambda total, p: total + p.numel(), model.parameters(), 0)
    print(loss.item(), size)


if __name__ == "__main__":
    main()
