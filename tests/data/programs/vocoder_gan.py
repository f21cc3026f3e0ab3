"""A vocoder: mel spectra by hand, transposed convolutions with weight norm, several discriminators, a loss on spectra."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import remove_weight_norm, spectral_norm, weight_norm

LRELU_SLOPE = 0.1


class AttrDict(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self


def get_padding(kernel_size, dilation=1):
    return int((kernel_size * dilation - dilation) / 2)


def mel_filters(sr, n_fft, n_mels, fmin=0.0, fmax=None):
    fmax = fmax or sr / 2
    to_mel = lambda f: 2595.0 * np.log10(1.0 + f / 700.0)
    to_hz = lambda m: 700.0 * (10.0 ** (m / 2595.0) - 1.0)
    points = to_hz(np.linspace(to_mel(fmin), to_mel(fmax), n_mels + 2))
    freqs = np.linspace(0, sr / 2, 1 + n_fft // 2)  #! 1 + n_fft // 2 => n_fft // 2
    ramps = points[:, None] - freqs[None, :]
    widths = np.diff(points)
    lower = -ramps[:-2] / widths[:-1, None]
    upper = ramps[2:] / widths[1:, None]
    return np.maximum(0, np.minimum(lower, upper)).astype(np.float32)


class MelSpectrogram(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.h = h
        self.register_buffer("window", torch.hann_window(h.win_size))
        self.register_buffer("basis", torch.from_numpy(mel_filters(h.sampling_rate, h.n_fft, h.num_mels)))

    def forward(self, y):
        pad = (self.h.n_fft - self.h.hop_size) // 2
        y = F.pad(y.unsqueeze(1), (pad, pad), mode="reflect").squeeze(1)
        spec = torch.stft(y, self.h.n_fft, hop_length=self.h.hop_size, win_length=self.h.win_size, window=self.window, center=False, return_complex=True)
        spec = torch.sqrt(spec.real.pow(2) + spec.imag.pow(2) + 1e-9)
        return torch.log(torch.clamp(torch.matmul(self.basis, spec), min=1e-5))


class ResBlock(nn.Module):
    def __init__(self, channels, kernel_size=3, dilation=(1, 3, 5)):
        super().__init__()
        self.convs1 = nn.ModuleList([weight_norm(nn.Conv1d(channels, channels, kernel_size, 1, dilation=d, padding=get_padding(kernel_size, d))) for d in dilation])  #! get_padding(kernel_size, d) => get_padding(kernel_size)
        self.convs2 = nn.ModuleList([weight_norm(nn.Conv1d(channels, channels, kernel_size, 1, padding=get_padding(kernel_size, 1))) for _ in dilation])

    def forward(self, x):
        for c1, c2 in zip(self.convs1, self.convs2):
            xt = c1(F.leaky_relu(x, LRELU_SLOPE))
            xt = c2(F.leaky_relu(xt, LRELU_SLOPE))
            x = xt + x
        return x

    def remove_weight_norm(self):
        for layer in [*self.convs1, *self.convs2]:
            remove_weight_norm(layer)


class Generator(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.num_kernels, self.num_upsamples = len(h.resblock_kernel_sizes), len(h.upsample_rates)
        self.conv_pre = weight_norm(nn.Conv1d(h.num_mels, h.channels, 7, 1, padding=3))
        self.ups = nn.ModuleList()
        for i, (u, k) in enumerate(zip(h.upsample_rates, h.upsample_kernel_sizes)):
            self.ups.append(weight_norm(nn.ConvTranspose1d(h.channels // (2**i), h.channels // (2 ** (i + 1)), k, u, padding=(k - u) // 2)))
        self.resblocks = nn.ModuleList()
        for i in range(len(self.ups)):
            ch = h.channels // (2 ** (i + 1))
            for k, d in zip(h.resblock_kernel_sizes, h.resblock_dilation_sizes):
                self.resblocks.append(ResBlock(ch, k, d))
        self.conv_post = weight_norm(nn.Conv1d(ch, 1, 7, 1, padding=3))  #! (nn.Conv1d(ch, 1, => (nn.Conv1d(2 * ch, 1,

    def forward(self, x):
        x = self.conv_pre(x)
        for i in range(self.num_upsamples):
            x = self.ups[i](F.leaky_relu(x, LRELU_SLOPE))
            xs = None
            for j in range(self.num_kernels):
                if xs is None:
                    xs = self.resblocks[i * self.num_kernels + j](x)
                else:
                    xs += self.resblocks[i * self.num_kernels + j](x)  #! [i * self.num_kernels + j] => [i + j * self.num_kernels]
            x = xs / self.num_kernels
        return torch.tanh(self.conv_post(F.leaky_relu(x)))

    def remove_weight_norm(self):
        for l in self.ups:
            remove_weight_norm(l)
        for l in self.resblocks:
            l.remove_weight_norm()


class DiscriminatorP(nn.Module):
    def __init__(self, period, kernel_size=5, stride=3, use_spectral_norm=False):
        super().__init__()
        self.period = period
        norm_f = weight_norm if not use_spectral_norm else spectral_norm
        pad = (get_padding(5, 1), 0)
        self.convs = nn.ModuleList([norm_f(nn.Conv2d(i, o, (kernel_size, 1), (stride, 1), padding=pad)) for i, o in [(1, 8), (8, 16), (16, 32)]])
        self.conv_post = norm_f(nn.Conv2d(32, 1, (3, 1), 1, padding=(1, 0)))

    def forward(self, x):
        fmap = []
        b, c, t = x.shape
        if t % self.period != 0:
            n_pad = self.period - (t % self.period)
            x = F.pad(x, (0, n_pad), "reflect")
            t = t + n_pad  #! t = t + n_pad => pass
        x = x.view(b, c, t // self.period, self.period)
        for l in self.convs:
            x = F.leaky_relu(l(x), LRELU_SLOPE)
            fmap.append(x)
        x = self.conv_post(x)
        fmap.append(x)
        return torch.flatten(x, 1, -1), fmap


class MultiPeriodDiscriminator(nn.Module):
    def __init__(self, periods=(2, 3, 5)):
        super().__init__()
        self.discriminators = nn.ModuleList([DiscriminatorP(p) for p in periods])

    def forward(self, y, y_hat):
        rs, gs, fr, fg = [], [], [], []
        for d in self.discriminators:
            y_d_r, fmap_r = d(y)
            y_d_g, fmap_g = d(y_hat)
            rs.append(y_d_r), fr.append(fmap_r), gs.append(y_d_g), fg.append(fmap_g)
        return rs, gs, fr, fg


def feature_loss(fmap_r, fmap_g):
    loss = 0
    for dr, dg in zip(fmap_r, fmap_g):
        for rl, gl in zip(dr, dg):
            loss += torch.mean(torch.abs(rl - gl))
    return loss * 2


def stft_loss(x, y, sizes=((256, 64), (128, 32))):
    total = 0.0
    for n_fft, hop in sizes:
        a, b = (torch.view_as_real(torch.stft(s.squeeze(1), n_fft, hop, return_complex=True)).norm(dim=-1) for s in (x, y))
        total = total + torch.norm(a - b, p="fro") / torch.norm(b, p="fro") + F.l1_loss(a.clamp(min=1e-7).log(), b.clamp(min=1e-7).log())
    return total


if __name__ == "__main__":
    h = AttrDict(num_mels=20, channels=32, upsample_rates=[8, 4, 2], upsample_kernel_sizes=[16, 8, 4], resblock_kernel_sizes=[3, 7],
                 resblock_dilation_sizes=[[1, 3, 5], [1, 3, 5]], n_fft=256, hop_size=64, win_size=256, sampling_rate=8000)  #! hop_size=64 => hop_size=32
    mel, generator, mpd = MelSpectrogram(h), Generator(h), MultiPeriodDiscriminator()
    y = torch.randn(2, 1, 2048)
    x = mel(y.squeeze(1))
    reveal_type(x)
    y_hat = generator(x)
    reveal_type(y_hat)
    rs, gs, fr, fg = mpd(y, y_hat.detach())
    loss_d = sum(torch.mean((1 - r) ** 2) + torch.mean(g**2) for r, g in zip(rs, gs))
    loss_d.backward()
    rs, gs, fr, fg = mpd(y, y_hat)
    loss = feature_loss(fr, fg) + F.l1_loss(mel(y_hat.squeeze(1)), x) * 45 + stft_loss(y_hat, y)
    loss.backward()
    reveal_type(rs[1])
    reveal_type(fr[-1][0])
    generator.remove_weight_norm()
    generator.eval()
    with torch.no_grad():
        reveal_type(generator(torch.randn(1, h.num_mels, 11)))
