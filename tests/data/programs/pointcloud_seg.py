"""Point cloud segmentation: farthest point sampling, ball query, set abstraction, feature propagation."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def square_distance(a, b):
    d = -2 * a @ b.transpose(1, 2)  #! b.transpose(1, 2) => b
    d = d + (a ** 2).sum(-1)[:, :, None]
    return d + (b ** 2).sum(-1)[:, None, :]  #! [:, None, :] => [:, :, None]


def index_points(points, idx):
    b = points.shape[0]
    view = list(idx.shape)
    view[1:] = [1] * (len(view) - 1)
    rep = list(idx.shape)
    rep[0] = 1
    rows = torch.arange(b).view(view).repeat(rep)
    return points[rows, idx, :]


def farthest(xyz, n):
    b, total, _ = xyz.shape
    chosen = torch.zeros(b, n, dtype=torch.long)
    dist = torch.full((b, total), 1e10)
    far = torch.randint(0, total, (b,))
    rows = torch.arange(b)
    for i in range(n):
        chosen[:, i] = far
        centre = xyz[rows, far].view(b, 1, 3)  #! .view(b, 1, 3) => 
        d = ((xyz - centre) ** 2).sum(-1)
        dist = torch.minimum(dist, d)
        far = dist.max(-1)[1]
    return chosen


def ball_query(radius, k, xyz, centres):
    b, n, _ = xyz.shape
    s = centres.shape[1]
    group = torch.arange(n).view(1, 1, n).repeat(b, s, 1)
    group[square_distance(centres, xyz) > radius ** 2] = n
    group = group.sort(dim=-1)[0][:, :, :k]
    first = group[:, :, :1].repeat(1, 1, k)  #! .repeat(1, 1, k) => .repeat(1, k, 1)
    mask = group == n
    group[mask] = first[mask]
    return group.clamp(max=n - 1)


class SetAbstraction(nn.Module):
    def __init__(self, npoint, radius, k, cin, widths):
        super().__init__()
        self.npoint, self.radius, self.k = npoint, radius, k
        layers, c = [], cin + 3  #! cin + 3 => cin
        for w in widths:
            layers += [nn.Conv2d(c, w, 1), nn.BatchNorm2d(w), nn.ReLU()]
            c = w
        self.mlp = nn.Sequential(*layers)

    def forward(self, xyz, feats):
        centres = index_points(xyz, farthest(xyz, self.npoint))
        idx = ball_query(self.radius, self.k, xyz, centres)
        local = index_points(xyz, idx) - centres.unsqueeze(2)  #! centres.unsqueeze(2) => centres
        if feats is not None:
            local = torch.cat([local, index_points(feats, idx)], -1)
        x = self.mlp(local.permute(0, 3, 2, 1))  #! .permute(0, 3, 2, 1) => 
        return centres, x.max(2)[0].transpose(1, 2)


class Propagation(nn.Module):
    def __init__(self, cin, widths):
        super().__init__()
        self.layers = nn.ModuleList()
        for w in widths:
            self.layers.append(nn.Sequential(nn.Conv1d(cin, w, 1), nn.BatchNorm1d(w), nn.ReLU()))
            cin = w

    def forward(self, xyz1, xyz2, f1, f2):
        d, idx = square_distance(xyz1, xyz2).sort(-1)
        w = 1 / (d[..., :3] + 1e-8)
        w = w / w.sum(-1, keepdim=True)
        x = (index_points(f2, idx[..., :3]) * w.unsqueeze(-1)).sum(2)  #! w.unsqueeze(-1) => w
        if f1 is not None:
            x = torch.cat([f1, x], -1)
        x = x.transpose(1, 2)
        for layer in self.layers:
            x = layer(x)
        return x.transpose(1, 2)


class SegNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.sa1, self.sa2 = SetAbstraction(32, 0.3, 8, 3, [16, 32]), SetAbstraction(8, 0.6, 8, 32, [32, 64])
        self.fp2, self.fp1 = Propagation(64 + 32, [64]), Propagation(64 + 3, [64, 32])  #! Propagation(64 + 32, [64]) => Propagation(64, [64])
        self.head = nn.Sequential(nn.Dropout(0.3), nn.Linear(32, classes))

    def forward(self, cloud):
        xyz, colour = cloud[..., :3], cloud[..., 3:]
        x1, f1 = self.sa1(xyz, colour)
        x2, f2 = self.sa2(x1, f1)
        f1 = self.fp2(x1, x2, f1, f2)
        return self.head(self.fp1(xyz, x1, colour, f1)), f2  #! self.fp1(xyz, x1, colour, f1) => self.fp1(x1, xyz, colour, f1)


net = SegNet(5)
opt = torch.optim.Adam(net.parameters())
for _ in range(2):
    cloud, labels = torch.rand(3, 100, 6), torch.randint(0, 5, (3, 100))
    logits, deep = net(cloud)
    loss = F.cross_entropy(logits.reshape(-1, 5), labels.view(-1), weight=torch.ones(5))  #! torch.ones(5) => torch.ones(6)
    loss.backward()
    opt.step()
    opt.zero_grad()
reveal_type(logits)
reveal_type(deep)
reveal_type(ball_query(0.2, 4, cloud[..., :3], cloud[:, :10, :3]))
pred = logits.argmax(2)
ious = torch.stack([((pred == c) & (labels == c)).sum(1) / ((pred == c) | (labels == c)).sum(1).clamp(min=1) for c in range(5)], 1)
reveal_type(ious)
hist = torch.histc(pred.float(), bins=5, min=0, max=4)
reveal_type(hist)
