"""Detection as a set: a transformer with learned queries, positions of sines, matching by cost, losses of every layer."""
from typing import List, NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torchvision.ops import box_convert, generalized_box_iou


class NestedTensor(NamedTuple):
    tensors: Tensor
    mask: Tensor


def nested_tensor_from_tensor_list(images: List[Tensor]) -> NestedTensor:
    sizes = [list(img.shape) for img in images]
    c, h, w = [max(s) for s in zip(*sizes)]
    batch = torch.zeros(len(images), c, h, w)
    mask = torch.ones(len(images), h, w, dtype=torch.bool)
    for img, pad, m in zip(images, batch, mask):
        pad[: img.shape[0], : img.shape[1], : img.shape[2]].copy_(img)
        m[: img.shape[1], : img.shape[2]] = False
    return NestedTensor(batch, mask)


class PositionEmbeddingSine(nn.Module):
    def __init__(self, num_pos_feats=16, temperature=10000):
        super().__init__()
        self.num_pos_feats, self.temperature = num_pos_feats, temperature

    def forward(self, mask):
        not_mask = ~mask
        y_embed, x_embed = not_mask.cumsum(1, dtype=torch.float32), not_mask.cumsum(2, dtype=torch.float32)
        dim_t = torch.arange(self.num_pos_feats, dtype=torch.float32)
        dim_t = self.temperature ** (2 * torch.div(dim_t, 2, rounding_mode="floor") / self.num_pos_feats)
        pos_x, pos_y = x_embed[:, :, :, None] / dim_t, y_embed[:, :, :, None] / dim_t
        pos_x = torch.stack((pos_x[:, :, :, 0::2].sin(), pos_x[:, :, :, 1::2].cos()), dim=4).flatten(3)
        pos_y = torch.stack((pos_y[:, :, :, 0::2].sin(), pos_y[:, :, :, 1::2].cos()), dim=4).flatten(3)
        return torch.cat((pos_y, pos_x), dim=3).permute(0, 3, 1, 2)  #! .permute(0, 3, 1, 2) => .permute(0, 3, 2, 1)


class DecoderLayer(nn.TransformerDecoderLayer):
    def forward(self, tgt, memory, key_padding_mask=None, pos=None, query_pos=None):
        q = k = tgt + query_pos
        tgt = self.norm1(tgt + self.dropout1(self.self_attn(q, k, value=tgt)[0]))
        cross = self.multihead_attn(query=tgt + query_pos, key=memory + pos, value=memory, key_padding_mask=key_padding_mask)[0]
        tgt = self.norm2(tgt + self.dropout2(cross))
        return self.norm3(tgt + self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(tgt))))))


class MLP(nn.Module):
    def __init__(self, input_dim, hidden_dim, output_dim, num_layers):
        super().__init__()
        self.num_layers = num_layers
        h = [hidden_dim] * (num_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(n, k) for n, k in zip([input_dim] + h, h + [output_dim]))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = F.relu(layer(x)) if i < self.num_layers - 1 else layer(x)
        return x


class DETR(nn.Module):
    def __init__(self, num_classes=5, num_queries=12, dim=32, heads=4, layers=2):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 16, 7, 4, 3), nn.ReLU(), nn.Conv2d(16, 48, 3, 4, 1), nn.ReLU())
        self.input_proj = nn.Conv2d(48, dim, kernel_size=1)
        self.position = PositionEmbeddingSine(dim // 2)  #! dim // 2 => dim
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(dim, heads, 64, 0.0), layers, enable_nested_tensor=False)
        self.decoder = nn.ModuleList([DecoderLayer(dim, heads, 64, 0.0) for _ in range(layers)])
        self.query_embed = nn.Embedding(num_queries, dim)
        self.class_embed = nn.Linear(dim, num_classes + 1)
        self.bbox_embed = MLP(dim, dim, 4, 3)

    def forward(self, samples):
        if isinstance(samples, (list, tuple)):
            samples = nested_tensor_from_tensor_list(samples)
        features = self.backbone(samples.tensors)
        mask = F.interpolate(samples.mask[None].float(), size=features.shape[-2:]).to(torch.bool)[0]
        pos = self.position(mask).flatten(2).permute(2, 0, 1)
        src = self.input_proj(features).flatten(2).permute(2, 0, 1)
        mask = mask.flatten(1)
        memory = self.encoder(src + pos, src_key_padding_mask=mask)
        query = self.query_embed.weight.unsqueeze(1).repeat(1, src.shape[1], 1)  #! src.shape[1], 1) => src.shape[0], 1)
        out, hs = torch.zeros_like(query), []
        for layer in self.decoder:
            out = layer(out, memory, key_padding_mask=mask, pos=pos, query_pos=query)
            hs.append(out.transpose(0, 1))
        hs = torch.stack(hs)
        logits, boxes = self.class_embed(hs), self.bbox_embed(hs).sigmoid()
        reveal_type(boxes)
        aux = [{"pred_logits": a, "pred_boxes": b} for a, b in zip(logits[:-1], boxes[:-1])]
        return {"pred_logits": logits[-1], "pred_boxes": boxes[-1], "aux_outputs": aux}


