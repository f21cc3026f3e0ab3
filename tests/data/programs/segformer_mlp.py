"""A segmentation transformer: overlapping patches, attention over reduced keys, a head of linear layers on all stages."""
import math
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from timm.layers import DropPath, to_2tuple, trunc_normal_


class DWConv(nn.Module):
    def __init__(self, dim=768):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, 3, 1, 1, bias=True, groups=dim)

    def forward(self, x, H, W):
        B, N, C = x.shape
        x = x.transpose(1, 2).view(B, C, H, W)  #! x.transpose(1, 2).view(B, C, H, W) => x.transpose(1, 2).view(B, C, H)
        return self.dwconv(x).flatten(2).transpose(1, 2)


class Mlp(nn.Module):
    def __init__(self, in_features, hidden_features=None, out_features=None, drop=0.0):
        super().__init__()
        out_features = out_features or in_features
        hidden_features = hidden_features or in_features
        self.fc1, self.dwconv, self.act = nn.Linear(in_features, hidden_features), DWConv(hidden_features), nn.GELU()
        self.fc2, self.drop = nn.Linear(hidden_features, out_features), nn.Dropout(drop)

    def forward(self, x, H, W):
        return self.drop(self.fc2(self.drop(self.act(self.dwconv(self.fc1(x), H, W)))))


