"""RAFT in small: feature and context encoders, an all-pairs correlation pyramid, lookup by grid_sample, ConvGRU updates, convex upsampling."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def coords_grid(batch, ht, wd):
    coords = torch.meshgrid(torch.arange(ht), torch.arange(wd), indexing="ij")
    coords = torch.stack(coords[::-1], dim=0).float()
    return coords[None].repeat(batch, 1, 1, 1)


def bilinear_sampler(img, coords):
    H, W = img.shape[-2:]
    xgrid, ygrid = coords.split([1, 1], dim=-1)
    xgrid = 2 * xgrid / (W - 1) - 1
    ygrid = 2 * ygrid / (H - 1) - 1
    grid = torch.cat([xgrid, ygrid], dim=-1)
    return F.grid_sample(img, grid, align_corners=True)


class ResidualBlock(nn.Module):
    def __init__(self, in_planes, planes, norm_fn="group", stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, 3, padding=1, stride=stride)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)
        num_groups = planes // 8
        norms = {"group": lambda: nn.GroupNorm(num_groups, planes), "batch": lambda: nn.BatchNorm2d(planes), "instance": lambda: nn.InstanceNorm2d(planes), "none": nn.Sequential}  #! nn.GroupNorm(num_groups, planes) => nn.GroupNorm(planes, num_groups) #! nn.InstanceNorm2d(planes) => nn.InstanceNorm2d(in_planes, affine=True)
        self.norm1, self.norm2 = norms[norm_fn](), norms[norm_fn]()
        self.downsample = None if stride == 1 else nn.Sequential(nn.Conv2d(in_planes, planes, 1, stride=stride), norms[norm_fn]())

    def forward(self, x):
        y = self.relu(self.norm1(self.conv1(x)))
        y = self.relu(self.norm2(self.conv2(y)))
        if self.downsample is not None:
            x = self.downsample(x)
        return self.relu(x + y)


class Encoder(nn.Module):
    def __init__(self, output_dim=32, norm_fn="batch"):
        super().__init__()
        self.in_planes = 16
        self.norm_fn = norm_fn
        self.conv1 = nn.Conv2d(3, 16, 7, stride=2, padding=3)
        self.layer1 = self._make_layer(16, stride=1)
        self.layer2 = self._make_layer(24, stride=2)
        self.layer3 = self._make_layer(32, stride=2)
        self.conv2 = nn.Conv2d(32, output_dim, 1)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def _make_layer(self, dim, stride=1):
        layers = (ResidualBlock(self.in_planes, dim, self.norm_fn, stride=stride), ResidualBlock(dim, dim, self.norm_fn, stride=1))
        self.in_planes = dim  #! self.in_planes = dim => self.in_planes = 16
        return nn.Sequential(*layers)

    def forward(self, x):
        is_list = isinstance(x, tuple) or isinstance(x, list)
        if is_list:
            batch_dim = x[0].shape[0]
            x = torch.cat(x, dim=0)
        x = self.layer3(self.layer2(self.layer1(F.relu(self.conv1(x)))))
        x = self.conv2(x)
        if is_list:
            x = torch.split(x, [batch_dim, batch_dim], dim=0)
        return x


class CorrBlock:
    def __init__(self, fmap1, fmap2, num_levels=3, radius=2):
        self.num_levels, self.radius = num_levels, radius
        self.pyramid = []
        corr = CorrBlock.corr(fmap1, fmap2)
        batch, h1, w1, dim, h2, w2 = corr.shape
        corr = corr.reshape(batch * h1 * w1, dim, h2, w2)
        self.pyramid.append(corr)
        for _ in range(num_levels - 1):
            corr = F.avg_pool2d(corr, 2, stride=2)
            self.pyramid.append(corr)

    def __call__(self, coords):
        r = self.radius
        coords = coords.permute(0, 2, 3, 1)  #! .permute(0, 2, 3, 1) => .permute(0, 3, 2, 1)
        batch, h1, w1, _ = coords.shape
        out = []
        for i in range(self.num_levels):
            dx = torch.linspace(-r, r, 2 * r + 1)
            dy = torch.linspace(-r, r, 2 * r + 1)
            delta = torch.stack(torch.meshgrid(dy, dx, indexing="ij"), dim=-1)
            centroid = coords.reshape(batch * h1 * w1, 1, 1, 2) / 2 ** i
            corr = bilinear_sampler(self.pyramid[i], centroid + delta.view(1, 2 * r + 1, 2 * r + 1, 2))  #! delta.view(1, 2 * r + 1, 2 * r + 1, 2) => delta.view(1, 2, 2 * r + 1, 2 * r + 1)
            out.append(corr.view(batch, h1, w1, -1))
        return torch.cat(out, dim=-1).permute(0, 3, 1, 2).contiguous().float()

    @staticmethod
    def corr(fmap1, fmap2):
        batch, dim, ht, wd = fmap1.shape
        fmap1 = fmap1.view(batch, dim, ht * wd)
        fmap2 = fmap2.view(batch, dim, ht * wd)
        corr = torch.matmul(fmap1.transpose(1, 2), fmap2)  #! fmap1.transpose(1, 2), fmap2 => fmap1, fmap2
        return corr.view(batch, ht, wd, 1, ht, wd) / torch.sqrt(torch.tensor(dim).float())


class SepConvGRU(nn.Module):
    def __init__(self, hidden=24, inp=56):
        super().__init__()
        for name, k in (("1", (1, 5)), ("2", (5, 1))):
            for gate in "zrq":
                setattr(self, f"conv{gate}{name}", nn.Conv2d(hidden + inp, hidden, k, padding=(k[0] // 2, k[1] // 2)))  #! hidden + inp, hidden, k => inp, hidden, k

    def forward(self, h, x):
        for i in ("1", "2"):
            hx = torch.cat([h, x], dim=1)
            z = torch.sigmoid(getattr(self, "convz" + i)(hx))
            r = torch.sigmoid(getattr(self, "convr" + i)(hx))
            q = torch.tanh(getattr(self, "convq" + i)(torch.cat([r * h, x], dim=1)))
            h = (1 - z) * h + z * q
        return h


class UpdateBlock(nn.Module):
    def __init__(self, corr_planes, hidden=24, context=24):
        super().__init__()
        self.convc = nn.Conv2d(corr_planes, 24, 1)
        self.convf = nn.Conv2d(2, 16, 7, padding=3)
        self.conv = nn.Conv2d(24 + 16, 32 - 2, 3, padding=1)  #! 32 - 2, 3 => 32, 3
        self.gru = SepConvGRU(hidden, context + 32)
        self.flow_head = nn.Sequential(nn.Conv2d(hidden, 32, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(32, 2, 3, padding=1))
        self.mask = nn.Sequential(nn.Conv2d(hidden, 32, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(32, 64 * 9, 1))  #! 64 * 9 => 64 * 8

    def forward(self, net, inp, corr, flow):
        cor, flo = F.relu(self.convc(corr)), F.relu(self.convf(flow))
        motion = torch.cat([F.relu(self.conv(torch.cat([cor, flo], dim=1))), flow], dim=1)
        net = self.gru(net, torch.cat([inp, motion], dim=1))
        return net, 0.25 * self.mask(net), self.flow_head(net)


class RAFT(nn.Module):
    def __init__(self, levels=3, radius=2, hidden=24, context=24):
        super().__init__()
        self.hdim, self.cdim, self.levels, self.radius = hidden, context, levels, radius
        self.fnet = Encoder(32, norm_fn="instance")
        self.cnet = Encoder(hidden + context, norm_fn="batch")  #! hidden + context, norm_fn => hidden * 3, norm_fn
        self.update_block = UpdateBlock(levels * (2 * radius + 1) ** 2)  #! levels * (2 * radius + 1) ** 2 => levels * (2 * radius) ** 2

    def upsample_flow(self, flow, mask):
        N, _, H, W = flow.shape
        mask = torch.softmax(mask.view(N, 1, 9, 8, 8, H, W), dim=2)
        up = F.unfold(8 * flow, [3, 3], padding=1).view(N, 2, 9, 1, 1, H, W)  #! padding=1).view => padding=0).view
        up = torch.sum(mask * up, dim=2).permute(0, 1, 4, 2, 5, 3)
        return up.reshape(N, 2, 8 * H, 8 * W)

    def forward(self, image1, image2, iters=3):
        image1, image2 = 2 * (image1 / 255.0) - 1.0, 2 * (image2 / 255.0) - 1.0
        fmap1, fmap2 = self.fnet([image1, image2])
        corr_fn = CorrBlock(fmap1, fmap2, self.levels, self.radius)
        net, inp = torch.split(self.cnet(image1), [self.hdim, self.cdim], dim=1)
        net, inp = torch.tanh(net), torch.relu(inp)
        N, C, H, W = image1.shape
        coords0, coords1 = coords_grid(N, H // 8, W // 8), coords_grid(N, H // 8, W // 8)
        predictions = []
        for itr in range(iters):
            coords1 = coords1.detach()
            corr = corr_fn(coords1)
            flow = coords1 - coords0
            net, up_mask, delta = self.update_block(net, inp, corr, flow)
            coords1 = coords1 + delta
            predictions.append(self.upsample_flow(coords1 - coords0, up_mask))
        reveal_type(corr)
        return predictions


def sequence_loss(preds, gt, valid, gamma=0.8, max_flow=400):
    mag = torch.sum(gt ** 2, dim=1).sqrt()
    valid = (valid >= 0.5) & (mag < max_flow)
    loss = 0.0
    for i, p in enumerate(preds):
        loss += gamma ** (len(preds) - i - 1) * (valid[:, None] * (p - gt).abs()).mean()  #! valid[:, None] => valid[None]
    epe = torch.sum((preds[-1] - gt) ** 2, dim=1).sqrt().view(-1)[valid.view(-1)]
    return loss, {"epe": epe.mean().item(), "1px": (epe < 1).float().mean().item()}


model = RAFT()
opt = torch.optim.AdamW(model.parameters(), lr=2e-5, eps=1e-8)
scheduler = torch.optim.lr_scheduler.OneCycleLR(opt, 2e-5, 12, pct_start=0.05, cycle_momentum=False, anneal_strategy="linear")
scaler = torch.amp.GradScaler("cpu", enabled=False)
im1, im2 = torch.rand(2, 3, 96, 128) * 255, torch.rand(2, 3, 96, 128) * 255
flow, valid = torch.randn(2, 2, 96, 128), torch.ones(2, 96, 128)
preds = model(im1, im2)
loss, metrics = sequence_loss(preds, flow, valid)
scaler.scale(loss).backward()
scaler.unscale_(opt)
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(opt)
scheduler.step()
scaler.update()
reveal_type(preds[-1])
