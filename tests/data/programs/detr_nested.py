"""Set prediction: a nested tensor with masks, sine positions, an encoder-decoder with auxiliary outputs, assignment, and box losses."""
import math
from typing import List, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class NestedTensor(object):
    def __init__(self, tensors, mask: Optional[Tensor]):
        self.tensors = tensors
        self.mask = mask

    def decompose(self):
        return self.tensors, self.mask


def nested_tensor_from_tensor_list(tensor_list: List[Tensor]):
    max_size = [max(sizes) for sizes in zip(*[img.shape for img in tensor_list])]
    batch_shape = [len(tensor_list)] + max_size
    b, c, h, w = batch_shape
    tensor = torch.zeros(batch_shape)
    mask = torch.ones((b, h, w), dtype=torch.bool)
    for img, pad_img, m in zip(tensor_list, tensor, mask):
        pad_img[: img.shape[0], : img.shape[1], : img.shape[2]].copy_(img)  #! : img.shape[1], : img.shape[2]] => : img.shape[2], : img.shape[1]]
        m[: img.shape[1], : img.shape[2]] = False
    return NestedTensor(tensor, mask)


def greedy_assignment(cost):
    rows, cols, cost = [], [], cost.clone()
    for _ in range(min(cost.shape)):
        row, col = divmod(int(cost.argmin()), cost.shape[1])
        rows.append(row)
        cols.append(col)
        cost[row], cost[:, col] = float("inf"), float("inf")
    return rows, cols


def box_cxcywh_to_xyxy(x):
    x_c, y_c, w, h = x.unbind(-1)
    b = [(x_c - 0.5 * w), (y_c - 0.5 * h), (x_c + 0.5 * w), (y_c + 0.5 * h)]
    return torch.stack(b, dim=-1)


def box_iou(boxes1, boxes2):
    area1 = (boxes1[:, 2] - boxes1[:, 0]) * (boxes1[:, 3] - boxes1[:, 1])
    area2 = (boxes2[:, 2] - boxes2[:, 0]) * (boxes2[:, 3] - boxes2[:, 1])
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])  #! boxes1[:, None, :2] => boxes1[:, :2]
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    union = area1[:, None] + area2 - inter
    return inter / union, union


class PositionEmbeddingSine(nn.Module):
    def __init__(self, num_pos_feats=16, temperature=10000):
        super().__init__()
        self.num_pos_feats = num_pos_feats
        self.temperature = temperature
        self.scale = 2 * math.pi

    def forward(self, mask):
        not_mask = ~mask
        y_embed = not_mask.cumsum(1, dtype=torch.float32)
        x_embed = not_mask.cumsum(2, dtype=torch.float32)
        y_embed = y_embed / (y_embed[:, -1:, :] + 1e-6) * self.scale
        x_embed = x_embed / (x_embed[:, :, -1:] + 1e-6) * self.scale
        dim_t = torch.arange(self.num_pos_feats, dtype=torch.float32)
        dim_t = self.temperature ** (2 * (dim_t // 2) / self.num_pos_feats)
        pos_x = x_embed[:, :, :, None] / dim_t
        pos_y = y_embed[:, :, :, None] / dim_t
        pos_x = torch.stack((pos_x[:, :, :, 0::2].sin(), pos_x[:, :, :, 1::2].cos()), dim=4).flatten(3)
        pos_y = torch.stack((pos_y[:, :, :, 0::2].sin(), pos_y[:, :, :, 1::2].cos()), dim=4).flatten(3)
        return torch.cat((pos_y, pos_x), dim=3).permute(0, 3, 1, 2)  #! permute(0, 3, 1, 2) => permute(0, 1, 2, 3)


class DecoderLayer(nn.Module):
    def __init__(self, d_model, nhead, dim_feedforward=64):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, nhead)
        self.multihead_attn = nn.MultiheadAttention(d_model, nhead)
        self.linear1, self.linear2 = nn.Linear(d_model, dim_feedforward), nn.Linear(dim_feedforward, d_model)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, tgt, memory, memory_key_padding_mask=None, pos=None, query_pos=None):
        q = k = tgt + query_pos
        tgt = self.norm1(tgt + self.self_attn(q, k, value=tgt)[0])
        tgt2 = self.multihead_attn(query=tgt + query_pos, key=memory + pos, value=memory, key_padding_mask=memory_key_padding_mask)[0]
        tgt = self.norm2(tgt + tgt2)
        return self.norm3(tgt + self.linear2(F.relu(self.linear1(tgt))))


