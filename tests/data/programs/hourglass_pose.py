"""Stacked hourglass networks with recursive modules, heat maps, soft-argmax, and percentage of correct keypoints."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Conv(nn.Module):
    def __init__(self, inp_dim, out_dim, kernel_size=3, stride=1, bn=False, relu=True):
        super(Conv, self).__init__()
        self.inp_dim = inp_dim
        self.conv = nn.Conv2d(inp_dim, out_dim, kernel_size, stride, padding=(kernel_size - 1) // 2, bias=True)
        self.relu = None
        self.bn = None
        if relu:
            self.relu = nn.ReLU()
        if bn:
            self.bn = nn.BatchNorm2d(out_dim)  #! out_dim => inp_dim

    def forward(self, x):
        assert x.size()[1] == self.inp_dim, "{} {}".format(x.size()[1], self.inp_dim)
        x = self.conv(x)
        if self.bn is not None:
            x = self.bn(x)
        if self.relu is not None:
            x = self.relu(x)
        return x


class Residual(nn.Module):
    def __init__(self, inp_dim, out_dim):
        super(Residual, self).__init__()
        self.bn1 = nn.BatchNorm2d(inp_dim)
        self.conv1 = Conv(inp_dim, int(out_dim / 2), 1, relu=False)
        self.bn2 = nn.BatchNorm2d(int(out_dim / 2))
        self.conv2 = Conv(int(out_dim / 2), int(out_dim / 2), 3, relu=False)
        self.bn3 = nn.BatchNorm2d(int(out_dim / 2))
        self.conv3 = Conv(int(out_dim / 2), out_dim, 1, relu=False)  #! int(out_dim / 2), out_dim => out_dim, out_dim
        self.skip_layer = Conv(inp_dim, out_dim, 1, relu=False)
        self.need_skip = inp_dim != out_dim

    def forward(self, x):
        residual = self.skip_layer(x) if self.need_skip else x
        out = self.conv1(F.relu(self.bn1(x)))
        out = self.conv2(F.relu(self.bn2(out)))
        out = self.conv3(F.relu(self.bn3(out)))
        out += residual
        return out


class Hourglass(nn.Module):
    def __init__(self, n, f, bn=None, increase=0):
        super(Hourglass, self).__init__()
        nf = f + increase
        self.up1 = Residual(f, f)
        self.pool1 = nn.MaxPool2d(2, 2)  #! nn.MaxPool2d(2, 2) => nn.MaxPool2d(2, 1)
        self.low1 = Residual(f, nf)
        self.n = n
        self.low2 = Hourglass(n - 1, nf, bn=bn, increase=increase) if self.n > 1 else Residual(nf, nf)
        self.low3 = Residual(nf, f)  #! Residual(nf, f) => Residual(nf, nf)
        self.up2 = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, x):
        up1 = self.up1(x)
        low = self.low3(self.low2(self.low1(self.pool1(x))))
        return up1 + self.up2(low)


class Merge(nn.Module):
    def __init__(self, x_dim, y_dim):
        super(Merge, self).__init__()
        self.conv = Conv(x_dim, y_dim, 1, relu=False, bn=False)

    def forward(self, x):
        return self.conv(x)


class HeatmapLoss(nn.Module):
    def forward(self, pred, gt):
        l = (pred - gt) ** 2
        return l.mean(dim=3).mean(dim=2).mean(dim=1)  #! l.mean(dim=3).mean(dim=2).mean(dim=1) => l.mean(dim=3).mean(dim=3).mean(dim=1)


class PoseNet(nn.Module):
    def __init__(self, nstack, inp_dim, oup_dim, bn=False, increase=0, **kwargs):
        super(PoseNet, self).__init__()
        self.nstack = nstack
        self.pre = nn.Sequential(Conv(3, 16, 7, 2, bn=True), Residual(16, 32), nn.MaxPool2d(2, 2), Residual(32, 32), Residual(32, inp_dim))
        self.hgs = nn.ModuleList([nn.Sequential(Hourglass(3, inp_dim, bn, increase)) for i in range(nstack)])
        self.features = nn.ModuleList([nn.Sequential(Residual(inp_dim, inp_dim), Conv(inp_dim, inp_dim, 1, bn=True)) for i in range(nstack)])
        self.outs = nn.ModuleList([Conv(inp_dim, oup_dim, 1, relu=False, bn=False) for i in range(nstack)])
        self.merge_features = nn.ModuleList([Merge(inp_dim, inp_dim) for i in range(nstack - 1)])
        self.merge_preds = nn.ModuleList([Merge(oup_dim, inp_dim) for i in range(nstack - 1)])  #! Merge(oup_dim, inp_dim) => Merge(inp_dim, oup_dim)
        self.heatmapLoss = HeatmapLoss()

    def forward(self, imgs):
        x = imgs.permute(0, 3, 1, 2)  #! permute(0, 3, 1, 2) => permute(0, 2, 1, 3)
        x = self.pre(x)
        combined_hm_preds = []
        for i in range(self.nstack):
            hg = self.hgs[i](x)
            feature = self.features[i](hg)
            preds = self.outs[i](feature)
            combined_hm_preds.append(preds)
            if i < self.nstack - 1:
                x = x + self.merge_preds[i](preds) + self.merge_features[i](feature)
        return torch.stack(combined_hm_preds, 1)

    def calc_loss(self, combined_hm_preds, heatmaps):
        combined_loss = []
        for i in range(self.nstack):
            combined_loss.append(self.heatmapLoss(combined_hm_preds[:, i], heatmaps))  #! combined_hm_preds[:, i] => combined_hm_preds[i]
        return torch.stack(combined_loss, dim=1)


def gaussian_maps(joints, size, sigma=1.0):
    ys, xs = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    d2 = (xs - joints[..., 0, None, None]) ** 2 + (ys - joints[..., 1, None, None]) ** 2
    return torch.exp(-d2 / (2 * sigma ** 2))


def soft_argmax(heatmaps):
    n, k, h, w = heatmaps.shape
    p = heatmaps.reshape(n, k, -1).softmax(-1).reshape(n, k, h, w)
    x = (p.sum(dim=2) * torch.arange(w)).sum(-1)
    y = (p.sum(dim=3) * torch.arange(h)).sum(-1)
    return torch.stack([x, y], dim=-1)


def pck(pred, target, threshold=2.0):
    distance = torch.linalg.norm(pred - target, dim=-1)
    return (distance < threshold).float().mean(dim=0)


config = {"nstack": 2, "inp_dim": 48, "oup_dim": 7, "increase": 16, "input_res": 64, "output_res": 16}
net = PoseNet(**config)
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, net.parameters()), lr=1e-3)
for step in range(2):
    images = torch.rand(2, config["input_res"], config["input_res"], 3)
    joints = torch.rand(2, config["oup_dim"], 2) * config["output_res"]
    targets = gaussian_maps(joints, config["output_res"])  #! config["output_res"] => config["input_res"]
    combined = net(images)
    reveal_type(combined)
    loss = net.calc_loss(combined, targets)
    reveal_type(loss)
    optimizer.zero_grad()
    loss.mean().backward()
    optimizer.step()
points = soft_argmax(combined[:, -1].detach())
reveal_type(points)
reveal_type(pck(points, joints))
