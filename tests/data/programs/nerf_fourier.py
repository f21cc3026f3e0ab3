"""Neural fields: ray generation, stratified and importance sampling, volume rendering; SIREN with coordinates grid."""
import argparse
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def positional(x, n):
    bands = 2.0 ** torch.arange(n)
    xb = x[..., None, :] * bands[:, None]  #! bands[:, None] => bands
    return torch.cat([x, xb.sin().flatten(-2), xb.cos().flatten(-2)], dim=-1)


def get_rays(h, w, focal, c2w):
    i, j = torch.meshgrid(torch.arange(w, dtype=torch.float32), torch.arange(h, dtype=torch.float32), indexing="xy")
    dirs = torch.stack([(i - w * 0.5) / focal, -(j - h * 0.5) / focal, -torch.ones_like(i)], -1)
    d = torch.sum(dirs[..., None, :] * c2w[:3, :3], -1)  #! dirs[..., None, :] => dirs
    o = c2w[:3, -1].expand(d.shape)  #! c2w[:3, -1] => c2w[:, -1]
    return o, d


class NeRF(nn.Module):
    def __init__(self, depth=4, width=64, pos=6, view=4, skips=(2,)):
        super().__init__()
        self.pos, self.view, self.skips = pos, view, skips
        p, v = 3 + 6 * pos, 3 + 6 * view  #! 3 + 6 * view => 6 * view
        self.pts = nn.ModuleList([nn.Linear(p, width)] + [nn.Linear(width + p if i in skips else width, width) for i in range(1, depth)])  #! width + p if i in skips else width => width
        self.sigma, self.feat = nn.Linear(width, 1), nn.Linear(width, width)
        self.color = nn.Sequential(nn.Linear(width + v, width // 2), nn.ReLU(), nn.Linear(width // 2, 3), nn.Sigmoid())

    def forward(self, x, d):
        e = h = positional(x, self.pos)
        for i, lin in enumerate(self.pts):
            if i in self.skips:
                h = torch.cat([e, h], -1)
            h = F.relu(lin(h))
        sigma = F.softplus(self.sigma(h)).squeeze(-1)
        rgb = self.color(torch.cat([self.feat(h), positional(d, self.view)], -1))
        return rgb, sigma


def stratified(near, far, n, rays):
    t = torch.linspace(0, 1, n)
    z = (near * (1 - t) + far * t).expand(rays, n)
    mids = 0.5 * (z[:, 1:] + z[:, :-1])
    upper, lower = torch.cat([mids, z[:, -1:]], -1), torch.cat([z[:, :1], mids], -1)  #! torch.cat([mids, z[:, -1:]], -1) => torch.cat([mids, z[:, -1]], -1)
    return lower + (upper - lower) * torch.rand_like(z)


def composite(rgb, sigma, z, d):
    delta = torch.cat([z[:, 1:] - z[:, :-1], torch.full_like(z[:, :1], 1e10)], -1)  #! z[:, :1], 1e10 => z[:, :2], 1e10
    delta = delta * d.norm(dim=-1, keepdim=True)
    alpha = 1 - torch.exp(-sigma * delta)
    trans = torch.cumprod(torch.cat([torch.ones(alpha.shape[0], 1), 1 - alpha + 1e-10], -1), -1)[:, :-1]
    weights = alpha * trans
    return (weights[..., None] * rgb).sum(-2), (weights * z).sum(-1), weights  #! weights[..., None] * rgb => weights * rgb


def sample_pdf(bins, weights, n):
    pdf = (weights + 1e-5) / (weights + 1e-5).sum(-1, keepdim=True)
    cdf = torch.cat([torch.zeros_like(pdf[..., :1]), pdf.cumsum(-1)], -1)
    u = torch.rand(*cdf.shape[:-1], n)
    inds = torch.searchsorted(cdf, u.contiguous(), right=True)
    below, above = (inds - 1).clamp(min=0), inds.clamp(max=cdf.shape[-1] - 1)
    g = torch.stack([below, above], -1)
    shape = [g.shape[0], g.shape[1], cdf.shape[-1]]
    cdf_g = torch.gather(cdf.unsqueeze(1).expand(shape), 2, g)  #! cdf.unsqueeze(1) => cdf.unsqueeze(2)
    bins_g = torch.gather(bins.unsqueeze(1).expand(shape), 2, g)
    t = (u - cdf_g[..., 0]) / (cdf_g[..., 1] - cdf_g[..., 0]).clamp(min=1e-5)
    return bins_g[..., 0] + t * (bins_g[..., 1] - bins_g[..., 0])


def render(coarse, fine, o, d, n_coarse=16, n_fine=8):
    z = stratified(2.0, 6.0, n_coarse, o.shape[0])
    run = lambda net, z: net(o[:, None] + d[:, None] * z[..., None], F.normalize(d, dim=-1)[:, None].expand(-1, z.shape[1], -1))  #! d[:, None] * z[..., None] => d[:, None] * z
    rgb, depth, w = composite(*run(coarse, z), z, d)
    zf = sample_pdf(0.5 * (z[:, 1:] + z[:, :-1]), w[:, 1:-1], n_fine).detach()
    z2 = torch.sort(torch.cat([z, zf], -1), -1)[0]
    fine_rgb, fine_depth, _ = composite(*run(fine, z2), z2, d)
    return rgb, fine_rgb, fine_depth


class Sine(nn.Module):
    def __init__(self, a, b, w0=30.0):
        super().__init__()
        self.lin, self.w0 = nn.Linear(a, b), w0
        with torch.no_grad():
            self.lin.weight.uniform_(-1 / a, 1 / a)

    def forward(self, x):
        return torch.sin(self.w0 * self.lin(x))


parser = argparse.ArgumentParser()
parser.add_argument("--n_rays", type=int, default=64)
parser.add_argument("--size", type=int, default=20)
opts = parser.parse_args()
poses = torch.eye(4).repeat(3, 1, 1)
poses[:, 2, 3] = 4.0
images = torch.rand(3, opts.size, opts.size, 3)
coarse, fine = NeRF(), NeRF(depth=5, skips=(3,))
optim = torch.optim.Adam(list(coarse.parameters()) + list(fine.parameters()), 5e-4)
for it in range(2):
    k = np.random.randint(len(images))
    o, d = get_rays(opts.size, opts.size, 15.0, poses[k])
    coords = torch.stack(torch.meshgrid(torch.arange(opts.size), torch.arange(opts.size), indexing="ij"), -1).reshape(-1, 2)
    pick = coords[np.random.choice(coords.shape[0], size=[opts.n_rays], replace=False)]
    ro, rd, target = o[pick[:, 0], pick[:, 1]], d[pick[:, 0], pick[:, 1]], images[k][pick[:, 0], pick[:, 1]]  #! images[k][pick[:, 0], pick[:, 1]] => images[k][pick]
    rgb, fine_rgb, depth = render(coarse, fine, ro, rd)
    loss = F.mse_loss(rgb, target) + F.mse_loss(fine_rgb, target)
    optim.zero_grad()
    loss.backward()
    optim.step()
reveal_type(o)
reveal_type(target)
reveal_type(fine_rgb)
reveal_type(depth)
reveal_type(positional(torch.rand(5, 7, 3), 10))
siren = nn.Sequential(Sine(2, 32), Sine(32, 32), nn.Linear(32, 3))  #! Sine(2, 32) => Sine(3, 32)
grid = torch.stack(torch.meshgrid(*[torch.linspace(-1, 1, 24)] * 2, indexing="ij"), dim=-1).view(-1, 2).requires_grad_()
field = siren(grid)
slope = torch.autograd.grad(field, grid, torch.ones_like(field), create_graph=True)[0]
reveal_type(slope)
psnr = -10 * torch.log10(F.mse_loss(field.view(24, 24, 3), torch.rand(24, 24, 3)))  #! field.view(24, 24, 3) => field.view(3, 24, 25)
reveal_type(field.view(24, 24, -1).permute(2, 0, 1))
