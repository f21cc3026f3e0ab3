"""Spatial transformers: affine and thin dense warps register pairs of images; smoothness, local cross-correlation, inverse consistency."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np


def identity_grid(size):
    vectors = [torch.linspace(-1, 1, s) for s in size]
    grids = torch.meshgrid(vectors, indexing="ij")
    return torch.stack(grids[::-1], dim=-1)


class AffineSTN(nn.Module):
    def __init__(self, size=(64, 48)):
        super().__init__()
        self.localization = nn.Sequential(nn.Conv2d(2, 8, kernel_size=7), nn.MaxPool2d(2, stride=2), nn.ReLU(True), nn.Conv2d(8, 10, kernel_size=5), nn.MaxPool2d(2, stride=2), nn.ReLU(True))
        with torch.no_grad():
            n = self.localization(torch.zeros(1, 2, *size)).numel()  #! torch.zeros(1, 2, *size) => torch.zeros(1, 3, *size)
        self.fc_loc = nn.Sequential(nn.Linear(n, 32), nn.ReLU(True), nn.Linear(32, 3 * 2))  #! nn.Linear(32, 3 * 2) => nn.Linear(32, 3 * 3)
        self.fc_loc[2].weight.data.zero_()
        self.fc_loc[2].bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))

    def forward(self, moving, fixed):
        xs = self.localization(torch.cat([moving, fixed], dim=1))
        theta = self.fc_loc(xs.flatten(1)).view(-1, 2, 3)
        grid = F.affine_grid(theta, moving.size(), align_corners=False)  #! moving.size(), align => moving.size()[1:], align
        return F.grid_sample(moving, grid, align_corners=False), theta


class FlowUNet(nn.Module):
    def __init__(self, chs=(8, 16, 24)):
        super().__init__()
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        c = 2
        for ch in chs:
            self.down.append(nn.Sequential(nn.Conv2d(c, ch, 3, 2, 1), nn.LeakyReLU(0.2)))
            c = ch
        skips = [2, *chs[:-1]]
        for ch in reversed(skips):
            self.up.append(nn.Sequential(nn.Conv2d(c + ch, max(ch, 8), 3, 1, 1), nn.LeakyReLU(0.2)))  #! nn.Conv2d(c + ch, => nn.Conv2d(c,
            c = max(ch, 8)
        self.flow = nn.Conv2d(c, 2, 3, padding=1)

    def forward(self, moving, fixed):
        x = torch.cat((moving, fixed), 1)
        history = [x]
        for layer in self.down:
            x = layer(x)
            history.append(x)
        history.pop()
        for layer in self.up:
            skip = history.pop()
            x = F.interpolate(x, size=skip.shape[2:], mode="bilinear", align_corners=False)
            x = layer(torch.cat([x, skip], dim=1))
        return self.flow(x)


class Warp(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("grid", identity_grid(size))

    def forward(self, image, flow):
        return F.grid_sample(image, self.grid + flow.permute(0, 2, 3, 1), padding_mode="border", align_corners=True)  #! flow.permute(0, 2, 3, 1) => flow


def integrate(flow, warp, steps=4):
    v = flow / 2 ** steps
    for _ in range(steps):
        v = v + warp(v, v)
    return v


def ncc(a, b, win=5):
    kernel = torch.ones(1, 1, win, win)
    mean = lambda x: F.conv2d(x, kernel, padding=win // 2) / win ** 2
    ma, mb = mean(a), mean(b)
    cross = mean(a * b) - ma * mb
    va, vb = mean(a * a) - ma ** 2, mean(b * b) - mb ** 2
    return -(cross ** 2 / (va * vb + 1e-5)).mean()


def smoothness(flow):
    dy = (flow[:, :, 1:] - flow[:, :, :-1]).abs()  #! flow[:, :, :-1] => flow[:, :, :-2]
    dx = (flow[:, :, :, 1:] - flow[:, :, :, :-1]).abs()
    return dy.pow(2).mean() + dx.pow(2).mean()


def jacobian_determinant(disp):
    """disp: numpy [2, h, w]"""
    grad = np.stack(np.gradient(disp, axis=(1, 2)))
    jac = grad + np.eye(2)[:, :, None, None]  #! [:, :, None, None] => [:, :, None]
    return jac[0, 0] * jac[1, 1] - jac[0, 1] * jac[1, 0]


torch.manual_seed(0)
size = (64, 48)
base = F.interpolate(torch.rand(4, 1, 8, 6), size=size, mode="bicubic")
fixed, moving = base, torch.roll(base, shifts=(2, -1), dims=(2, 3))
affine, dense, warp = AffineSTN(size), FlowUNet(), Warp(size)  #! Warp(size) => Warp(size[::-1])
optimizer = torch.optim.Adam([*affine.parameters(), *dense.parameters()], lr=1e-3)
for _ in range(2):
    coarse, theta = affine(moving, fixed)
    flow = dense(coarse, fixed)
    forward, backward = integrate(flow, warp), integrate(-flow, warp)
    warped = warp(coarse, forward)
    residual = forward + warp(backward, forward)
    loss = ncc(warped, fixed) + 0.1 * smoothness(flow) + 0.1 * residual.abs().mean() + 0.01 * (theta - torch.eye(2, 3)).pow(2).mean()  #! torch.eye(2, 3) => torch.eye(3, 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
reveal_type(theta)
reveal_type(flow)
reveal_type(warped)
det = jacobian_determinant(forward[0].detach().numpy())
reveal_type(det)
inverse = torch.linalg.inv(torch.cat([theta, torch.tensor([[[0.0, 0, 1]]]).expand(4, -1, -1)], dim=1))  #! .expand(4, -1, -1) => .expand(2, -1, -1)
reveal_type(inverse[:, :2])
