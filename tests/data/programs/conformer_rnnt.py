"""Conformer encoder, CTC branch, and a transducer's joint network with a hand-made RNN-T forward pass."""
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvSubsampling(nn.Module):
    def __init__(self, n_mels, dim):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, dim, 3, 2), nn.ReLU(), nn.Conv2d(dim, dim, 3, 2), nn.ReLU())
        self.linear = nn.Linear(dim * (((n_mels - 1) // 2 - 1) // 2), dim)  #! ((n_mels - 1) // 2 - 1) // 2 => n_mels // 4

    def forward(self, x, lengths):
        x = self.conv(x.unsqueeze(1))
        b, c, t, f = x.size()
        x = self.linear(x.transpose(1, 2).contiguous().view(b, t, c * f))
        lengths = ((lengths - 1) // 2 - 1) // 2
        return x, lengths


class FeedForward(nn.Module):
    def __init__(self, dim, mult=4, dropout=0.1):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim * mult), nn.SiLU(), nn.Dropout(dropout), nn.Linear(dim * mult, dim), nn.Dropout(dropout))

    def forward(self, x):
        return self.net(x)


class RelPosAttention(nn.Module):
    """Self-attention with Transformer-XL's relative positions."""

    def __init__(self, dim, heads):
        super().__init__()
        self.h, self.d = heads, dim // heads
        self.norm = nn.LayerNorm(dim)
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.pos = nn.Linear(dim, dim, bias=False)
        self.u = nn.Parameter(torch.randn(heads, self.d) * 0.02)  #! heads, self.d => self.d, heads
        self.w = nn.Parameter(torch.randn(heads, self.d) * 0.02)
        self.out = nn.Linear(dim, dim)

    @staticmethod
    def shift(x):
        b, h, t, p = x.size()
        x = F.pad(x, (1, 0)).view(b, h, p + 1, t)
        return x[:, :, 1:].view(b, h, t, p)[:, :, :, :p // 2 + 1]  #! p // 2 + 1 => p // 2

    def forward(self, x, pos, mask=None):
        b, t, _ = x.size()
        x = self.norm(x)
        q = self.q(x).view(b, t, self.h, self.d)
        k = self.k(x).view(b, t, self.h, self.d).permute(0, 2, 3, 1)
        v = self.v(x).view(b, t, self.h, self.d).transpose(1, 2)
        p = self.pos(pos).view(-1, self.h, self.d).permute(1, 2, 0)
        content = (q + self.u).transpose(1, 2) @ k
        position = self.shift((q + self.w).transpose(1, 2) @ p)
        score = (content + position) / self.d ** 0.5
        if mask is not None:
            score = score.masked_fill(mask[:, None, None], -1e4)  #! mask[:, None, None] => mask[:, None]
        y = score.softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, -1))


class ConvModule(nn.Module):
    def __init__(self, dim, kernel=7, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Conv1d(dim, 2 * dim, 1)  #! 2 * dim => dim
        self.depth = nn.Conv1d(dim, dim, kernel, padding=(kernel - 1) // 2, groups=dim)
        self.bn = nn.BatchNorm1d(dim)
        self.down = nn.Conv1d(dim, dim, 1)

    def forward(self, x):
        y = self.norm(x).transpose(1, 2)
        y = F.glu(self.up(y), dim=1)  #! dim=1 => dim=2
        return self.down(F.silu(self.bn(self.depth(y)))).transpose(1, 2)


class ConformerBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ff1, self.ff2 = FeedForward(dim), FeedForward(dim)
        self.attn, self.conv, self.norm = RelPosAttention(dim, heads), ConvModule(dim), nn.LayerNorm(dim)

    def forward(self, x, pos, mask):
        x = x + 0.5 * self.ff1(x)
        x = x + self.attn(x, pos, mask)
        x = x + self.conv(x)
        return self.norm(x + 0.5 * self.ff2(x))


class Encoder(nn.Module):
    def __init__(self, n_mels, dim, layers, heads):
        super().__init__()
        self.sub = ConvSubsampling(n_mels, dim)
        self.layers = nn.ModuleList([ConformerBlock(dim, heads) for _ in range(layers)])
        self.dim = dim

    def positions(self, t):
        pos = torch.arange(t - 1, -t, -1.0)
        inv = 1 / 10000 ** (torch.arange(0, self.dim, 2) / self.dim)
        s = torch.outer(pos, inv)
        return torch.cat([s.sin(), s.cos()], -1)

    def forward(self, x, lengths):
        x, lengths = self.sub(x, lengths)
        mask = torch.arange(x.size(1))[None] >= lengths[:, None]
        pos = self.positions(x.size(1))
        reveal_type(pos)
        for layer in self.layers:
            x = layer(x, pos, mask)
        return x, lengths


class Transducer(nn.Module):
    def __init__(self, n_mels=40, vocab=29, dim=48, layers=2, heads=4, joint=64):
        super().__init__()
        self.encoder = Encoder(n_mels, dim, layers, heads)
        self.embed = nn.Embedding(vocab, dim)
        self.predictor = nn.LSTM(dim, dim, batch_first=True)
        self.enc_proj, self.pred_proj = nn.Linear(dim, joint), nn.Linear(dim, joint)  #! nn.Linear(dim, joint), nn => nn.Linear(dim, joint + 2), nn
        self.joint = nn.Linear(joint, vocab)
        self.ctc = nn.Linear(dim, vocab)

    def forward(self, x, x_len, y):
        enc, enc_len = self.encoder(x, x_len)
        y_in = F.pad(y, (1, 0))
        pred, _ = self.predictor(self.embed(y_in))
        joint = torch.tanh(self.enc_proj(enc).unsqueeze(2) + self.pred_proj(pred).unsqueeze(1))  #! .unsqueeze(2) + => +
        return self.joint(joint).log_softmax(-1), self.ctc(enc).log_softmax(-1), enc_len


def rnnt_loss(logp, y, t_len, u_len, blank=0):
    b, t_max, u_max, _ = logp.shape
    blank_p = logp[..., blank]
    label_p = logp[:, :, :-1].gather(-1, y[:, None, :, None].expand(-1, t_max, -1, 1)).squeeze(-1)  #! y[:, None, :, None] => y[:, :, None, None]
    alpha = torch.full((b, t_max, u_max), -1e9)
    rows = []
    for t in range(t_max):
        row = []
        for u in range(u_max):
            if t == 0 and u == 0:
                a = logp.new_zeros(b)
            else:
                options = []
                if t > 0:
                    options.append(rows[t - 1][u] + blank_p[:, t - 1, u])
                if u > 0:
                    options.append(row[u - 1] + label_p[:, t, u - 1])
                a = torch.logsumexp(torch.stack(options), 0)
            row.append(a)
        rows.append(row)
    alpha = torch.stack([torch.stack(r, 1) for r in rows], 1)
    reveal_type(alpha)
    i = torch.arange(b)
    return -(alpha[i, t_len - 1, u_len] + blank_p[i, t_len - 1, u_len]).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n-mels", type=int, default=40)
    parser.add_argument("--dim", type=int, default=48)
    parser.add_argument("--ctc-weight", type=float, default=0.3)
    args = parser.parse_args()
    model = Transducer(n_mels=args.n_mels, dim=args.dim)
    x, x_len = torch.randn(3, 90, args.n_mels), torch.tensor([90, 71, 55])
    y, y_len = torch.randint(1, 29, (3, 6)), torch.tensor([6, 5, 3])
    logp, ctc, enc_len = model(x, x_len, y)
    reveal_type(logp)
    loss = rnnt_loss(logp, y, enc_len, y_len)
    loss = loss + args.ctc_weight * F.ctc_loss(ctc.transpose(0, 1), y, enc_len, y_len)  #! ctc.transpose(0, 1) => ctc
    loss.backward()


if __name__ == "__main__":
    main()
