"""Set prediction: a small DETR with auxiliary outputs, a matcher, GIoU, and inference on padded images with masks."""
from typing import NamedTuple, Optional, List
import itertools
import torch
import torch.nn.functional as F
from torch import nn, Tensor
from torchvision.ops import box_convert, generalized_box_iou


class Nested(NamedTuple):
    tensors: Tensor
    mask: Tensor


def nested_tensor(images: List[Tensor]) -> Nested:
    max_size = [max(s) for s in zip(*[img.shape for img in images])]
    batch = torch.zeros(len(images), *max_size)
    mask = torch.ones(len(images), *max_size[1:], dtype=torch.bool)  #! *max_size[1:], dtype => *max_size, dtype
    for img, pad, m in zip(images, batch, mask):
        pad[:, :img.shape[1], :img.shape[2]].copy_(img)
        m[:img.shape[1], :img.shape[2]] = False
    return Nested(batch, mask)


class PositionEmbeddingSine(nn.Module):
    def __init__(self, feats=16, temperature=10000):
        super().__init__()
        self.feats, self.temperature = feats, temperature

    def forward(self, mask):
        not_mask = ~mask
        y_embed, x_embed = not_mask.cumsum(1, dtype=torch.float32), not_mask.cumsum(2, dtype=torch.float32)
        dim_t = torch.arange(self.feats, dtype=torch.float32)
        dim_t = self.temperature ** (2 * (dim_t // 2) / self.feats)
        px, py = x_embed[..., None] / dim_t, y_embed[..., None] / dim_t  #! x_embed[..., None] / dim_t, => x_embed / dim_t,
        px = torch.stack((px[..., 0::2].sin(), px[..., 1::2].cos()), dim=4).flatten(3)  #! dim=4).flatten(3) => dim=3).flatten(2)
        py = torch.stack((py[..., 0::2].sin(), py[..., 1::2].cos()), dim=4).flatten(3)
        return torch.cat((py, px), dim=3).permute(0, 3, 1, 2)


class MLP(nn.Module):
    def __init__(self, input_dim, hidden_dim, output_dim, num_layers):
        super().__init__()
        h = [hidden_dim] * (num_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(n, k) for n, k in zip([input_dim] + h, h + [output_dim]))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = F.relu(layer(x)) if i < len(self.layers) - 1 else layer(x)
        return x


class DecoderLayer(nn.TransformerDecoderLayer):
    def with_pos(self, x, pos):
        return x + pos

    def forward(self, tgt, memory, pos, query_pos, memory_key_padding_mask=None):
        q = k = self.with_pos(tgt, query_pos)
        tgt = self.norm1(tgt + self.self_attn(q, k, value=tgt)[0])
        tgt2 = self.multihead_attn(query=self.with_pos(tgt, query_pos), key=self.with_pos(memory, pos), value=memory, key_padding_mask=memory_key_padding_mask)[0]
        tgt = self.norm2(tgt + tgt2)
        return self.norm3(tgt + self.linear2(F.relu(self.linear1(tgt))))


class DETR(nn.Module):
    def __init__(self, classes=6, queries=10, dim=32, layers=2):
        super().__init__()
        self.backbone = nn.Sequential(*[nn.Sequential(nn.Conv2d(i, o, 3, 2, 1), nn.GroupNorm(4, o), nn.ReLU()) for i, o in ((3, 16), (16, 32), (32, 64))])  #! (16, 32), (32, 64) => (16, 32), (16, 64)
        self.position = PositionEmbeddingSine(dim // 2)  #! dim // 2 => dim
        self.input_proj = nn.Conv2d(64, dim, 1)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(dim, 4, 64, batch_first=True), 1, enable_nested_tensor=False)
        self.decoder = nn.ModuleList([DecoderLayer(dim, 4, 64, batch_first=True) for _ in range(layers)])
        self.query_embed = nn.Embedding(queries, dim)
        self.class_embed = nn.Linear(dim, classes + 1)
        self.bbox_embed = MLP(dim, dim, 4, 3)  #! dim, dim, 4, 3 => dim, dim, 3, 3

    def forward(self, samples: Nested):
        f = self.input_proj(self.backbone(samples.tensors))
        mask = F.interpolate(samples.mask[None].float(), size=f.shape[-2:]).to(torch.bool)[0]  #! samples.mask[None].float() => samples.mask.float()
        pos = self.position(mask).flatten(2).transpose(1, 2)
        src = f.flatten(2).transpose(1, 2)  #! .flatten(2).transpose(1, 2) => .flatten(2)
        memory = self.encoder(src + pos, src_key_padding_mask=mask.flatten(1))  #! mask.flatten(1) => mask.flatten(0)
        query_pos = self.query_embed.weight.unsqueeze(0).repeat(src.size(0), 1, 1)
        tgt = torch.zeros_like(query_pos)
        outs = []
        for layer in self.decoder:
            tgt = layer(tgt, memory, pos, query_pos, mask.flatten(1))
            outs.append(tgt)
        hs = torch.stack(outs)
        logits, boxes = self.class_embed(hs), self.bbox_embed(hs).sigmoid()
        reveal_type(logits)
        return [{"logits": l, "boxes": b} for l, b in zip(logits, boxes)]


@torch.no_grad()
def match(out, targets):
    """Greedy assignment: cheapest pairs first."""
    result = []
    for prob, boxes, t in zip(out["logits"].softmax(-1), out["boxes"], targets):
        cost_class = -prob[:, t["labels"]]
        cost_box = torch.cdist(boxes, t["boxes"], p=1)
        cost_giou = -generalized_box_iou(box_convert(boxes, "cxcywh", "xyxy"), box_convert(t["boxes"], "cxcywh", "xyxy"))
        cost = 5 * cost_box + cost_class + 2 * cost_giou  #! + cost_class + => + cost_class.T +
        rows, cols = [], []
        for flat in cost.flatten().argsort().tolist():
            i, j = divmod(flat, cost.size(1))
            if i not in rows and j not in cols:
                rows.append(i)
                cols.append(j)
        result.append((torch.tensor(rows), torch.tensor(cols)))
    return result


def set_loss(out, targets, indices, classes, eos=0.1):
    b, q, _ = out["logits"].shape
    target_classes = torch.full((b, q), classes, dtype=torch.long)
    batch_idx = torch.cat([torch.full_like(src, i) for i, (src, _) in enumerate(indices)])
    src_idx = torch.cat([src for src, _ in indices])
    target_classes[batch_idx, src_idx] = torch.cat([t["labels"][j] for t, (_, j) in zip(targets, indices)])
    weight = torch.ones(classes + 1)  #! torch.ones(classes + 1) => torch.ones(classes)
    weight[-1] = eos
    loss = F.cross_entropy(out["logits"].transpose(1, 2), target_classes, weight)  #! out["logits"].transpose(1, 2) => out["logits"]
    goal = torch.cat([t["boxes"][j] for t, (_, j) in zip(targets, indices)])
    own = out["boxes"][batch_idx, src_idx]
    giou = 1 - torch.diag(generalized_box_iou(box_convert(own, "cxcywh", "xyxy"), box_convert(goal, "cxcywh", "xyxy")))
    return loss + 5 * F.l1_loss(own, goal) + 2 * giou.mean()


torch.manual_seed(0)
images = [torch.rand(3, 64, 80), torch.rand(3, 72, 64)]
targets = [{"labels": torch.tensor([1, 2, 4]), "boxes": torch.rand(3, 4) * 0.3 + 0.3}, {"labels": torch.tensor([0]), "boxes": torch.tensor([[0.5, 0.5, 0.2, 0.2]])}]
samples = nested_tensor(images)
reveal_type(samples.tensors)
model = DETR()
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
outputs = model(samples)
loss = sum(set_loss(o, targets, match(o, targets), 6) for o in outputs)
loss.backward()
opt.step()
reveal_type(model.position(samples.mask))
scores, labels = outputs[-1]["logits"].softmax(-1)[..., :-1].max(-1)
reveal_type(scores)
scale = torch.tensor([[i.shape[2], i.shape[1], i.shape[2], i.shape[1]] for i in images])
final = box_convert(outputs[-1]["boxes"].detach(), "cxcywh", "xyxy") * scale[:, None]  #! scale[:, None] => scale
reveal_type(final)
