"""A small radiance field: ray generation, positional encoding, stratified and importance sampling, compositing."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np


class Embedder:
    def __init__(self, **kwargs):
        self.kwargs = kwargs
        self.create_embedding_fn()

    def create_embedding_fn(self):
        embed_fns = []
        d = self.kwargs["input_dims"]
        out_dim = 0
        if self.kwargs["include_input"]:
            embed_fns.append(lambda x: x)
            out_dim += d
        max_freq = self.kwargs["max_freq_log2"]
        N_freqs = self.kwargs["num_freqs"]
        freq_bands = 2.0 ** torch.linspace(0.0, max_freq, steps=N_freqs)
        for freq in freq_bands:
            for p_fn in self.kwargs["periodic_fns"]:
                embed_fns.append(lambda x, p_fn=p_fn, freq=freq: p_fn(x * freq))
                out_dim += d
        self.embed_fns = embed_fns
        self.out_dim = out_dim

    def embed(self, inputs):
        return torch.cat([fn(inputs) for fn in self.embed_fns], -1)


def get_embedder(multires, i=0):
    if i == -1:
        return nn.Identity(), 3
    embed_kwargs = {
        "include_input": True,
        "input_dims": 3,
        "max_freq_log2": multires - 1,
        "num_freqs": multires,
        "periodic_fns": [torch.sin, torch.cos],
    }
    embedder_obj = Embedder(**embed_kwargs)
    embed = lambda x, eo=embedder_obj: eo.embed(x)
    return embed, embedder_obj.out_dim


class NeRF(nn.Module):
    def __init__(self, D=4, W=32, input_ch=3, input_ch_views=3, skips=[2]):
        super(NeRF, self).__init__()
        self.skips = skips
        self.input_ch, self.input_ch_views = input_ch, input_ch_views
        self.pts_linears = nn.ModuleList(
            [nn.Linear(input_ch, W)] + [nn.Linear(W, W) if i not in self.skips else nn.Linear(W + input_ch, W) for i in range(D - 1)]  #! i not in self.skips => True
        )
        self.views_linears = nn.ModuleList([nn.Linear(input_ch_views + W, W // 2)])  #! input_ch_views + W => W
        self.feature_linear = nn.Linear(W, W)
        self.alpha_linear = nn.Linear(W, 1)
        self.rgb_linear = nn.Linear(W // 2, 3)  #! W // 2, 3 => W, 3

    def forward(self, x):
        input_pts, input_views = torch.split(x, [self.input_ch, self.input_ch_views], dim=-1)
        h = input_pts
        for i, l in enumerate(self.pts_linears):
            h = self.pts_linears[i](h)
            h = F.relu(h)
            if i in self.skips:
                h = torch.cat([input_pts, h], -1)
        alpha = self.alpha_linear(h)
        feature = self.feature_linear(h)
        h = torch.cat([feature, input_views], -1)
        for i, l in enumerate(self.views_linears):
            h = F.relu(self.views_linears[i](h))
        rgb = self.rgb_linear(h)
        return torch.cat([rgb, alpha], -1)


def get_rays(H, W, K, c2w):
    i, j = torch.meshgrid(torch.linspace(0, W - 1, W), torch.linspace(0, H - 1, H), indexing="ij")
    i, j = i.t(), j.t()
    dirs = torch.stack([(i - K[0][2]) / K[0][0], -(j - K[1][2]) / K[1][1], -torch.ones_like(i)], -1)
    rays_d = torch.sum(dirs[..., np.newaxis, :] * c2w[:3, :3], -1)  #! c2w[:3, :3] => c2w
    rays_o = c2w[:3, -1].expand(rays_d.shape)
    return rays_o, rays_d


def sample_pdf(bins, weights, N_samples):
    weights = weights + 1e-5
    pdf = weights / torch.sum(weights, -1, keepdim=True)
    cdf = torch.cumsum(pdf, -1)
    cdf = torch.cat([torch.zeros_like(cdf[..., :1]), cdf], -1)
    u = torch.rand(list(cdf.shape[:-1]) + [N_samples])  #! list(cdf.shape[:-1]) + [N_samples] => [N_samples]
    inds = torch.searchsorted(cdf, u, right=True)
    below = torch.max(torch.zeros_like(inds - 1), inds - 1)
    above = torch.min((cdf.shape[-1] - 1) * torch.ones_like(inds), inds)
    inds_g = torch.stack([below, above], -1)
    matched_shape = [inds_g.shape[0], inds_g.shape[1], cdf.shape[-1]]
    cdf_g = torch.gather(cdf.unsqueeze(1).expand(matched_shape), 2, inds_g)  #! cdf.unsqueeze(1) => cdf.unsqueeze(0)
    bins_g = torch.gather(bins.unsqueeze(1).expand(matched_shape), 2, inds_g)
    denom = cdf_g[..., 1] - cdf_g[..., 0]
    denom = torch.where(denom < 1e-5, torch.ones_like(denom), denom)
    t = (u - cdf_g[..., 0]) / denom
    return bins_g[..., 0] + t * (bins_g[..., 1] - bins_g[..., 0])


def raw2outputs(raw, z_vals, rays_d):
    dists = z_vals[..., 1:] - z_vals[..., :-1]
    dists = torch.cat([dists, torch.Tensor([1e10]).expand(dists[..., :1].shape)], -1)  #! dists = torch.cat => _ = torch.cat
    dists = dists * torch.norm(rays_d[..., None, :], dim=-1)
    rgb = torch.sigmoid(raw[..., :3])
    alpha = 1.0 - torch.exp(-F.relu(raw[..., 3]) * dists)
    weights = alpha * torch.cumprod(torch.cat([torch.ones((alpha.shape[0], 1)), 1.0 - alpha + 1e-10], -1), -1)[:, :-1]  #! [:, :-1] =>
    rgb_map = torch.sum(weights[..., None] * rgb, -2)
    depth_map = torch.sum(weights * z_vals, -1)
    return rgb_map, depth_map, weights


def run_network(pts, viewdirs, fn, embed_fn, embeddirs_fn, netchunk=256):
    pts_flat = torch.reshape(pts, [-1, pts.shape[-1]])
    embedded = embed_fn(pts_flat)
    input_dirs = viewdirs[:, None].expand(pts.shape)  #! viewdirs[:, None] => viewdirs
    embedded = torch.cat([embedded, embeddirs_fn(torch.reshape(input_dirs, [-1, input_dirs.shape[-1]]))], -1)
    outputs_flat = torch.cat([fn(embedded[i : i + netchunk]) for i in range(0, embedded.shape[0], netchunk)], 0)
    return torch.reshape(outputs_flat, list(pts.shape[:-1]) + [outputs_flat.shape[-1]])


embed_fn, input_ch = get_embedder(6)
embeddirs_fn, input_ch_views = get_embedder(2)  #! get_embedder(2) => get_embedder(2, -1)
model = NeRF(input_ch=input_ch, input_ch_views=input_ch_views)
reveal_type(input_ch)
H, W, focal = 12, 16, 20.0
K = np.array([[focal, 0, 0.5 * W], [0, focal, 0.5 * H], [0, 0, 1]])
rays_o, rays_d = get_rays(H, W, K, torch.eye(4))
reveal_type(rays_d)
target = torch.rand(H, W, 3)
select = np.random.choice(H * W, size=[40], replace=False)
coords = torch.stack(torch.meshgrid(torch.arange(H), torch.arange(W), indexing="ij"), -1).reshape(-1, 2)[select]
rays_o, rays_d = rays_o[coords[:, 0], coords[:, 1]], rays_d[coords[:, 0], coords[:, 1]]
target_s = target[coords[:, 0], coords[:, 1]]  #! target[coords[:, 0], coords[:, 1]] => target[coords]
viewdirs = rays_d / torch.norm(rays_d, dim=-1, keepdim=True)  #! dim=-1, keepdim=True => dim=-1
t_vals = torch.linspace(0.0, 1.0, steps=8)
z_vals = (2.0 * (1.0 - t_vals) + 6.0 * t_vals).expand([40, 8])
pts = rays_o[..., None, :] + rays_d[..., None, :] * z_vals[..., :, None]
raw = run_network(pts, viewdirs, model, embed_fn, embeddirs_fn)
rgb, depth, weights = raw2outputs(raw, z_vals, rays_d)
z_mid = 0.5 * (z_vals[..., 1:] + z_vals[..., :-1])
z_samples = sample_pdf(z_mid, weights[..., 1:-1], 6).detach()
z_all, _ = torch.sort(torch.cat([z_vals, z_samples], -1), -1)
reveal_type(z_all)
pts = rays_o[..., None, :] + rays_d[..., None, :] * z_all[..., :, None]
rgb, depth, _ = raw2outputs(run_network(pts, viewdirs, model, embed_fn, embeddirs_fn), z_all, rays_d)
reveal_type(rgb)
loss = torch.mean((rgb - target_s) ** 2)
loss.backward()
