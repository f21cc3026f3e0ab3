"""A tiny Lightning-like framework: LightningModule hooks, a DataModule, a Trainer loop with callbacks; log-mel features by hand."""
import math
from abc import ABC, abstractmethod
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, random_split

RATE, SECONDS, N_FFT, HOP, MELS = 8000, 1, 256, 128, 40


def mel_filters(n_mels, n_fft, rate):
    def hz(m):
        return 700 * (10 ** (m / 2595) - 1)
    top = 2595 * math.log10(1 + rate / 2 / 700)
    points = torch.tensor([hz(top * i / (n_mels + 1)) for i in range(n_mels + 2)])
    bins = torch.linspace(0, rate / 2, n_fft // 2 + 1)
    up = (bins[None] - points[:-2, None]) / (points[1:-1] - points[:-2])[:, None]
    down = (points[2:, None] - bins[None]) / (points[2:] - points[1:-1])[:, None]  #! points[2:, None] => points[1:, None]
    return torch.minimum(up, down).clamp(min=0)


class LogMel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(N_FFT))  #! torch.hann_window(N_FFT) => torch.hann_window(N_FFT + 1)
        self.register_buffer("fb", mel_filters(MELS, N_FFT, RATE))

    def forward(self, wav):
        spec = torch.stft(wav, N_FFT, HOP, window=self.window, return_complex=True).abs().square()
        return (self.fb @ spec).clamp(1e-6).log()  #! self.fb @ spec => spec @ self.fb


class Tones(Dataset):
    def __init__(self, n, classes=6):
        self.n, self.classes = n, classes

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        t = torch.arange(RATE * SECONDS) / RATE
        label = i % self.classes
        wav = torch.sin(2 * math.pi * 200 * (label + 1) * t) + 0.1 * torch.randn(RATE * SECONDS)
        return wav, label


class DataModule:
    def __init__(self, hparams):
        self.hparams = hparams

    def setup(self, stage=None):
        full = Tones(self.hparams.samples)
        n_val = int(len(full) * 0.25)
        self.train_set, self.val_set = random_split(full, [len(full) - n_val, n_val])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.hparams.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.hparams.batch_size)


class LightModule(nn.Module, ABC):
    @abstractmethod
    def training_step(self, batch, index): ...

    @abstractmethod
    def configure_optimizers(self): ...

    def validation_step(self, batch, index):
        return None

    def log(self, name, value):
        self.logged.setdefault(name, []).append(float(value))


class Depthwise(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.dw = nn.Conv2d(cin, cin, 3, stride, 1, groups=cin, bias=False)  #! groups=cin => groups=cout
        self.pw = nn.Conv2d(cin, cout, 1, bias=False)
        self.bn = nn.BatchNorm2d(cout)  #! nn.BatchNorm2d(cout) => nn.BatchNorm1d(cout)

    def forward(self, x):
        return F.hardswish(self.bn(self.pw(self.dw(x))))


class Keyword(LightModule):
    def __init__(self, hparams):
        super().__init__()
        self.hparams, self.logged = hparams, {}
        self.features = LogMel()
        chans = [1, 16, 32, 64]
        self.convs = nn.Sequential(*(Depthwise(a, b, 2) for a, b in zip(chans, chans[1:])))
        freq = math.ceil(MELS / 2 ** (len(chans) - 1))
        self.rnn = nn.GRU(chans[-1] * freq, hparams.hidden, batch_first=True, bidirectional=True)  #! chans[-1] * freq => chans[-1] * MELS
        self.att = nn.Linear(2 * hparams.hidden, 1)
        self.fc = nn.Linear(2 * hparams.hidden, hparams.classes)

    def forward(self, wav):
        x = self.features(wav)
        x = (x - x.mean((1, 2), keepdim=True)) / (x.std((1, 2), keepdim=True) + 1e-5)  #! x.mean((1, 2), keepdim=True) => x.mean((1, 2))
        x = self.convs(x.unsqueeze(1))  #! x.unsqueeze(1) => x
        x = x.permute(0, 3, 1, 2).flatten(2)  #! x.permute(0, 3, 1, 2) => x.permute(0, 2, 1, 3)
        out, _ = self.rnn(x)
        w = self.att(out).softmax(dim=1)
        return self.fc((w * out).sum(1))  #! .sum(1) => .sum(2)

    def shared_step(self, batch, stage):
        wav, y = batch
        logits = self(wav)
        reveal_type(logits)
        self.log(f"{stage}_acc", (logits.argmax(1) == y).float().mean())
        return F.cross_entropy(logits, y, label_smoothing=0.1)

    def training_step(self, batch, index):
        wav, y = batch
        lam = torch.distributions.Beta(0.4, 0.4).sample()
        mixed = lam * wav + (1 - lam) * wav[torch.randperm(len(wav))]
        return self.shared_step((mixed, y), "train")

    def validation_step(self, batch, index):
        return {"loss": self.shared_step(batch, "val"), "n": len(batch[1])}

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        return [opt], [torch.optim.lr_scheduler.StepLR(opt, 1)]


class Trainer:
    def __init__(self, epochs=1, callbacks=()):
        self.epochs, self.callbacks = epochs, callbacks

    def fit(self, module, data):
        data.setup("fit")
        optimizers, schedulers = module.configure_optimizers()
        for epoch in range(self.epochs):
            module.train()
            for index, batch in enumerate(data.train_dataloader()):
                loss = module.training_step(batch, index)
                for opt in optimizers:
                    opt.zero_grad()
                loss.backward()
                for opt in optimizers:
                    opt.step()
            module.eval()
            with torch.no_grad():
                results = [module.validation_step(b, i) for i, b in enumerate(data.val_dataloader())]
            total = torch.stack([r["loss"] * r["n"] for r in results]).sum() / sum(r["n"] for r in results)
            for s in schedulers:
                s.step()
            for callback in self.callbacks:
                callback(self, module, total)


def main():
    hparams = SimpleNamespace(samples=48, batch_size=8, hidden=20, classes=6, lr=1e-3)
    module, data = Keyword(hparams), DataModule(hparams)
    Trainer(callbacks=[lambda t, m, v: print(m.logged, v)]).fit(module, data)
    reveal_type(module.features(torch.randn(2, RATE)))
    reveal_type(module(torch.randn(3, RATE * SECONDS)))


if __name__ == "__main__":
    main()
