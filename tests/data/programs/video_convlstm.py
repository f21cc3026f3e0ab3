"""A ConvLSTM over short clips with a 3-D convolution stem; predicts the next frame."""
import torch
from torch import nn
from typing import List, Optional, Tuple


class ConvLSTMCell(nn.Module):
    def __init__(self, input_dim, hidden_dim, kernel_size=(3, 3), bias=True):
        super().__init__()
        self.hidden_dim = hidden_dim
        padding = kernel_size[0] // 2, kernel_size[1] // 2
        self.conv = nn.Conv2d(input_dim + hidden_dim, 4 * hidden_dim, kernel_size, padding=padding, bias=bias)  #! 4 * hidden_dim => 3 * hidden_dim

    def forward(self, x, state):
        h, c = state
        combined = torch.cat([x, h], dim=1)
        i, f, o, g = torch.split(self.conv(combined), self.hidden_dim, dim=1)  #! self.hidden_dim, dim=1 => self.hidden_dim // 2, dim=1
        c_next = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h_next = torch.sigmoid(o) * torch.tanh(c_next)
        return h_next, c_next

    def init_hidden(self, batch_size, image_size):
        height, width = image_size
        shape = (batch_size, self.hidden_dim, height, width)  #! height, width) => width, height)
        p = self.conv.weight
        return p.new_zeros(shape), p.new_zeros(shape)


class ConvLSTM(nn.Module):
    def __init__(self, input_dim, hidden_dims: List[int], batch_first=True):
        super().__init__()
        self.batch_first = batch_first
        self.cells = nn.ModuleList()
        for i, hd in enumerate(hidden_dims):
            cur = input_dim if i == 0 else hidden_dims[i - 1]  #! i - 1 => i
            self.cells.append(ConvLSTMCell(cur, hd))

    def forward(self, x, hidden: Optional[List[Tuple]] = None):
        if not self.batch_first:
            x = x.permute(1, 0, 2, 3, 4)
        b, t, _, h, w = x.size()
        if hidden is None:
            hidden = [cell.init_hidden(b, (h, w)) for cell in self.cells]
        layer_in = x
        last_states = []
        for cell, state in zip(self.cells, hidden):
            outputs = []
            for step in range(t):
                state = cell(layer_in[:, step], state)  #! layer_in[:, step] => layer_in[step]
                outputs.append(state[0])
            layer_in = torch.stack(outputs, dim=1)
            last_states.append(state)
        return layer_in, last_states


class Predictor(nn.Module):
    def __init__(self, channels=1):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv3d(channels, 8, (3, 5, 5), padding=(1, 2, 2)), nn.GroupNorm(2, 8), nn.ReLU())
        self.rnn = ConvLSTM(8, [16, 12])  #! ConvLSTM(8, => ConvLSTM(channels,
        self.decode = nn.Conv2d(12, channels, 1)  #! 12, channels => 16, channels

    def forward(self, clip, steps: int = 2):
        feats = self.stem(clip.transpose(1, 2)).transpose(1, 2)  #! self.stem(clip.transpose(1, 2)) => self.stem(clip)
        out, states = self.rnn(feats)
        frames = []
        frame = self.decode(out[:, -1])
        for _ in range(steps):
            frames.append(frame)
            x = self.stem(frame.unsqueeze(2)).transpose(1, 2)  #! frame.unsqueeze(2) => frame.unsqueeze(1)
            out, states = self.rnn(x, states)
            frame = self.decode(out[:, 0])
        return torch.stack(frames, 1)


def psnr(a, b):
    mse = ((a - b) ** 2).flatten(2).mean(-1)
    return -10 * torch.log10(mse + 1e-8)


model = Predictor()
optim = torch.optim.Adam(model.parameters())
clip = torch.rand(2, 6, 1, 20, 24)
past, future = clip[:, :4], clip[:, 4:]  #! clip[:, 4:] => clip[:, 3:]
for _ in range(2):
    pred = model(past, future.shape[1] if future.shape[1] < 3 else 2)
    loss = ((pred - future) ** 2).mean()
    optim.zero_grad()
    loss.backward()
    optim.step()
reveal_type(pred)
reveal_type(psnr(pred, future))
_, states = model.rnn(torch.rand(3, 5, 8, 10, 10))
reveal_type(states[1][0])
