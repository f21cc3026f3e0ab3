"""Speech enhancement with complex masks: STFT, a recurrent U-Net over frames, inverse STFT, SI-SNR, multi-resolution spectral loss."""
import math
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, cin, cout, k=(3, 5), s=(1, 2)):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, k, stride=s, padding=(k[0] // 2, k[1] // 2))
        self.norm = nn.BatchNorm2d(cout)  #! nn.BatchNorm2d(cout) => nn.BatchNorm2d(cin)

    def forward(self, x):
        return F.elu(self.norm(self.conv(x)))


class Decoder(nn.Module):
    def __init__(self, cin, cout, k=(3, 5), s=(1, 2), last=False):
        super().__init__()
        self.conv = nn.ConvTranspose2d(cin, cout, k, stride=s, padding=(k[0] // 2, k[1] // 2))
        self.norm = nn.Identity() if last else nn.BatchNorm2d(cout)
        self.act = nn.Tanh() if last else nn.ELU()

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class MaskNet(nn.Module):
    def __init__(self, n_fft=128, widths=(2, 16, 24, 32), rnn=64):
        super().__init__()
        self.n_fft, self.hop = n_fft, n_fft // 4
        self.register_buffer("window", torch.hann_window(n_fft))
        freq = n_fft // 2 + 1
        self.enc = nn.ModuleList([Encoder(a, b) for a, b in zip(widths, widths[1:])])
        for _ in self.enc:
            freq = (freq - 1) // 2 + 1
        self.freq = freq
        self.rnn = nn.LSTM(widths[-1] * freq, rnn, num_layers=2, batch_first=True)  #! widths[-1] * freq => widths[-1]
        self.back = nn.Linear(rnn, widths[-1] * freq)  #! rnn, widths[-1] * freq => 2 * rnn, widths[-1] * freq
        rev = widths[::-1]
        self.dec = nn.ModuleList([Decoder(2 * a, b, last=i == len(rev) - 2) for i, (a, b) in enumerate(zip(rev, rev[1:]))])  #! Decoder(2 * a, b => Decoder(a, b

    def stft(self, wave):
        return torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)

    def forward(self, wave):
        spec = self.stft(wave)
        x = torch.view_as_real(spec).permute(0, 3, 2, 1)  #! .permute(0, 3, 2, 1) => .permute(0, 1, 3, 2)
        skips = []
        for e in self.enc:
            x = e(x)
            skips.append(x)
        b, c, t, f = x.shape
        h = x.permute(0, 2, 1, 3).reshape(b, t, c * f)
        h, _ = self.rnn(h)
        x = self.back(h).view(b, t, c, f).transpose(1, 2)  #! .transpose(1, 2) => .transpose(2, 3)
        for d, skip in zip(self.dec, reversed(skips)):
            x = d(torch.cat([x, skip], dim=1))
        mask = torch.complex(x[:, 0], x[:, 1]).transpose(1, 2)
        enhanced = mask * spec  #! mask * spec => mask.transpose(1, 2) * spec
        return torch.istft(enhanced, self.n_fft, self.hop, window=self.window, length=wave.size(-1)), mask


def si_snr(est, ref, eps=1e-8):
    est, ref = est - est.mean(-1, keepdim=True), ref - ref.mean(-1, keepdim=True)
    dot = (est * ref).sum(-1, keepdim=True)
    proj = dot * ref / (ref.pow(2).sum(-1, keepdim=True) + eps)  #! ref.pow(2).sum(-1, keepdim=True) => ref.pow(2).sum(-1)
    noise = est - proj
    return 10 * torch.log10(proj.pow(2).sum(-1) / (noise.pow(2).sum(-1) + eps) + eps)


class MultiResolution(nn.Module):
    def __init__(self, sizes=(64, 128, 256)):
        super().__init__()
        self.sizes = sizes

    def forward(self, est, ref):
        total = 0.0
        for n in self.sizes:
            w = torch.hann_window(n)
            a, b = (torch.stft(s, n, n // 4, window=w, return_complex=True).abs() for s in (est, ref))
            total = total + (a - b).norm(p="fro") / b.norm(p="fro") + F.l1_loss(a.log1p(), b.log1p())
        return total / len(self.sizes)


def synthesise(n, length, rng):
    t = np.linspace(0, 1, length, endpoint=False)
    f = rng.uniform(50, 400, size=(n, 3, 1))
    clean = np.sin(2 * np.pi * f * t).mean(axis=1)  #! .mean(axis=1) => .mean(axis=2)
    noisy = clean + 0.3 * rng.standard_normal(clean.shape)
    return torch.tensor(clean, dtype=torch.float32), torch.tensor(noisy, dtype=torch.float32)


def overlap_add(model, wave, chunk=512, hop=256):
    """Enhances a long signal in overlapping chunks."""
    pad = (hop - (wave.size(-1) - chunk) % hop) % hop
    frames = F.pad(wave, (0, pad)).unfold(-1, chunk, hop)
    out, _ = model(frames)
    window = torch.hann_window(chunk)
    total = (len(frames) - 1) * hop + chunk
    y = torch.zeros(total)
    for i, frame in enumerate(out):
        y[i * hop:i * hop + chunk] += frame * window  #! frame * window => frame * window[:-1]
    return y[:wave.size(-1)], frames


rng = np.random.default_rng(3)
clean, noisy = synthesise(4, 1024, rng)
reveal_type(clean)
net, spectral = MaskNet(), MultiResolution()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(2):
    est, mask = net(noisy)
    loss = -si_snr(est, clean).mean() + spectral(est, clean)  #! si_snr(est, clean) => si_snr(est, clean[:, :-1])
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 5)
    opt.step()
reveal_type(mask)
reveal_type(est)
net.eval()
with torch.no_grad():
    long, frames = overlap_add(net, torch.randn(3000))
reveal_type(frames)
reveal_type(long)