class Attention(nn.Module):
    def __init__(self, dim, num_heads=8, sr_ratio=1):
        super().__init__()
        assert dim % num_heads == 0, f"dim {dim} should be divided by num_heads {num_heads}."
        self.dim, self.num_heads, self.sr_ratio = dim, num_heads, sr_ratio
        self.scale = (dim // num_heads) ** -0.5
        self.q, self.kv, self.proj = nn.Linear(dim, dim), nn.Linear(dim, dim * 2), nn.Linear(dim, dim)
        if sr_ratio > 1:
            self.sr, self.norm = nn.Conv2d(dim, dim, kernel_size=sr_ratio, stride=sr_ratio), nn.LayerNorm(dim)

    def forward(self, x, H, W):
        B, N, C = x.shape
        q = self.q(x).reshape(B, N, self.num_heads, C // self.num_heads).permute(0, 2, 1, 3)
        if self.sr_ratio > 1:
            x_ = x.permute(0, 2, 1).reshape(B, C, H, W)
            x_ = self.norm(self.sr(x_).reshape(B, C, -1).permute(0, 2, 1))  #! .permute(0, 2, 1)) => )
            kv = self.kv(x_).reshape(B, -1, 2, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        else:
            kv = self.kv(x).reshape(B, -1, 2, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        k, v = kv[0], kv[1]
        attn = (q @ k.transpose(-2, -1)) * self.scale
        x = (attn.softmax(dim=-1) @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class Block(nn.Module):
    def __init__(self, dim, num_heads, mlp_ratio=4.0, drop_path=0.0, norm_layer=nn.LayerNorm, sr_ratio=1):
        super().__init__()
        self.norm1, self.attn = norm_layer(dim), Attention(dim, num_heads, sr_ratio)
        self.drop_path = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()
        self.norm2, self.mlp = norm_layer(dim), Mlp(dim, int(dim * mlp_ratio))

    def forward(self, x, H, W):
        x = x + self.drop_path(self.attn(self.norm1(x), H, W))
        return x + self.drop_path(self.mlp(self.norm2(x), H, W))


class OverlapPatchEmbed(nn.Module):
    def __init__(self, patch_size=7, stride=4, in_chans=3, embed_dim=768):
        super().__init__()
        patch_size = to_2tuple(patch_size)
        self.proj = nn.Conv2d(in_chans, embed_dim, patch_size, stride, padding=(patch_size[0] // 2, patch_size[1] // 2))
        self.norm = nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = self.proj(x)
        _, _, H, W = x.shape
        return self.norm(x.flatten(2).transpose(1, 2)), H, W


class MixVisionTransformer(nn.Module):
    def __init__(self, in_chans=3, embed_dims=(16, 32, 40, 64), num_heads=(1, 2, 5, 8), mlp_ratios=(2, 2, 2, 2), depths=(1, 1, 2, 1), sr_ratios=(8, 4, 2, 1), drop_path_rate=0.1):
        super().__init__()
        self.depths = depths
        dpr = [x.item() for x in torch.linspace(0, drop_path_rate, sum(depths))]
        cur = 0
        norm_layer = partial(nn.LayerNorm, eps=1e-6)
        for i in range(4):
            embed = OverlapPatchEmbed(7 if i == 0 else 3, 4 if i == 0 else 2, in_chans if i == 0 else embed_dims[i - 1], embed_dims[i])  #! embed_dims[i - 1], embed_dims[i] => embed_dims[i], embed_dims[i]
            blocks = nn.ModuleList([Block(embed_dims[i], num_heads[i], mlp_ratios[i], dpr[cur + j], norm_layer, sr_ratios[i]) for j in range(depths[i])])
            setattr(self, f"patch_embed{i + 1}", embed)
            setattr(self, f"block{i + 1}", blocks)
            setattr(self, f"norm{i + 1}", norm_layer(embed_dims[i]))
            cur += depths[i]
        self.apply(self._init_weights)

    def _init_weights(self, m):
        if isinstance(m, nn.Linear):
            trunc_normal_(m.weight, std=0.02)
            if isinstance(m, nn.Linear) and m.bias is not None:
                nn.init.constant_(m.bias, 0)
        elif isinstance(m, nn.Conv2d):
            fan_out = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
            fan_out //= m.groups
            m.weight.data.normal_(0, math.sqrt(2.0 / fan_out))

    def forward(self, x):
        B, outs = x.shape[0], []
        for i in range(4):
            x, H, W = getattr(self, f"patch_embed{i + 1}")(x)
            for blk in getattr(self, f"block{i + 1}"):
                x = blk(x, H, W)
            x = getattr(self, f"norm{i + 1}")(x)
            x = x.reshape(B, H, W, -1).permute(0, 3, 1, 2).contiguous()
            outs.append(x)
        return outs


class Head(nn.Module):
    def __init__(self, in_channels, dim, classes):
        super().__init__()
        self.in_channels = in_channels
        for i, c in enumerate(in_channels, start=1):
            self.add_module(f"linear_c{i}", nn.Linear(c, dim))
        self.fuse = nn.Sequential(nn.Conv2d(dim * len(in_channels), dim, 1, bias=False), nn.BatchNorm2d(dim), nn.ReLU())  #! dim * len(in_channels), dim => dim * 3, dim
        self.pred = nn.Conv2d(dim, classes, 1)

    def forward(self, inputs):
        n, outs = inputs[0].shape[0], []
        for i, c in enumerate(inputs, start=1):
            y = self._modules[f"linear_c{i}"](c.flatten(2).transpose(1, 2)).permute(0, 2, 1).reshape(n, -1, *c.shape[2:])
            outs.append(F.interpolate(y, size=inputs[0].size()[2:], mode="bilinear", align_corners=False))
        return self.pred(self.fuse(torch.cat(outs[::-1], dim=1)))


class SegFormer(nn.Module):
    def __init__(self, classes=6):
        super().__init__()
        self.backbone = MixVisionTransformer()
        self.head = Head([16, 32, 40, 64], 24, classes)

    def forward(self, x):
        return F.interpolate(self.head(self.backbone(x)), x.shape[2:], mode="bilinear")


if __name__ == "__main__":
    model = SegFormer()
    x, y = torch.rand(2, 3, 64, 96), torch.randint(0, 6, (2, 64, 96))
    out = model(x)
    F.cross_entropy(out, y).backward()
    reveal_type(out)
    feats = model.backbone(x)
    reveal_type(feats[2])
    params = [{"params": model.backbone.parameters(), "lr": 6e-5}, {"params": model.head.parameters(), "lr": 6e-4}]
    optimizer = torch.optim.AdamW(params)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, [lambda it: (1 - it / 100) ** 0.9] * 2)
    optimizer.step()
    scheduler.step()
    model.eval()
    scales = [F.interpolate(model(F.interpolate(x, scale_factor=s)), x.shape[-2:]) for s in (0.5, 1.0, 1.5)]
    reveal_type(torch.stack(scales).mean(0))