class Criterion(nn.Module):
    def __init__(self, num_classes, eos_coef=0.1):
        super().__init__()
        self.num_classes = num_classes
        weight = torch.ones(num_classes + 1)
        weight[-1] = eos_coef
        self.register_buffer("empty_weight", weight)

    @torch.no_grad()
    def match(self, outputs, targets):
        bs, num_queries = outputs["pred_logits"].shape[:2]
        prob = outputs["pred_logits"].flatten(0, 1).softmax(-1)
        boxes = outputs["pred_boxes"].flatten(0, 1)
        ids, tgt = torch.cat([v["labels"] for v in targets]), torch.cat([v["boxes"] for v in targets])
        cost = 5 * torch.cdist(boxes, tgt, p=1) - prob[:, ids]
        cost = cost - 2 * generalized_box_iou(box_convert(boxes, "cxcywh", "xyxy"), box_convert(tgt, "cxcywh", "xyxy"))
        cost = cost.view(bs, num_queries, -1)
        indices = []
        for i, c in enumerate(cost.split([len(v["boxes"]) for v in targets], -1)):
            rows = c[i].argsort(dim=0)[0]
            indices.append((rows, torch.arange(len(rows))))
        return indices

    def forward(self, outputs, targets):
        losses = {}
        for k, out in enumerate([outputs] + outputs["aux_outputs"]):
            indices = self.match(out, targets)
            batch_idx = torch.cat([torch.full_like(src, i) for i, (src, _) in enumerate(indices)])
            idx = batch_idx, torch.cat([src for (src, _) in indices])
            classes_o = torch.cat([t["labels"][J] for t, (_, J) in zip(targets, indices)])
            target_classes = torch.full(out["pred_logits"].shape[:2], self.num_classes, dtype=torch.int64)
            target_classes[idx] = classes_o
            losses[f"ce_{k}"] = F.cross_entropy(out["pred_logits"].transpose(1, 2), target_classes, self.empty_weight)  #! .transpose(1, 2), target_classes => , target_classes
            src_boxes = out["pred_boxes"][idx]
            target_boxes = torch.cat([t["boxes"][i] for t, (_, i) in zip(targets, indices)], dim=0)
            losses[f"bbox_{k}"] = F.l1_loss(src_boxes, target_boxes)  #! (src_boxes, target_boxes) => (src_boxes, target_boxes.T)
        return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    model, criterion = DETR(), Criterion(5)
    images = [torch.rand(3, 64, 96), torch.rand(3, 80, 80)]
    targets = [{"labels": torch.tensor([1, 3]), "boxes": torch.rand(2, 4)}, {"labels": torch.tensor([0, 2, 4]), "boxes": torch.rand(3, 4)}]
    outputs = model(images)
    losses = criterion(outputs, targets)
    sum(losses.values()).backward()
    reveal_type(outputs["pred_logits"])
    scores, labels = outputs["pred_logits"].softmax(-1)[..., :-1].max(-1)
    reveal_type(scores)
    scale = torch.tensor([[96, 64, 96, 64], [80, 80, 80, 80]], dtype=torch.float32)
    reveal_type(box_convert(outputs["pred_boxes"], "cxcywh", "xyxy") * scale[:, None, :])  #! scale[:, None, :] => scale
