"""Sound event tagging: STFT, mel filters made by hand, SpecAugment, CRNN with attention pooling."""
import math
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def hz_to_mel(f):
    return 2595.0 * math.log10(1.0 + f / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def mel_filters(n_mels, n_fft, sr):
    points = torch.tensor([mel_to_hz(m) for m in torch.linspace(hz_to_mel(0), hz_to_mel(sr / 2), n_mels + 2).tolist()])
    freqs = torch.linspace(0, sr / 2, n_fft // 2 + 1)
    down = (freqs[None, :] - points[:-2, None]) / (points[1:-1, None] - points[:-2, None])  #! points[:-2, None]) / => points[:-2]) /
    up = (points[2:, None] - freqs[None, :]) / (points[2:, None] - points[1:-1, None])
    return torch.minimum(down, up).clamp(min=0)


class LogMel(nn.Module):
    def __init__(self, sr=8000, n_fft=256, hop=80, n_mels=40):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("filters", mel_filters(n_mels, n_fft, sr))

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)  #! self.n_fft, self.hop => self.n_fft * 2, self.hop
        power = spec.abs() ** 2
        return (self.filters @ power + 1e-6).log()  #! self.filters @ power => power @ self.filters


class SpecAugment(nn.Module):
    def __init__(self, freq=6, time=20):
        super().__init__()
        self.freq, self.time = freq, time

    def forward(self, x):
        if not self.training:
            return x
        x = x.clone()
        f = torch.randint(0, self.freq, (1,)).item()
        f0 = torch.randint(0, x.size(1) - f, (1,)).item()
        x[:, f0:f0 + f] = 0
        t = torch.randint(0, self.time, (x.size(0), 1))
        t0 = (torch.rand(x.size(0), 1) * (x.size(2) - t)).long()
        pos = torch.arange(x.size(2)).unsqueeze(0)
        mask = (pos >= t0) & (pos < t0 + t)
        return x.masked_fill(mask.unsqueeze(1), 0.0)  #! mask.unsqueeze(1) => mask.unsqueeze(2)


class AttentionPool(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.att, self.cla = nn.Conv1d(dim, classes, 1), nn.Conv1d(dim, classes, 1)

    def forward(self, x):
        a = torch.softmax(self.att(x).clamp(-10, 10), dim=-1)
        c = torch.sigmoid(self.cla(x))
        return (a * c).sum(-1), c  #! .sum(-1) => .sum(1)


class CRNN(nn.Module):
    def __init__(self, classes, n_mels=40, channels=(16, 32, 64), rnn=48):
        super().__init__()
        self.front = LogMel(n_mels=n_mels)
        self.augment = SpecAugment()
        self.bn0 = nn.BatchNorm2d(n_mels)
        blocks, prev = [], 1
        for i, c in enumerate(channels):
            blocks.append(nn.Sequential(nn.Conv2d(prev, c, 3, padding=1), nn.BatchNorm2d(c), nn.GLU(1) if i == 0 else nn.ReLU(), nn.AvgPool2d((2, 1) if i else 2)))
            prev = c // 2 if i == 0 else c  #! c // 2 if i == 0 else c => c
        self.blocks = nn.ModuleList(blocks)
        feat = channels[-1] * (n_mels // 2 ** len(channels))  #! n_mels // 2 ** len(channels) => n_mels // 2
        self.gru = nn.GRU(feat, rnn, num_layers=2, batch_first=True, bidirectional=True)
        self.pool = AttentionPool(2 * rnn, classes)  #! 2 * rnn => rnn

    def forward(self, wave):
        x = self.augment(self.front(wave))
        x = self.bn0(x.unsqueeze(-1)).squeeze(-1).unsqueeze(1)
        for block in self.blocks:
            x = block(x)
        b, c, f, t = x.shape
        x = x.permute(0, 3, 1, 2).reshape(b, t, c * f)  #! .permute(0, 3, 1, 2) => 
        x, _ = self.gru(x)
        return self.pool(x.transpose(1, 2))  #! x.transpose(1, 2) => x


class Clips(Dataset):
    def __init__(self, n=20, seconds=1.0, sr=8000, classes=6):
        self.waves = torch.randn(n, int(seconds * sr))
        self.labels = (torch.rand(n, classes) > 0.7).float()

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        return self.waves[i], self.labels[i]


def average_precision(scores, labels):
    order = scores.argsort(dim=0, descending=True)
    hits = labels.gather(0, order)
    ranks = torch.arange(1, len(hits) + 1, dtype=torch.float32).unsqueeze(1)  #! .unsqueeze(1) => 
    precision = hits.cumsum(0) / ranks
    return (precision * hits).sum(0) / hits.sum(0).clamp(min=1)


model = CRNN(6)
loader = DataLoader(Clips(), batch_size=6, shuffle=True)
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.BCELoss()
outs, targets = [], []
for wave, label in loader:
    clip, frames = model(wave)
    loss = criterion(clip, label)  #! criterion(clip, label) => criterion(frames, label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    outs.append(clip.detach())
    targets.append(label)
reveal_type(model.front.filters)
model.eval()
probe, frame_probs = model(torch.randn(3, 8000))
reveal_type(probe)
reveal_type(frame_probs)
ap = average_precision(torch.cat(outs), torch.cat(targets))
reveal_type(ap)
reveal_type(model.front(torch.randn(2, 16000)))