class MLP(nn.Module):
    def __init__(self, input_dim, hidden_dim, output_dim, num_layers):
        super().__init__()
        self.num_layers = num_layers
        h = [hidden_dim] * (num_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(n, k) for n, k in zip([input_dim] + h, h + [output_dim]))  #! zip([input_dim] + h, h + [output_dim]) => zip([input_dim] + h, [output_dim] + h)

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = F.relu(layer(x)) if i < self.num_layers - 1 else layer(x)
        return x


class DETR(nn.Module):
    def __init__(self, num_classes, num_queries=12, d_model=32, nhead=4, num_decoder=2):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 16, 4, 4), nn.ReLU(), nn.Conv2d(16, 24, 2, 2), nn.ReLU())
        self.position = PositionEmbeddingSine(d_model // 2)  #! d_model // 2 => d_model
        self.input_proj = nn.Conv2d(24, d_model, kernel_size=1)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d_model, nhead, 64), 1, enable_nested_tensor=False)
        self.decoder = nn.ModuleList(DecoderLayer(d_model, nhead) for _ in range(num_decoder))
        self.query_embed = nn.Embedding(num_queries, d_model)
        self.class_embed = nn.Linear(d_model, num_classes + 1)  #! num_classes + 1 => num_classes
        self.bbox_embed = MLP(d_model, d_model, 4, 3)

    def forward(self, samples):
        if isinstance(samples, (list, torch.Tensor)):
            samples = nested_tensor_from_tensor_list(samples)
        x, m = samples.decompose()
        src = self.input_proj(self.backbone(x))
        mask = F.interpolate(m[None].float(), size=src.shape[-2:]).to(torch.bool)[0]  #! m[None].float() => m.float()
        pos = self.position(mask)
        bs, c, h, w = src.shape
        src = src.flatten(2).permute(2, 0, 1)  #! permute(2, 0, 1) => permute(0, 2, 1)
        pos = pos.flatten(2).permute(2, 0, 1)
        query = self.query_embed.weight.unsqueeze(1).repeat(1, bs, 1)
        mask = mask.flatten(1)
        memory = self.encoder(src + pos, src_key_padding_mask=mask)
        tgt = torch.zeros_like(query)
        intermediate = []
        for layer in self.decoder:
            tgt = layer(tgt, memory, memory_key_padding_mask=mask, pos=pos, query_pos=query)
            intermediate.append(tgt)
        hs = torch.stack(intermediate).transpose(1, 2)
        reveal_type(hs)
        classes, boxes = self.class_embed(hs), self.bbox_embed(hs).sigmoid()
        out = {"pred_logits": classes[-1], "pred_boxes": boxes[-1]}
        out["aux_outputs"] = [{"pred_logits": a, "pred_boxes": b} for a, b in zip(classes[:-1], boxes[:-1])]
        return out


