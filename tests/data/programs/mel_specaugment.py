"""Sound classification: framing and mel filters in NumPy, torch.stft as a layer, SpecAugment, mixup and an attention-pooled CRNN."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader, WeightedRandomSampler

SR, N_FFT, HOP, N_MELS = 8000, 256, 80, 32


def hz_to_mel(f):
    return 2595.0 * np.log10(1.0 + np.asarray(f) / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (np.asarray(m) / 2595.0) - 1.0)


def mel_filterbank(sr, n_fft, n_mels):
    fft_freqs = np.linspace(0, sr / 2, 1 + n_fft // 2)
    mel_f = mel_to_hz(np.linspace(hz_to_mel(0), hz_to_mel(sr / 2), n_mels + 2))
    fdiff = np.diff(mel_f)
    ramps = np.subtract.outer(mel_f, fft_freqs)
    lower = -ramps[:-2] / fdiff[:-1, None]  #! fdiff[:-1, None] => fdiff[:, None]
    upper = ramps[2:] / fdiff[1:, None]
    weights = np.maximum(0, np.minimum(lower, upper))
    enorm = 2.0 / (mel_f[2:] - mel_f[:-2])
    return (weights * enorm[:, np.newaxis]).astype(np.float32)  #! enorm[:, np.newaxis] => enorm


def frame_numpy(y, frame_length, hop):
    n = 1 + (len(y) - frame_length) // hop
    idx = np.arange(frame_length)[None, :] + hop * np.arange(n)[:, None]
    return y[idx]


class LogMel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(N_FFT), persistent=False)
        self.register_buffer("fb", torch.from_numpy(mel_filterbank(SR, N_FFT, N_MELS)))

    def forward(self, wave):
        spec = torch.stft(wave, N_FFT, hop_length=HOP, window=self.window, center=True, pad_mode="reflect", return_complex=True)  #! window=self.window => window=self.window[:-1].repeat(2)
        power = spec.abs() ** 2
        mel = torch.matmul(self.fb, power)  #! self.fb, power => power, self.fb
        logmel = torch.log(mel.clamp(min=1e-6))
        return (logmel - logmel.mean(dim=(1, 2), keepdim=True)) / (logmel.std(dim=(1, 2), keepdim=True) + 1e-5)  #! logmel.mean(dim=(1, 2), keepdim=True) => logmel.mean(dim=(1, 2))


class SpecAugment(nn.Module):
    def __init__(self, F_=6, T=15, n=2):
        super().__init__()
        self.F, self.T, self.n = F_, T, n

    def forward(self, x):
        if not self.training:
            return x
        x = x.clone()
        for _ in range(self.n):
            f = int(np.random.uniform(0, self.F))
            f0 = np.random.randint(0, x.shape[1] - f)
            x[:, f0:f0 + f, :] = 0
            t = torch.randint(0, self.T, (x.size(0), 1, 1))
            t0 = (torch.rand(x.size(0), 1, 1) * (x.size(2) - t)).long()
            steps = torch.arange(x.size(2)).view(1, 1, -1)
            x = x.masked_fill((steps >= t0) & (steps < t0 + t), 0.0)  #! (steps < t0 + t) => (steps.view(-1, 1) < t0 + t)
        return x


class CRNN(nn.Module):
    def __init__(self, n_classes, channels=(16, 32, 48), hidden=40):
        super().__init__()
        layers, c = [], 1
        for o in channels:
            layers.extend([nn.Conv2d(c, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d((2, 1) if o == channels[-1] else (2, 2))])
            c = o
        self.conv = nn.Sequential(*layers)
        self.gru = nn.GRU(c * (N_MELS // 2 ** len(channels)), hidden, num_layers=2, batch_first=True, bidirectional=True)  #! N_MELS // 2 ** len(channels) => N_MELS // 2 ** (len(channels) - 1)
        self.att = nn.Linear(2 * hidden, n_classes)
        self.cla = nn.Linear(2 * hidden, n_classes)  #! 2 * hidden, n_classes => hidden, n_classes

    def forward(self, x):
        x = self.conv(x.unsqueeze(1))
        b, c, f, t = x.shape
        x = x.permute(0, 3, 1, 2).reshape(b, t, c * f)
        x, _ = self.gru(x)
        att = torch.softmax(self.att(x), dim=1)
        cla = torch.sigmoid(self.cla(x))
        return (att * cla).sum(dim=1).clamp(0, 1), cla


class Model(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.frontend, self.augment, self.net = LogMel(), SpecAugment(), CRNN(n_classes)

    def forward(self, wave):
        return self.net(self.augment(self.frontend(wave)))


def mixup(x, y, alpha=0.4):
    lam = np.random.beta(alpha, alpha, size=len(x)).astype(np.float32)
    lam = torch.from_numpy(np.maximum(lam, 1 - lam)).unsqueeze(1)  #! .unsqueeze(1) => .unsqueeze(0)
    perm = torch.randperm(x.size(0))
    return lam * x + (1 - lam) * x[perm], lam * y + (1 - lam) * y[perm]


rng = np.random.default_rng(7)
n_classes = 6
labels = rng.choice(n_classes, size=90, p=[.4, .2, .1, .1, .1, .1])
t = np.arange(SR, dtype=np.float32) / SR
waves = np.sin(2 * np.pi * (200 + 100 * labels[:, None]) * t[None, :]) + 0.05 * rng.standard_normal((90, SR))
waves = waves.astype(np.float32)
frames = frame_numpy(waves[0], 200, 100)
energy = (frames ** 2).mean(axis=1)
zcr = (np.abs(np.diff(np.sign(frames), axis=1)) > 0).mean(axis=1)
stats = np.stack([energy, zcr])  #! np.stack([energy, zcr]) => np.stack([energy, zcr[1:]])
print(stats.shape)
targets = np.eye(n_classes, dtype=np.float32)[labels]
counts = np.bincount(labels, minlength=n_classes)
sampler = WeightedRandomSampler(torch.as_tensor(1.0 / counts[labels]), num_samples=64, replacement=True)
loader = DataLoader(TensorDataset(torch.from_numpy(waves), torch.from_numpy(targets)), batch_size=16, sampler=sampler, drop_last=True)
model = Model(n_classes)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, nesterov=True)
for wave, target in loader:
    wave, target = mixup(wave, target)
    clip, framewise = model(wave)
    loss = F.binary_cross_entropy(clip, target)  #! clip, target => framewise, target
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
reveal_type(clip)
reveal_type(framewise)
reveal_type(model.frontend(wave))
