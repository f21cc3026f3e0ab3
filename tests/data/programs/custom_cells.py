"""Recurrent cells of one's own: layer-normalised, zoneout, bidirectional stacks, projections, pointer networks, external memory."""
import math
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNormLSTMCell(nn.LSTMCell):
    def __init__(self, input_size, hidden_size, bias=True):
        super().__init__(input_size, hidden_size, bias)
        self.ln_ih, self.ln_hh, self.ln_ho = nn.LayerNorm(4 * hidden_size), nn.LayerNorm(4 * hidden_size), nn.LayerNorm(hidden_size)  #! nn.LayerNorm(4 * hidden_size), nn.LayerNorm(hidden_size) => nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)

    def forward(self, input, hidden=None):
        if hidden is None:
            hx = input.new_zeros(input.size(0), self.hidden_size, requires_grad=False)
            cx = input.new_zeros(input.size(0), self.hidden_size, requires_grad=False)
        else:
            hx, cx = hidden
        gates = self.ln_ih(F.linear(input, self.weight_ih, self.bias_ih)) + self.ln_hh(F.linear(hx, self.weight_hh, self.bias_hh))
        i, f, o = gates[:, : 3 * self.hidden_size].sigmoid().chunk(3, 1)
        g = gates[:, 3 * self.hidden_size :].tanh()
        cy = (f * cx) + (i * g)
        return o * self.ln_ho(cy).tanh(), cy


class Zoneout(nn.Module):
    def __init__(self, cell, p=0.1):
        super().__init__()
        self.cell, self.p = cell, p
        self.hidden_size = cell.hidden_size

    def _zone(self, new, old):
        if isinstance(new, tuple):
            return tuple(self._zone(n, o) for n, o in zip(new, old))
        if self.training:
            mask = torch.bernoulli(torch.full_like(old, self.p))
            return mask * old + (1 - mask) * new
        return self.p * old + (1 - self.p) * new

    def forward(self, x, state):
        return self._zone(self.cell(x, state), state)


class BiStack(nn.Module):
    def __init__(self, make, inp, hidden, layers):
        super().__init__()
        self.forwards = nn.ModuleList(make(inp if i == 0 else 2 * hidden, hidden) for i in range(layers))
        self.backwards = nn.ModuleList(make(inp if i == 0 else 2 * hidden, hidden) for i in range(layers))  #! inp if i == 0 else 2 * hidden => inp if i == 0 else hidden
        self.hidden = hidden

    def run(self, cell, xs):
        state = (xs.new_zeros(xs.size(1), self.hidden), xs.new_zeros(xs.size(1), self.hidden))
        outs = []
        for x in xs:
            state = cell(x, state)
            outs.append(state[0])
        return torch.stack(outs)

    def forward(self, xs):
        for f, b in zip(self.forwards, self.backwards):
            xs = torch.cat([self.run(f, xs), self.run(b, xs.flip(0)).flip(0)], dim=-1)
        return xs


class Memory(nn.Module):
    """Content-based reading and writing."""

    def __init__(self, slots, width, control):
        super().__init__()
        self.register_buffer("bias", torch.randn(slots, width) / math.sqrt(slots + width))
        self.slots, self.width = slots, width
        self.key, self.beta, self.erase, self.add = nn.Linear(control, width), nn.Linear(control, 1), nn.Linear(control, width), nn.Linear(control, width)

    def initial(self, batch):
        return self.bias.repeat(batch, 1, 1)

    def forward(self, memory, control):
        k, beta = torch.tanh(self.key(control)), F.softplus(self.beta(control))
        w = F.softmax(beta * F.cosine_similarity(memory + 1e-16, k.unsqueeze(1) + 1e-16, dim=-1), dim=1)
        erase = torch.matmul(w.unsqueeze(-1), torch.sigmoid(self.erase(control)).unsqueeze(1))  #! .unsqueeze(-1), torch => .unsqueeze(1), torch
        memory = memory * (1 - erase) + torch.matmul(w.unsqueeze(-1), self.add(control).unsqueeze(1))
        return torch.matmul(w.unsqueeze(1), memory).squeeze(1), memory