class SetCriterion(nn.Module):
    def __init__(self, num_classes, weight_dict, eos_coef=0.1):
        super().__init__()
        self.num_classes, self.weight_dict = num_classes, weight_dict
        empty_weight = torch.ones(self.num_classes + 1)
        empty_weight[-1] = eos_coef
        self.register_buffer("empty_weight", empty_weight)

    @torch.no_grad()
    def match(self, outputs, targets):
        bs, num_queries = outputs["pred_logits"].shape[:2]
        out_prob = outputs["pred_logits"].flatten(0, 1).softmax(-1)
        out_bbox = outputs["pred_boxes"].flatten(0, 1)
        tgt_ids = torch.cat([v["labels"] for v in targets])
        tgt_bbox = torch.cat([v["boxes"] for v in targets])
        cost_class = -out_prob[:, tgt_ids]
        cost_bbox = torch.cdist(out_bbox, tgt_bbox, p=1)  #! out_bbox, tgt_bbox, p=1 => out_bbox, tgt_ids, p=1
        cost_iou = -box_iou(box_cxcywh_to_xyxy(out_bbox), box_cxcywh_to_xyxy(tgt_bbox))[0]
        C = (5 * cost_bbox + cost_class + 2 * cost_iou).view(bs, num_queries, -1)
        reveal_type(C)
        sizes = [len(v["boxes"]) for v in targets]
        indices = [greedy_assignment(c[i]) for i, c in enumerate(C.split(sizes, -1))]
        return [(torch.as_tensor(i, dtype=torch.int64), torch.as_tensor(j, dtype=torch.int64)) for i, j in indices]

    def _get_src_permutation_idx(self, indices):
        batch_idx = torch.cat([torch.full_like(src, i) for i, (src, _) in enumerate(indices)])
        src_idx = torch.cat([src for (src, _) in indices])
        return batch_idx, src_idx

    def losses(self, outputs, targets):
        indices = self.match(outputs, targets)
        idx = self._get_src_permutation_idx(indices)
        src_logits = outputs["pred_logits"]
        target_classes_o = torch.cat([t["labels"][J] for t, (_, J) in zip(targets, indices)])
        target_classes = torch.full(src_logits.shape[:2], self.num_classes, dtype=torch.int64)
        target_classes[idx] = target_classes_o
        loss_ce = F.cross_entropy(src_logits.transpose(1, 2), target_classes, self.empty_weight)  #! src_logits.transpose(1, 2) => src_logits
        src_boxes = outputs["pred_boxes"][idx]
        target_boxes = torch.cat([t["boxes"][i] for t, (_, i) in zip(targets, indices)], dim=0)
        loss_bbox = F.l1_loss(src_boxes, target_boxes, reduction="none").sum() / len(target_boxes)
        iou, _ = box_iou(box_cxcywh_to_xyxy(src_boxes), box_cxcywh_to_xyxy(target_boxes))
        return {"ce": loss_ce, "bbox": loss_bbox, "iou": (1 - torch.diag(iou)).mean()}

    def forward(self, outputs, targets):
        losses = self.losses({k: v for k, v in outputs.items() if k != "aux_outputs"}, targets)
        for i, aux in enumerate(outputs["aux_outputs"]):
            losses.update({k + f"_{i}": v for k, v in self.losses(aux, targets).items()})
        return sum(losses[k] * self.weight_dict[k.split("_")[0]] for k in losses)


model = DETR(num_classes=5)
criterion = SetCriterion(5, {"ce": 1, "bbox": 5, "iou": 2})
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(2):
    images = [torch.rand(3, 32, 48), torch.rand(3, 48, 40)]
    targets = [{"labels": torch.randint(0, 5, (n,)), "boxes": torch.rand(n, 4) * 0.3 + 0.3} for n in (2, 3)]
    outputs = model(images)
    loss = criterion(outputs, targets)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
reveal_type(outputs["pred_boxes"])
scores, labels = F.softmax(outputs["pred_logits"], -1)[..., :-1].max(-1)
reveal_type(labels)
sizes = torch.tensor([[32, 48], [48, 40]])
img_h, img_w = sizes.unbind(1)
scale = torch.stack([img_w, img_h, img_w, img_h], dim=1)
boxes = box_cxcywh_to_xyxy(outputs["pred_boxes"]) * scale[:, None, :]  #! scale[:, None, :] => scale
reveal_type(boxes)
