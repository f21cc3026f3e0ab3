"""Handwriting synthesis with a mixture density output and a soft window over characters."""
import math

import torch
import torch.nn as nn

CHARS = " abcdefghijklmnopqrstuvwxyz"
EPS = 1e-6


def one_hot(text, length):
    out = torch.zeros(length, len(CHARS))
    for i, c in enumerate(text[:length]):
        out[i, CHARS.index(c)] = 1.0
    return out


class SoftWindow(nn.Module):
    def __init__(self, hidden, n_mix):
        super().__init__()
        self.n_mix = n_mix
        self.params = nn.Linear(hidden, 3 * n_mix)

    def forward(self, h, kappa_prev, chars):
        batch, u_max, _ = chars.shape
        alpha, beta, kappa = self.params(h).exp().unsqueeze(-1).chunk(3, dim=1)  #! chunk(3, dim=1) => chunk(3, dim=2)
        kappa = kappa_prev + kappa
        u = torch.arange(u_max, dtype=torch.float).view(1, 1, -1)
        phi = (alpha * torch.exp(-beta * (kappa - u) ** 2)).sum(dim=1, keepdim=True)
        window = torch.bmm(phi, chars).squeeze(1)  #! torch.bmm(phi, chars) => torch.bmm(chars, phi)
        return window, kappa, phi.squeeze(1)


class Synthesis(nn.Module):
    def __init__(self, hidden=48, n_window=5, n_mixtures=4):
        super().__init__()
        n_chars = len(CHARS)
        self.hidden, self.n_mixtures, self.n_window = hidden, n_mixtures, n_window
        self.lstm1 = nn.LSTMCell(3 + n_chars, hidden)  #! 3 + n_chars => 3
        self.window = SoftWindow(hidden, n_window)
        self.lstm2 = nn.LSTM(3 + n_chars + hidden, hidden, batch_first=True)
        self.lstm3 = nn.LSTM(3 + n_chars + hidden, hidden, batch_first=True)  #! batch_first=True) => batch_first=True, bidirectional=True)
        self.head = nn.Linear(3 * hidden, 6 * n_mixtures + 1)

    def init_state(self, batch):
        zeros = lambda *s: torch.zeros(*s, self.hidden)
        return (zeros(batch), zeros(batch)), torch.zeros(batch, self.n_window, 1), torch.zeros(batch, len(CHARS)), (zeros(1, batch), zeros(1, batch)), (zeros(1, batch), zeros(1, batch))

    def forward(self, strokes, chars, state=None):
        state1, kappa, w, state2, state3 = state if state is not None else self.init_state(strokes.size(0))
        h1s, windows = [], []
        for t in range(strokes.size(1)):
            state1 = self.lstm1(torch.cat([strokes[:, t], w], dim=1), state1)
            w, kappa, phi = self.window(state1[0], kappa, chars)
            h1s.append(state1[0])
            windows.append(w)
        h1, windows = torch.stack(h1s, dim=1), torch.stack(windows, dim=1)  #! torch.stack(windows, dim=1) => torch.stack(windows, dim=0)
        h2, state2 = self.lstm2(torch.cat([strokes, windows, h1], dim=-1), state2)
        h3, state3 = self.lstm3(torch.cat([strokes, windows, h2], dim=-1), state3)
        out = self.head(torch.cat([h1, h2, h3], dim=-1))
        reveal_type(out)
        return self.split(out), (state1, kappa, w, state2, state3)

    def split(self, out):
        k = self.n_mixtures
        pi, mu, log_sigma, rho, end = torch.split(out, [k, 2 * k, 2 * k, k, 1], dim=-1)  #! [k, 2 * k, 2 * k, k, 1] => [k, 2 * k, 2 * k, 2 * k, 1]
        mu = mu.reshape(*mu.shape[:-1], k, 2)
        sigma = log_sigma.exp().reshape(*log_sigma.shape[:-1], k, 2)
        return pi.log_softmax(-1), mu, sigma, torch.tanh(rho), end.squeeze(-1)


def mdn_loss(params, target, mask):
    log_pi, mu, sigma, rho, end_logit = params
    xy, end = target[..., :2].unsqueeze(-2), target[..., 2]  #! .unsqueeze(-2) => .unsqueeze(-1)
    z = (xy - mu) / (sigma + EPS)
    zx, zy = z.unbind(-1)
    Z = zx ** 2 + zy ** 2 - 2 * rho * zx * zy
    one_minus = 1 - rho ** 2 + EPS
    log_n = -Z / (2 * one_minus) - math.log(2 * math.pi) - sigma.log().sum(-1) - 0.5 * one_minus.log()
    nll = -torch.logsumexp(log_pi + log_n, dim=-1)
    reveal_type(nll)
    bce = nn.functional.binary_cross_entropy_with_logits(end_logit, end, reduction="none")  #! end_logit, end => end_logit.unsqueeze(-1), end
    return ((nll + bce) * mask).sum() / mask.sum()


@torch.no_grad()
def sample(model, text, steps=6):
    chars = one_hot(text, len(text)).unsqueeze(0)  #! .unsqueeze(0) => .unsqueeze(1)
    stroke, state, strokes = torch.zeros(1, 1, 3), None, []
    for _ in range(steps):
        (log_pi, mu, sigma, rho, end), state = model(stroke, chars, state)
        k = torch.distributions.Categorical(logits=log_pi[0, 0]).sample()
        m, s, r = mu[0, 0, k], sigma[0, 0, k], rho[0, 0, k]
        cov = torch.stack([torch.stack([s[0] ** 2, r * s[0] * s[1]]), torch.stack([r * s[0] * s[1], s[1] ** 2])])
        xy = torch.distributions.MultivariateNormal(m, covariance_matrix=cov + 1e-4 * torch.eye(2)).sample()
        e = torch.bernoulli(torch.sigmoid(end[0, 0]))
        stroke = torch.cat([xy, e.view(1)]).view(1, 1, 3)
        strokes.append(stroke)
    return torch.cat(strokes, dim=1).squeeze(0)


model = Synthesis()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-4, alpha=0.95, centered=True)
texts = ["hello", "deep nets", "pen"]
longest = max(map(len, texts))
chars = torch.stack([one_hot(t, longest) for t in texts])
reveal_type(chars)
data = torch.randn(3, 12, 3)
data[..., 2] = (data[..., 2] > 1).float()
lengths = torch.tensor([11, 9, 7])
mask = (torch.arange(11)[None, :] < lengths[:, None]).float()  #! lengths[:, None] => lengths
for step in range(2):
    params, _ = model(data[:, :-1], chars)
    loss = mdn_loss(params, data[:, 1:], mask)
    optimizer.zero_grad()
    loss.backward()
    for name, p in model.named_parameters():
        if "lstm" in name:
            p.grad.clamp_(-10, 10)
    optimizer.step()
reveal_type(sample(model, "abc"))
