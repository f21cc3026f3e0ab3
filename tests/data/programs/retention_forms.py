"""Retention: the parallel, recurrent and chunkwise forms of one layer, compared with each other."""
import torch
import torch.nn as nn


def fixed_pos_embedding(x):
    seq_len, dim = x.shape
    inv_freq = 1.0 / (10000 ** (torch.arange(0, dim) / dim))
    sinusoid_inp = torch.einsum("i , j -> i j", torch.arange(0, seq_len, dtype=torch.float), inv_freq).to(x)
    return torch.sin(sinusoid_inp), torch.cos(sinusoid_inp)


def rotate_every_two(x):
    x1 = x[:, :, ::2]
    x2 = x[:, :, 1::2]
    x = torch.stack((-x2, x1), dim=-1)
    return x.flatten(-2)


def duplicate_interleave(m):
    dim0 = m.shape[0]
    m = m.view(-1, 1)
    m = m.repeat(1, 2)
    return m.view(dim0, -1)


class XPOS(nn.Module):
    def __init__(self, head_dim, scale_base=512):
        super().__init__()
        self.head_dim = head_dim
        self.scale_base = scale_base
        self.register_buffer("scale", (torch.arange(0, head_dim, 2) + 0.4 * head_dim) / (1.4 * head_dim))

    def forward(self, x, offset=0, downscale=False):
        length = x.shape[1]
        min_pos = 0
        max_pos = length + offset + min_pos
        scale = self.scale ** torch.arange(min_pos, max_pos, 1).to(self.scale).div(self.scale_base)[:, None]
        sin, cos = fixed_pos_embedding(scale)
        if scale.shape[0] > length:
            scale = scale[-length:]
            sin = sin[-length:]
            cos = cos[-length:]
        if downscale:
            scale = 1 / scale
        sin, cos = map(lambda t: duplicate_interleave(t * scale), (sin, cos))
        return (x * cos) + (rotate_every_two(x) * sin)


class SimpleRetention(nn.Module):
    def __init__(self, hidden_size, gamma, head_size=None, double_v_dim=False):
        super().__init__()
        head_size = hidden_size if head_size is None else head_size
        self.head_size = head_size
        self.v_dim = head_size * 2 if double_v_dim else head_size
        self.gamma = gamma
        self.W_Q = nn.Parameter(torch.randn(hidden_size, head_size) / hidden_size)
        self.W_K = nn.Parameter(torch.randn(hidden_size, head_size) / hidden_size)
        self.W_V = nn.Parameter(torch.randn(hidden_size, self.v_dim) / hidden_size)  #! (hidden_size, self.v_dim) => (self.v_dim, hidden_size)
        self.xpos = XPOS(head_size)

    def forward(self, X):
        sequence_length = X.shape[1]
        D = self._get_D(sequence_length)  #! self._get_D(sequence_length) => self._get_D(X.shape[2])
        Q = self.xpos(X @ self.W_Q)
        K = self.xpos(X @ self.W_K, downscale=True)
        V = X @ self.W_V
        ret = (Q @ K.permute(0, 2, 1)) * D.unsqueeze(0)  #! K.permute(0, 2, 1) => K
        return ret @ V

    def forward_recurrent(self, x_n, s_n_1, n):
        Q = self.xpos(x_n @ self.W_Q, n + 1)
        K = self.xpos(x_n @ self.W_K, n + 1, downscale=True)
        V = x_n @ self.W_V
        s_n = self.gamma * s_n_1 + (K.transpose(-1, -2) @ V)  #! (K.transpose(-1, -2) @ V) => (V.transpose(-1, -2) @ K)
        return (Q @ s_n), s_n

    def forward_chunkwise(self, x_i, r_i_1, i):
        batch, chunk_size, _ = x_i.shape
        D = self._get_D(chunk_size)
        Q = self.xpos(x_i @ self.W_Q, i * chunk_size)
        K = self.xpos(x_i @ self.W_K, i * chunk_size, downscale=True)
        V = x_i @ self.W_V
        r_i = (K.transpose(-1, -2) @ (V * D[-1].view(1, chunk_size, 1))) + (self.gamma ** chunk_size) * r_i_1  #! view(1, chunk_size, 1) => view(1, 1, chunk_size)
        inner_chunk = ((Q @ K.transpose(-1, -2)) * D.unsqueeze(0)) @ V
        e = torch.zeros(batch, chunk_size, 1)
        for _i in range(chunk_size):
            e[:, _i, :] = self.gamma ** (_i + 1)
        cross_chunk = (Q @ r_i_1) * e  #! (Q @ r_i_1) => (r_i_1 @ Q)
        return inner_chunk + cross_chunk, r_i

    def _get_D(self, sequence_length):
        n = torch.arange(sequence_length).unsqueeze(1)
        m = torch.arange(sequence_length).unsqueeze(0)
        D = (self.gamma ** (n - m)) * (n >= m).float()
        D[D != D] = 0
        return D


