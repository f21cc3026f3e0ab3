"""Speech recognition: spectrograms by stft, a convolutional and recurrent acoustic model, CTC loss, greedy decoding."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from torch.nn.utils.rnn import pad_sequence


class CNNLayerNorm(nn.Module):
    def __init__(self, n_feats):
        super().__init__()
        self.layer_norm = nn.LayerNorm(n_feats)

    def forward(self, x):
        x = x.transpose(2, 3).contiguous()  #! .transpose(2, 3) =>
        x = self.layer_norm(x)
        return x.transpose(2, 3).contiguous()


class ResidualCNN(nn.Module):
    def __init__(self, in_channels, out_channels, kernel, stride, dropout, n_feats):
        super().__init__()
        self.cnn1 = nn.Conv2d(in_channels, out_channels, kernel, stride, padding=kernel // 2)  #! padding=kernel // 2 => padding=0
        self.cnn2 = nn.Conv2d(out_channels, out_channels, kernel, stride, padding=kernel // 2)
        self.dropout = nn.Dropout(dropout)
        self.layer_norm1 = CNNLayerNorm(n_feats)
        self.layer_norm2 = CNNLayerNorm(n_feats)

    def forward(self, x):
        residual = x
        x = self.cnn1(self.dropout(F.gelu(self.layer_norm1(x))))
        x = self.cnn2(self.dropout(F.gelu(self.layer_norm2(x))))
        x += residual
        return x


class SpeechModel(nn.Module):
    def __init__(self, n_class=29, n_feats=80, rnn_dim=48, n_cnn=2, n_rnn=2):
        super().__init__()
        n_feats = n_feats // 2
        self.cnn = nn.Conv2d(1, 16, 3, stride=2, padding=3 // 2)
        self.rescnn_layers = nn.Sequential(*[ResidualCNN(16, 16, kernel=3, stride=1, dropout=0.1, n_feats=n_feats) for _ in range(n_cnn)])
        self.fully_connected = nn.Linear(n_feats * 16, rnn_dim)  #! n_feats * 16 => n_feats * 32
        self.birnn_layers = nn.ModuleList([
            nn.GRU(rnn_dim if i == 0 else rnn_dim * 2, rnn_dim, batch_first=i == 0, bidirectional=True) for i in range(n_rnn)  #! rnn_dim if i == 0 else rnn_dim * 2 => rnn_dim
        ])
        self.classifier = nn.Sequential(nn.Linear(rnn_dim * 2, rnn_dim), nn.GELU(), nn.Linear(rnn_dim, n_class))

    def forward(self, x):
        x = self.cnn(x)
        x = self.rescnn_layers(x)
        sizes = x.size()
        x = x.view(sizes[0], sizes[1] * sizes[2], sizes[3])
        x = x.transpose(1, 2)  #! x = x.transpose(1, 2) => pass
        x = self.fully_connected(x)
        for rnn in self.birnn_layers:
            x, _ = rnn(x)  #! x, _ = rnn(x) => _, x = rnn(x)
        return self.classifier(x)


class Tones(Dataset):
    def __init__(self, n=20, sr=4000, n_fft=158, hop=80):
        self.n, self.sr, self.n_fft, self.hop = n, sr, n_fft, hop
        self.window = torch.hann_window(n_fft)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        wave = torch.sin(torch.arange(self.sr) * (0.01 * (i + 1)))
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True).abs().log1p()
        label = torch.randint(1, 29, (5 + i % 4,))
        return spec, label


def collate(items):
    specs, labels, spec_lengths, label_lengths = [], [], [], []
    for spec, label in items:
        specs.append(spec.transpose(0, 1))  #! spec.transpose(0, 1) => spec
        labels.append(label)
        spec_lengths.append(spec.shape[1] // 2)
        label_lengths.append(len(label))
    specs = pad_sequence(specs, batch_first=True).unsqueeze(1).transpose(2, 3)  #! .unsqueeze(1).transpose(2, 3) => .transpose(1, 2)
    labels = pad_sequence(labels, batch_first=True)
    return specs, labels, spec_lengths, label_lengths


def greedy(output, blank=0):
    arg_maxes = torch.argmax(output, dim=2)
    decodes = []
    for args in arg_maxes:
        decode = []
        for j, index in enumerate(args):
            if index != blank:
                if j != 0 and index == args[j - 1]:
                    continue
                decode.append(index.item())
        decodes.append(decode)
    return decodes


def train(model, loader):
    criterion = nn.CTCLoss(blank=0, zero_infinity=True)
    optimizer = torch.optim.AdamW(model.parameters(), 5e-4)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-4, steps_per_epoch=len(loader), epochs=1)
    for spectrograms, labels, input_lengths, label_lengths in loader:
        optimizer.zero_grad()
        output = model(spectrograms)
        output = F.log_softmax(output, dim=2)
        output = output.transpose(0, 1)
        loss = criterion(output, labels, input_lengths, label_lengths)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return greedy(output.transpose(0, 1))


loader = DataLoader(Tones(), batch_size=4, shuffle=True, collate_fn=collate)
model = SpeechModel()
texts = train(model, loader)
reveal_type(model(torch.rand(2, 1, 80, 100)))
spec, label = Tones()[0]
reveal_type(spec)
