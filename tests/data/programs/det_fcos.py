"""# %% A notebook: an FCOS-like detector on random images; targets by location, focal loss, per-image NMS."""
# %%
import torch, torchvision
import torch.nn as nn, torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader
from torchvision.ops import nms, batched_nms, box_iou, sigmoid_focal_loss, FeaturePyramidNetwork
from collections import OrderedDict

torch.manual_seed(3)
NUM_CLASSES = 4
STRIDES = [8, 16, 32]
SIZE = 128
# %%
class Shapes(Dataset):
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, idx):
        g = torch.Generator().manual_seed(idx)
        img = torch.rand(3, SIZE, SIZE, generator=g)
        k = int(torch.randint(1, 5, (1,), generator=g))
        xy = torch.rand(k, 2, generator=g) * 80
        wh = torch.rand(k, 2, generator=g) * 40 + 8
        boxes = torch.cat([xy, xy + wh], dim=1)  #! dim=1 => dim=0
        labels = torch.randint(0, NUM_CLASSES, (k,), generator=g)
        return img, {"boxes": boxes, "labels": labels}

def collate(batch):
    imgs, targets = tuple(zip(*batch))
    return torch.stack(imgs), list(targets)

loader = DataLoader(Shapes(6), batch_size=2, collate_fn=collate, shuffle=True)
# %%
def conv_block(i, o, s=2):
    return nn.Sequential(nn.Conv2d(i, o, 3, s, 1, bias=False), nn.GroupNorm(8, o), nn.ReLU(inplace=True))  #! nn.GroupNorm(8, o) => nn.GroupNorm(8, i)

class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(conv_block(3, 16), conv_block(16, 32))
        self.c3, self.c4, self.c5 = conv_block(32, 48), conv_block(48, 64), conv_block(64, 96)
        self.fpn = FeaturePyramidNetwork([48, 64, 96], 64)  #! [48, 64, 96] => [48, 64, 64]
    def forward(self, x):
        feats = OrderedDict()
        x = self.stem(x)
        for name in ("c3", "c4", "c5"):
            x = getattr(self, name)(x)
            feats[name] = x
        return list(self.fpn(feats).values())

class Head(nn.Module):
    def __init__(self, ch, n_cls, n_conv=2):
        super().__init__()
        self.cls_tower = nn.Sequential(*[conv_block(ch, ch, 1) for _ in range(n_conv)])
        self.reg_tower = nn.Sequential(*[conv_block(ch, ch, 1) for _ in range(n_conv)])
        self.cls = nn.Conv2d(ch, n_cls, 3, padding=1)
        self.reg = nn.Conv2d(ch, 4, 3, padding=1)
        self.ctr = nn.Conv2d(ch, 1, 3, padding=1)
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in STRIDES])  #! torch.ones(1) => torch.ones(3)
    def forward(self, feats):
        outs = []
        for f, scale in zip(feats, self.scales):
            c, r = self.cls_tower(f), self.reg_tower(f)
            reg = F.relu(self.reg(r) * scale)
            outs.append(torch.cat([self.cls(c), reg, self.ctr(r)], 1))
        return [o.flatten(2).permute(0, 2, 1) for o in outs]  #! .permute(0, 2, 1) => .permute(0, 1, 2)

class FCOS(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = Backbone(), Head(64, NUM_CLASSES)
    def forward(self, x):
        feats = self.backbone(x)
        pts = []
        for f, s in zip(feats, STRIDES):
            h, w = f.shape[-2:]
            ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
            pts.append(torch.stack([xs, ys], -1).view(-1, 2) * s + s // 2)  #! -1).view(-1, 2) => 0).view(-1)
        pred = torch.cat(self.head(feats), dim=1)
        return pred.split([NUM_CLASSES, 4, 1], dim=-1), torch.cat(pts)  #! NUM_CLASSES, 4, 1 => NUM_CLASSES, 4
# %%
def assign(points, boxes, labels):
    x, y = points[:, 0], points[:, 1]
    l = x[:, None] - boxes[None, :, 0]
    t = y[:, None] - boxes[None, :, 1]
    r = boxes[None, :, 2] - x[:, None]
    b = boxes[None, :, 3] - y[:, None]
    ltrb = torch.stack([l, t, r, b], dim=2)
    inside = ltrb.min(dim=2)[0] > 0
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    cost = area[None].repeat(len(points), 1)
    cost[~inside] = 1e8
    best, idx = cost.min(dim=1)
    target = labels[idx].clone()
    target[best == 1e8] = NUM_CLASSES
    return target, ltrb[torch.arange(len(points)), idx]  #! torch.arange(len(points)), idx => :, idx

def losses(pred, points, targets):
    cls, reg, ctr = pred
    total = 0
    for i, t in enumerate(targets):
        label, ltrb = assign(points, t["boxes"], t["labels"])
        onehot = F.one_hot(label, NUM_CLASSES + 1)[:, :NUM_CLASSES].float()  #! [:, :NUM_CLASSES] => [:, 1:NUM_CLASSES]
        pos = label < NUM_CLASSES
        total = total + sigmoid_focal_loss(cls[i], onehot, reduction="sum") / max(1, int(pos.sum()))
        if pos.any():
            total = total + F.smooth_l1_loss(reg[i][pos], ltrb[pos] / SIZE)  #! ltrb[pos] => ltrb[pos].sum(-1)
            lr, tb = ltrb[pos][:, [0, 2]], ltrb[pos][:, [1, 3]]
            centre = torch.sqrt(lr.min(-1)[0] / lr.max(-1)[0] * tb.min(-1)[0] / tb.max(-1)[0])
            total = total + F.binary_cross_entropy_with_logits(ctr[i].squeeze(-1)[pos], centre)  #! ctr[i].squeeze(-1)[pos] => ctr[i][pos]
    return total
# %%
model = FCOS()
opt = torch.optim.AdamW(model.parameters(), 1e-3)
for epoch in range(2):
    for imgs, targets in loader:
        pred, points = model(imgs)
        loss = losses(pred, points, targets)
        opt.zero_grad(); loss.backward(); opt.step()
reveal_type(points)
reveal_type(pred[0])
# %%
model.eval()
with torch.no_grad():
    (cls, reg, ctr), points = model(torch.rand(1, 3, SIZE, SIZE))
score, label = (cls.sigmoid() * ctr.sigmoid()).sqrt()[0].max(-1)
reveal_type(score)
boxes = torch.cat([points - reg[0, :, :2], points + reg[0, :, 2:]], -1)  #! reg[0, :, 2:] => reg[0, :, 1:]
keep = batched_nms(boxes, score, label, 0.5)[:20]
final = boxes[keep].clamp(0, SIZE)
print(box_iou(final, final).shape, nms(boxes, score, 0.3).shape)
reveal_type(boxes)
