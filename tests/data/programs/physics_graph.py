"""Physical simulation by a graph network: edge and node models, radius graph, rollout, and an equivariant variant; neural ODE and FNO."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(n_in, n_out, hidden=32, norm=True):
    layers = [nn.Linear(n_in, hidden), nn.SiLU(), nn.Linear(hidden, n_out)]
    return nn.Sequential(*layers, nn.LayerNorm(n_out)) if norm else nn.Sequential(*layers)


def radius_graph(x, r):
    d = torch.cdist(x, x)
    src, dst = torch.where((d < r) & ~torch.eye(len(x), dtype=torch.bool))
    return torch.stack([src, dst])


class InteractionNetwork(nn.Module):
    def __init__(self, node, edge):
        super().__init__()
        self.edge, self.node = mlp(2 * node + edge, edge), mlp(node + edge, node)  #! mlp(2 * node + edge, edge) => mlp(node + edge, edge)

    def forward(self, x, e, index):
        src, dst = index
        e = e + self.edge(torch.cat([x[src], x[dst], e], -1))  #! x[src], x[dst], e], -1 => x[src], x[dst], e], 0
        agg = x.new_zeros(x.size(0), e.size(1)).scatter_add_(0, dst[:, None].expand_as(e), e)  #! dst[:, None].expand_as(e) => dst.expand_as(e)
        return x + self.node(torch.cat([x, agg], -1)), e


class Simulator(nn.Module):
    def __init__(self, dim=2, history=4, hidden=16, steps=3):
        super().__init__()
        self.enc_node, self.enc_edge = mlp(dim * history, hidden), mlp(dim + 1, hidden)  #! mlp(dim * history, hidden) => mlp(dim, hidden)
        self.steps = nn.ModuleList(InteractionNetwork(hidden, hidden) for _ in range(steps))
        self.dec = mlp(hidden, dim, norm=False)

    def forward(self, positions, index):
        velocities = positions[:, 1:] - positions[:, :-1]  #! positions[:, :-1] => positions
        now = positions[:, -1]
        rel = now[index[0]] - now[index[1]]
        x = self.enc_node(velocities.flatten(1))
        e = self.enc_edge(torch.cat([rel, rel.norm(dim=-1, keepdim=True)], -1))  #! keepdim=True => keepdim=False
        for step in self.steps:
            x, e = step(x, e, index)
        return now + velocities[:, -1] + self.dec(x)


class EGNN(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.phi_e, self.phi_x, self.phi_h = mlp(2 * dim + 1, dim), mlp(dim, 1, norm=False), mlp(2 * dim, dim)

    def forward(self, h, x):
        n = h.size(0)
        rel = x[:, None] - x[None]
        pair = torch.cat([h[:, None].expand(-1, n, -1), h[None].expand(n, -1, -1), rel.pow(2).sum(-1, keepdim=True)], -1)  #! h[None].expand(n, -1, -1) => h.expand(n, -1)
        m = self.phi_e(pair)
        x = x + (rel * self.phi_x(m)).mean(1)
        return h + self.phi_h(torch.cat([h, m.sum(1)], -1)), x


class SpectralConv(nn.Module):
    def __init__(self, c, modes):
        super().__init__()
        self.modes, self.w = modes, nn.Parameter(torch.randn(c, c, modes, modes, dtype=torch.cfloat) / c ** 2)

    def forward(self, x):
        b, c, h, w = x.shape
        f = torch.fft.rfft2(x)
        out = torch.zeros(b, c, h, w // 2 + 1, dtype=torch.cfloat)  #! w // 2 + 1 => w // 2
        m = self.modes
        out[..., :m, :m] = torch.einsum("bixy,ioxy->boxy", f[..., :m, :m], self.w)  #! "bixy,ioxy->boxy" => "bixy,oixy->bixy"
        return torch.fft.irfft2(out, s=(h, w))


class FNO(nn.Module):
    def __init__(self, c=8, modes=4, layers=2):
        super().__init__()
        self.lift = nn.Conv2d(3, c, 1)  #! nn.Conv2d(3, c, 1) => nn.Conv2d(1, c, 1)
        self.layers = nn.ModuleList([nn.ModuleDict({"spectral": SpectralConv(c, modes), "skip": nn.Conv2d(c, c, 1)}) for _ in range(layers)])
        self.out = nn.Conv2d(c, 1, 1)

    def forward(self, a):
        b, _, h, w = a.shape
        gy, gx = torch.meshgrid(torch.linspace(0, 1, h), torch.linspace(0, 1, w), indexing="ij")
        x = self.lift(torch.cat([a, gy.expand(b, 1, -1, -1), gx.expand(b, 1, -1, -1)], 1))
        for layer in self.layers:
            x = F.gelu(layer["spectral"](x) + layer["skip"](x))
        return self.out(x)


def rk4(f, y, ts):
    ys = [y]
    for a, b in zip(ts[:-1], ts[1:]):
        h = b - a
        k1 = f(a, y)
        k2 = f(a + h / 2, y + h / 2 * k1)
        k3 = f(a + h / 2, y + h / 2 * k2)
        k4 = f(b, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        ys.append(y)
    return torch.stack(ys, 1)


sim = Simulator()
opt = torch.optim.Adam(sim.parameters(), 1e-3)
positions = torch.rand(30, 6, 2)
for _ in range(2):
    index = radius_graph(positions[:, 4], 0.4)
    pred = sim(positions[:, :5], index)  #! positions[:, :5] => positions
    loss = F.mse_loss(pred, positions[:, 5])
    opt.zero_grad()
    loss.backward()
    opt.step()
window = positions[:, :5]
with torch.no_grad():
    for _ in range(4):
        nxt = sim(window, radius_graph(window[:, -1], 0.4))
        window = torch.cat([window[:, 1:], nxt[:, None]], 1)  #! nxt[:, None] => nxt
reveal_type(pred)
reveal_type(window)
h, x = EGNN(12)(torch.randn(9, 12), torch.randn(9, 3))
reveal_type(h)
reveal_type(x)
reveal_type(FNO()(torch.rand(2, 1, 16, 20)))
ode = mlp(3, 3, norm=False)
path = rk4(lambda t, y: ode(y), torch.randn(5, 3), torch.linspace(0, 1, 11))
reveal_type(path)
u = torch.rand(4, 1, 16, requires_grad=True)
kernel = torch.tensor([[[1.0, -2.0, 1.0]]])
lap = F.conv1d(F.pad(u, (1, 1), mode="circular"), kernel)
reveal_type(lap)
spec = torch.fft.fftshift(torch.fft.fft(u.squeeze(1)), dim=-1)
reveal_type(spec)
