"""Window attention with shifts and relative positions, patch merging."""
import torch
import torch.nn as nn
from timm.layers import DropPath, trunc_normal_
from einops.layers.torch import Rearrange


def window_partition(x, ws):
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, ws, ws, C)


def window_reverse(windows, ws, H, W):
    B = int(windows.shape[0] / (H * W / ws / ws))
    x = windows.view(B, H // ws, W // ws, ws, ws, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, -1)


class WindowAttention(nn.Module):
    def __init__(self, dim, window_size, num_heads):
        super().__init__()
        self.window_size, self.num_heads = window_size, num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * window_size[0] - 1) * (2 * window_size[1] - 1), num_heads))
        coords = torch.stack(torch.meshgrid([torch.arange(window_size[0]), torch.arange(window_size[1])], indexing="ij"))
        coords_flatten = torch.flatten(coords, 1)
        relative = coords_flatten[:, :, None] - coords_flatten[:, None, :]
        relative = relative.permute(1, 2, 0).contiguous()
        relative[:, :, 0] += window_size[0] - 1
        relative[:, :, 1] += window_size[1] - 1
        relative[:, :, 0] *= 2 * window_size[1] - 1
        self.register_buffer("relative_position_index", relative.sum(-1))
        self.qkv = nn.Linear(dim, dim * 3)  #! dim * 3 => dim * 2
        self.proj = nn.Linear(dim, dim)
        trunc_normal_(self.relative_position_bias_table, std=0.02)

    def forward(self, x, mask=None):
        B_, N, C = x.shape
        qkv = self.qkv(x).reshape(B_, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)  #! permute(2, 0, 3, 1, 4) => permute(2, 0, 1, 3, 4)
        q, k, v = qkv.unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        bias = self.relative_position_bias_table[self.relative_position_index.view(-1)].view(N, N, -1)  #! .view(-1)].view(N, N, -1) => .view(-1)]
        attn = attn + bias.permute(2, 0, 1).contiguous().unsqueeze(0)
        if mask is not None:
            nW = mask.shape[0]
            attn = attn.view(B_ // nW, nW, self.num_heads, N, N) + mask.unsqueeze(1).unsqueeze(0)  #! mask.unsqueeze(1).unsqueeze(0) => mask.unsqueeze(0)
            attn = attn.view(-1, self.num_heads, N, N)
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(B_, N, C)
        return self.proj(x)


class SwinBlock(nn.Module):
    def __init__(self, dim, resolution, heads, window=4, shift=0, drop_path=0.1):
        super().__init__()
        self.resolution, self.window, self.shift = resolution, window, shift
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, (window, window), heads)
        self.drop_path = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        mask = None
        if shift > 0:
            H, W = resolution
            img_mask = torch.zeros((1, H, W, 1))
            slices = (slice(0, -window), slice(-window, -shift), slice(-shift, None))
            cnt = 0
            for h in slices:
                for w in slices:
                    img_mask[:, h, w, :] = cnt
                    cnt += 1
            mask_windows = window_partition(img_mask, window).view(-1, window * window)
            mask = mask_windows.unsqueeze(1) - mask_windows.unsqueeze(2)
            mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)
        self.register_buffer("mask", mask)

    def forward(self, x):
        H, W = self.resolution
        B, L, C = x.shape
        assert L == H * W, "input feature has wrong size"
        shortcut = x
        x = self.norm1(x).view(B, H, W, C)
        if self.shift > 0:
            x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        x_windows = window_partition(x, self.window).view(-1, self.window * self.window, C)
        attn_windows = self.attn(x_windows, mask=self.mask)
        x = window_reverse(attn_windows.view(-1, self.window, self.window, C), self.window, H, W)
        if self.shift > 0:
            x = torch.roll(x, shifts=(self.shift, self.shift), dims=(1, 2))
        x = shortcut + self.drop_path(x.view(B, H * W, C))  #! x.view(B, H * W, C) => x
        return x + self.drop_path(self.mlp(self.norm2(x)))


class PatchMerging(nn.Module):
    def __init__(self, resolution, dim):
        super().__init__()
        self.resolution = resolution
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)  #! 4 * dim, 2 => 2 * dim, 2
        self.norm = nn.LayerNorm(4 * dim)

    def forward(self, x):
        H, W = self.resolution
        B, L, C = x.shape
        assert L == H * W and H % 2 == 0 and W % 2 == 0
        x = x.view(B, H, W, C)
        x = torch.cat([x[:, i::2, j::2, :] for j in range(2) for i in range(2)], -1)  #! -1) => 1)
        return self.reduction(self.norm(x.view(B, -1, 4 * C)))


class Swin(nn.Module):
    def __init__(self, img=64, patch=4, dim=24, depths=(2, 2), heads=(2, 4), classes=10):
        super().__init__()
        res = img // patch
        self.embed = nn.Sequential(nn.Conv2d(3, dim, patch, patch), Rearrange("b c h w -> b (h w) c"), nn.LayerNorm(dim))  #! b (h w) c => b c (h w)
        dpr = [x.item() for x in torch.linspace(0, 0.1, sum(depths))]
        layers = []
        for i, (depth, head) in enumerate(zip(depths, heads)):
            for j in range(depth):
                layers.append(SwinBlock(dim, (res, res), head, shift=0 if j % 2 == 0 else 2, drop_path=dpr[sum(depths[:i]) + j]))
            if i < len(depths) - 1:
                layers.append(PatchMerging((res, res), dim))
                res //= 2  #! res //= 2 => pass
                dim *= 2
        self.layers = nn.Sequential(*layers)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.norm(self.layers(self.embed(x)))
        return self.head(x.mean(1))  #! x.mean(1) => x.mean(2)


net = Swin()
out = net(torch.rand(2, 3, 64, 64))  #! 64, 64 => 96, 96
reveal_type(out)
out.sum().backward()