class MultiScaleRetention(nn.Module):
    def __init__(self, hidden_size, heads, double_v_dim=False):
        super().__init__()
        assert hidden_size % heads == 0, "hidden_size must be divisible by heads"
        self.heads = heads
        self.head_size = hidden_size // heads
        self.head_v_dim = self.head_size * (2 if double_v_dim else 1)
        self.v_dim = hidden_size * 2 if double_v_dim else hidden_size
        self.gammas = (1 - torch.exp(torch.linspace(-3.4, -6.2, heads))).detach().cpu().tolist()
        self.swish = lambda x: x * torch.sigmoid(x)
        self.W_G = nn.Parameter(torch.randn(hidden_size, self.v_dim) / hidden_size)
        self.W_O = nn.Parameter(torch.randn(self.v_dim, hidden_size) / hidden_size)  #! (self.v_dim, hidden_size) => (hidden_size, self.v_dim)
        self.group_norm = nn.GroupNorm(heads, self.v_dim)
        self.retentions = nn.ModuleList([SimpleRetention(hidden_size, gamma, self.head_size, double_v_dim) for gamma in self.gammas])

    def forward(self, X):
        Y = torch.cat([self.retentions[i](X) for i in range(self.heads)], dim=2)
        Y_shape = Y.shape
        Y = self.group_norm(Y.reshape(-1, self.v_dim)).reshape(Y_shape)
        return (self.swish(X @ self.W_G) * Y) @ self.W_O

    def forward_recurrent(self, x_n, s_n_1s, n):
        Y, s_ns = [], []
        for i in range(self.heads):
            y, s_n = self.retentions[i].forward_recurrent(x_n[:, :, :], s_n_1s[i], n)
            Y.append(y)
            s_ns.append(s_n)
        Y = torch.cat(Y, dim=2)  #! dim=2 => dim=1
        Y_shape = Y.shape
        Y = self.group_norm(Y.reshape(-1, self.v_dim)).reshape(Y_shape)
        return (self.swish(x_n @ self.W_G) * Y) @ self.W_O, s_ns

    def forward_chunkwise(self, x_i, r_i_1s, i):
        pairs = [self.retentions[j].forward_chunkwise(x_i, r_i_1s[j], i) for j in range(self.heads)]
        outs, states = map(list, zip(*pairs))
        Y = torch.cat(outs, dim=2)
        Y = self.group_norm(Y.reshape(-1, self.v_dim)).reshape(*Y.shape)
        return (self.swish(x_i @ self.W_G) * Y) @ self.W_O, states


def test_forms(batch_size=4, sequence_length=12, hidden_size=32, heads=4, chunk_size=4):
    X = torch.rand(batch_size, sequence_length, hidden_size)
    layer = MultiScaleRetention(hidden_size, heads, double_v_dim=True)
    with torch.no_grad():
        parallel = layer(X)
        reveal_type(parallel)
        s = [torch.zeros(hidden_size // heads, layer.head_v_dim).unsqueeze(0).repeat(batch_size, 1, 1) for _ in range(heads)]  #! (hidden_size // heads, layer.head_v_dim) => (hidden_size, layer.head_v_dim)
        steps = []
        for t in range(sequence_length):
            y, s = layer.forward_recurrent(X[:, t : t + 1, :], s, t)
            steps.append(y)
        recurrent = torch.cat(steps, dim=1)
        reveal_type(recurrent)
        r = [torch.zeros(batch_size, layer.head_size, layer.head_v_dim) for _ in range(heads)]
        pieces = []
        for c in range(sequence_length // chunk_size):
            y, r = layer.forward_chunkwise(X[:, c * chunk_size : (c + 1) * chunk_size, :], r, c)
            pieces.append(y)
        chunked = torch.cat(pieces, dim=1)
        reveal_type(chunked)
        reveal_type(r[0])
    print((parallel - recurrent).abs().max(), (parallel - chunked).abs().max())


test_forms()