class Controller(nn.Module):
    def __init__(self, inp, hidden, slots=12, width=9, out=4):
        super().__init__()
        self.memory = Memory(slots, width, hidden)
        self.rnn = Zoneout(nn.LSTMCell(inp + width, hidden))
        self.out = nn.Linear(hidden + width, out)
        self.h0, self.c0 = nn.Parameter(torch.zeros(hidden)), nn.Parameter(torch.zeros(hidden))

    def forward(self, xs):
        batch = xs.size(1)
        state = (self.h0.expand(batch, -1).clone(), self.c0.expand(batch, -1).clone())
        memory, read = self.memory.initial(batch), xs.new_zeros(batch, self.memory.width)
        outs: List[torch.Tensor] = []
        for x in xs.unbind(0):
            state = self.rnn(torch.cat([x, read], dim=1), state)
            read, memory = self.memory(memory, state[0])
            outs += [self.out(torch.cat([state[0], read], dim=1))]
        return torch.stack(outs), memory


class PointerNet(nn.Module):
    def __init__(self, inp=2, hidden=16):
        super().__init__()
        self.enc = nn.LSTM(inp, hidden, batch_first=True)
        self.dec = nn.LSTMCell(inp, hidden)
        self.w1, self.w2, self.v = nn.Linear(hidden, hidden, bias=False), nn.Linear(hidden, hidden, bias=False), nn.Parameter(torch.rand(hidden))
        self.start = nn.Parameter(torch.zeros(inp))

    def forward(self, points):
        b, n, _ = points.shape
        memory, (h, c) = self.enc(points)
        state = (h[-1], c[-1])
        x, mask = self.start.expand(b, -1), torch.zeros(b, n, dtype=torch.bool)
        log_ps, tours = [], []
        for _ in range(n):
            state = self.dec(x, state)
            u = torch.tanh(self.w1(memory) + self.w2(state[0])[:, None]) @ self.v  #! [:, None]) @ self.v => ) @ self.v
            log_p = u.masked_fill(mask, -1e9).log_softmax(-1)
            choice = log_p.argmax(-1)
            mask = mask.scatter(1, choice[:, None], True)
            x = points[torch.arange(b), choice]  #! points[torch.arange(b), choice] => points[:, choice]
            log_ps.append(log_p)
            tours.append(choice)
        return torch.stack(log_ps, 1), torch.stack(tours, 1)


if __name__ == "__main__":
    torch.manual_seed(0)
    stack = BiStack(LayerNormLSTMCell, 5, 7, 2)
    reveal_type(stack(torch.randn(9, 3, 5)))
    out, memory = Controller(4, 20)(torch.randn(6, 2, 4))
    reveal_type(out)
    reveal_type(memory)
    log_p, tour = PointerNet()(torch.rand(4, 8, 2))
    reveal_type(log_p)
    length = (torch.rand(4, 8, 2).gather(1, tour[..., None].expand(-1, -1, 2)).diff(dim=1).norm(dim=-1)).sum(1)
    reveal_type(length)
    projected = nn.LSTM(5, 12, num_layers=2, proj_size=6, bidirectional=True, batch_first=True)
    y, (h, c) = projected(torch.randn(3, 11, 5))
    reveal_type(y)
    reveal_type(h)
    reveal_type(c)
    gru = nn.GRU(5, 8, num_layers=3)
    y, h = gru(torch.randn(10, 5), torch.zeros(3, 8))  #! torch.zeros(3, 8) => torch.zeros(3, 1, 8)
    reveal_type(y)
    flat = torch.cat([p.reshape(-1) for p in gru.parameters()])
    reveal_type(flat)
    rnn = nn.RNN(4, 6, nonlinearity="relu", bidirectional=True)
    last = rnn(torch.randn(7, 2, 4))[1].transpose(0, 1).reshape(2, -1)
    reveal_type(last)
