"""Fourier neural operator on random Darcy-like fields, and an S4D layer by FFT convolution for sequences."""
import math
from functools import reduce
from timeit import default_timer
import operator
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class SpectralConv2d(nn.Module):
    def __init__(self, in_channels, out_channels, modes1, modes2):
        super(SpectralConv2d, self).__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.modes1, self.modes2 = modes1, modes2
        self.scale = 1 / (in_channels * out_channels)
        self.weights1 = nn.Parameter(self.scale * torch.rand(in_channels, out_channels, self.modes1, self.modes2, dtype=torch.cfloat))  #! in_channels, out_channels, self.modes1 => out_channels, self.modes1, self.modes1
        self.weights2 = nn.Parameter(self.scale * torch.rand(in_channels, out_channels, self.modes1, self.modes2, dtype=torch.cfloat))

    def compl_mul2d(self, input, weights):
        return torch.einsum("bixy,ioxy->boxy", input, weights)

    def forward(self, x):
        batchsize = x.shape[0]
        x_ft = torch.fft.rfft2(x)
        out_ft = torch.zeros(batchsize, self.out_channels, x.size(-2), x.size(-1) // 2 + 1, dtype=torch.cfloat)  #! x.size(-1) // 2 + 1 => self.modes2 - 1
        out_ft[:, :, :self.modes1, :self.modes2] = self.compl_mul2d(x_ft[:, :, :self.modes1, :self.modes2], self.weights1)
        out_ft[:, :, -self.modes1:, :self.modes2] = self.compl_mul2d(x_ft[:, :, -self.modes1:, :self.modes2], self.weights2)
        return torch.fft.irfft2(out_ft, s=(x.size(-2), x.size(-1)))  #! s=(x.size(-2), x.size(-1)) => s=(x.size(-2), x.size(-1) + 1)


class FNO2d(nn.Module):
    def __init__(self, modes1, modes2, width, layers=3):
        super().__init__()
        self.padding = 5
        self.p = nn.Linear(3, width)  #! nn.Linear(3, width) => nn.Linear(1, width)
        self.convs = nn.ModuleList([SpectralConv2d(width, width, modes1, modes2) for _ in range(layers)])
        self.ws = nn.ModuleList([nn.Conv2d(width, width, 1) for _ in range(layers)])
        self.norm = nn.InstanceNorm2d(width)
        self.q = nn.Sequential(nn.Conv2d(width, width * 4, 1), nn.GELU(), nn.Conv2d(width * 4, 1, 1))

    def get_grid(self, shape):
        batchsize, size_x, size_y = shape[0], shape[1], shape[2]
        gridx = torch.tensor(np.linspace(0, 1, size_x), dtype=torch.float)
        gridx = gridx.reshape(1, size_x, 1, 1).repeat([batchsize, 1, size_y, 1])
        gridy = torch.tensor(np.linspace(0, 1, size_y), dtype=torch.float)
        gridy = gridy.reshape(1, 1, size_y, 1).repeat([batchsize, size_x, 1, 1])  #! .repeat([batchsize, size_x, 1, 1]) => .repeat([batchsize, 1, 1, 1])
        return torch.cat((gridx, gridy), dim=-1)

    def forward(self, x):
        grid = self.get_grid(x.shape)
        x = torch.cat((x, grid), dim=-1)
        x = self.p(x).permute(0, 3, 1, 2)  #! .permute(0, 3, 1, 2) => .permute(0, 1, 2, 3)
        x = F.pad(x, [0, self.padding, 0, self.padding])
        for i, (conv, w) in enumerate(zip(self.convs, self.ws)):
            x1 = self.norm(conv(self.norm(x)))
            x = x1 + w(x)
            if i < len(self.convs) - 1:
                x = F.gelu(x)
        x = x[..., :-self.padding, :-self.padding]
        return self.q(x).permute(0, 2, 3, 1)


class UnitGaussianNormalizer(object):
    def __init__(self, x, eps=0.00001):
        self.mean = torch.mean(x, 0)
        self.std = torch.std(x, 0)
        self.eps = eps

    def encode(self, x):
        return (x - self.mean) / (self.std + self.eps)

    def decode(self, x):
        return x * (self.std + self.eps) + self.mean


class LpLoss(object):
    def __init__(self, p=2):
        self.p = p

    def rel(self, x, y):
        n = x.size()[0]
        diff = torch.norm(x.reshape(n, -1) - y.reshape(n, -1), self.p, 1)
        return torch.sum(diff / torch.norm(y.reshape(n, -1), self.p, 1))

    __call__ = rel


class GaussianRF:
    def __init__(self, size, alpha=2, tau=3):
        self.size = size
        k_max = size // 2
        wavenumbers = torch.cat((torch.arange(0, k_max), torch.arange(-k_max, 0)), 0).repeat(size, 1)  #! .repeat(size, 1) => .repeat(1, size)
        k_x, k_y = wavenumbers.transpose(0, 1), wavenumbers
        self.sqrt_eig = (size ** 2) * math.sqrt(2.0) * ((4 * math.pi ** 2 * (k_x ** 2 + k_y ** 2) + tau ** 2) ** (-alpha / 2.0))
        self.sqrt_eig[0, 0] = 0.0

    def sample(self, n):
        coeff = torch.randn(n, self.size, self.size, dtype=torch.cfloat)
        return torch.fft.ifftn(self.sqrt_eig * coeff, dim=(1, 2)).real


class S4D(nn.Module):
    def __init__(self, d_model, n=16):
        super().__init__()
        self.D = nn.Parameter(torch.randn(d_model))
        self.C = nn.Parameter(torch.view_as_real(torch.randn(d_model, n // 2, dtype=torch.cfloat)))
        self.log_dt = nn.Parameter(torch.rand(d_model) - 4)
        self.log_A_real = nn.Parameter(torch.log(0.5 * torch.ones(d_model, n // 2)))
        self.register_buffer("A_imag", math.pi * torch.arange(n // 2).repeat(d_model, 1))
        self.output_linear = nn.Sequential(nn.Conv1d(d_model, 2 * d_model, kernel_size=1), nn.GLU(dim=-2))  #! nn.GLU(dim=-2) => nn.GLU(dim=-3)

    def kernel(self, L):
        dt = torch.exp(self.log_dt)
        C = torch.view_as_complex(self.C)
        A = -torch.exp(self.log_A_real) + 1j * self.A_imag
        dtA = A * dt.unsqueeze(-1)  #! dt.unsqueeze(-1) => dt
        K = dtA.unsqueeze(-1) * torch.arange(L)
        C = C * (torch.exp(dtA) - 1.0) / A
        return 2 * torch.einsum("hn,hnl->hl", C, torch.exp(K)).real

    def forward(self, u):
        L = u.size(-1)
        k = self.kernel(L)
        k_f, u_f = torch.fft.rfft(k, n=2 * L), torch.fft.rfft(u, n=2 * L)  #! torch.fft.rfft(k, n=2 * L) => torch.fft.rfft(k, n=L)
        y = torch.fft.irfft(u_f * k_f, n=2 * L)[..., :L]
        y = y + u * self.D.unsqueeze(-1)
        return self.output_linear(F.gelu(y))


if __name__ == "__main__":
    s, ntrain, ntest, batch_size = 32, 10, 4, 5
    rf = GaussianRF(s)
    a = rf.sample(ntrain + ntest)
    u = torch.fft.irfft2(torch.fft.rfft2(a) * 0.5, s=(s, s))
    reveal_type(u)
    a_norm, u_norm = UnitGaussianNormalizer(a[:ntrain]), UnitGaussianNormalizer(u[:ntrain])
    x_train, x_test = a_norm.encode(a[:ntrain]).reshape(ntrain, s, s, 1), a_norm.encode(a[-ntest:]).reshape(ntest, s, s, 1)  #! .reshape(ntest, s, s, 1) => .reshape(ntrain, s, s, 1)
    train_loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x_train, u_norm.encode(u[:ntrain])), batch_size=batch_size, shuffle=True)
    model = FNO2d(8, 8, 12)
    n_params = sum(reduce(operator.mul, list(p.size() + (2,) if p.is_complex() else p.size())) for p in model.parameters())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
    myloss = LpLoss()
    t1 = default_timer()
    for x, y in train_loader:
        optimizer.zero_grad()
        out = model(x).reshape(batch_size, s, s)
        loss = myloss(u_norm.decode(out).view(batch_size, -1), u_norm.decode(y).view(batch_size, -1))  #! u_norm.decode(y).view(batch_size, -1) => u_norm.decode(y).view(-1, batch_size)
        loss.backward()
        optimizer.step()
    reveal_type(out)
    with torch.no_grad():
        reveal_type(model(x_test))
    layer = S4D(10)
    reveal_type(layer.kernel(30))
    reveal_type(layer(torch.randn(3, 10, 30)))
