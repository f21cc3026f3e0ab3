"""Parametrizations: weight and spectral norm, orthogonal and symmetric maps of one's own, pruning, and swapping of tensors."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.utils.parametrize as parametrize
from torch.nn.utils import parameters_to_vector, prune, vector_to_parameters
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)


class Skew(nn.Module):
    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)


class LowRank(nn.Module):
    def __init__(self, rows, cols, rank):
        super().__init__()
        self.u, self.v = nn.Parameter(torch.randn(rows, rank)), nn.Parameter(torch.randn(rank, cols))

    def forward(self, W):
        return W + self.u @ self.v


class Cayley(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("Id", torch.eye(n))

    def forward(self, X):
        return torch.linalg.solve(self.Id + X, self.Id - X)


class CausalConv(nn.Module):
    def __init__(self, inp, out, kernel, dilation):
        super().__init__()
        self.pad = (kernel - 1) * dilation
        self.conv = weight_norm(nn.Conv1d(inp, out, kernel, dilation=dilation))

    def forward(self, x):
        return self.conv(F.pad(x, (self.pad, 0)))


class TCN(nn.Module):
    def __init__(self, channels, kernel=3):
        super().__init__()
        self.blocks, self.skips = nn.ModuleList(), nn.ModuleList()
        for i, (a, b) in enumerate(zip(channels[:-1], channels[1:])):
            self.blocks.append(nn.Sequential(CausalConv(a, b, kernel, 2**i), nn.ReLU(), CausalConv(b, b, kernel, 2**i)))  #! CausalConv(b, b, kernel, 2**i) => CausalConv(a, b, kernel, 2**i)
            self.skips.append(nn.Conv1d(a, b, 1) if a != b else nn.Identity())

    def forward(self, x):
        for block, skip in zip(self.blocks, self.skips):
            x = F.relu(block(x) + skip(x))
        return x


class Critic(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.ModuleList([spectral_norm(nn.Linear(a, b), n_power_iterations=2) for a, b in [(12, width), (width, width)]])
        self.out = spectral_norm(nn.Linear(width, 1))

    def forward(self, x):
        for layer in self.body:
            x = F.leaky_relu(layer(x), 0.2)
        return self.out(x).squeeze(-1)


class RNN(nn.Module):
    def __init__(self, inp, hid):
        super().__init__()
        self.cell = nn.RNNCell(inp, hid)
        parametrize.register_parametrization(self.cell, "weight_hh", Skew())
        parametrize.register_parametrization(self.cell, "weight_hh", MatrixExponential())

    def forward(self, xs):
        h = xs.new_zeros(xs.size(1), self.cell.hidden_size)
        with parametrize.cached():
            for x in xs:
                h = self.cell(x, h)
        return h


if __name__ == "__main__":
    torch.manual_seed(0)
    net = TCN([6, 16, 16, 24])
    reveal_type(net(torch.randn(4, 6, 50)))
    reveal_type(net.blocks[0][0].conv.parametrizations.weight.original0)
    critic = Critic(20)
    score = critic(torch.randn(8, 12))  #! torch.randn(8, 12) => torch.randn(8, 20)
    reveal_type(score)
    score.mean().backward()
    rnn = RNN(5, 9)
    reveal_type(rnn(torch.randn(7, 3, 5)))
    symmetric = nn.Linear(6, 6)
    parametrize.register_parametrization(symmetric, "weight", Symmetric())
    assert parametrize.is_parametrized(symmetric)
    reveal_type(symmetric.weight - symmetric.weight.T)
    parametrize.register_parametrization(symmetric, "weight", LowRank(6, 6, 2))  #! LowRank(6, 6, 2) => LowRank(6, 5, 2)
    reveal_type(symmetric(torch.randn(2, 6)))
    parametrize.remove_parametrizations(symmetric, "weight", leave_parametrized=True)
    rotation = orthogonal(nn.Linear(10, 4, bias=False))
    eye = rotation.weight @ rotation.weight.T
    reveal_type(eye)
    loss = (eye - torch.eye(4)).norm()  #! torch.eye(4) => torch.eye(10)
    cayley = nn.Linear(4, 4)
    parametrize.register_parametrization(cayley, "weight", nn.Sequential(Skew(), Cayley(4)))
    reveal_type(cayley(torch.randn(3, 4)))
    pruned = nn.Conv2d(3, 8, 3)
    prune.l1_unstructured(pruned, name="weight", amount=0.5)
    prune.ln_structured(pruned, name="weight", amount=2, n=2, dim=0)
    reveal_type(pruned.weight_mask)
    prune.remove(pruned, "weight")
    reveal_type(pruned(torch.randn(1, 3, 9, 9)))
    flat = parameters_to_vector(pruned.parameters())
    reveal_type(flat)
    vector_to_parameters(flat * 0.5, pruned.parameters())
    state = net.state_dict()
    reveal_type(state["blocks.1.2.conv.parametrizations.weight.original1"])
    with torch.no_grad():
        pruned.weight.copy_(torch.zeros(8, 3, 1, 1))  #! torch.zeros(8, 3, 1, 1) => torch.zeros(8, 1, 3)
