"""An nn.TransformerDecoder captioner over CNN features: the library's inner layers are edited, frozen, replaced; beam-less sampling."""
import argparse
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision import models


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=200):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)  #! .unsqueeze(1) => .unsqueeze(0)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        pe = pe.unsqueeze(0).transpose(0, 1)
        self.register_buffer('pe', pe)

    def forward(self, x):
        x = x + self.pe[:x.size(0), :]  #! self.pe[:x.size(0), :] => self.pe[:x.size(0) + 1, :]
        return self.dropout(x)


class Adapter(nn.Module):
    def __init__(self, dim, bottleneck):
        super().__init__()
        self.down, self.up = nn.Linear(dim, bottleneck), nn.Linear(bottleneck, dim)  #! nn.Linear(bottleneck, dim) => nn.Linear(dim, bottleneck)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return x + self.up(F.relu(self.down(x)))


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r=4, alpha=8):
        super().__init__()
        self.base = base
        self.base.weight.requires_grad = False
        self.A = nn.Parameter(torch.randn(r, base.in_features) * 0.01)
        self.B = nn.Parameter(torch.zeros(base.out_features, r))  #! base.out_features, r => base.in_features, r
        self.scaling = alpha / r

    @property
    def weight(self):
        return self.base.weight + self.scaling * self.B @ self.A

    @property
    def bias(self):
        return self.base.bias

    def forward(self, x):
        return self.base(x) + (x @ self.A.T @ self.B.T) * self.scaling


class Captioner(nn.Module):
    def __init__(self, vocab, d_model=64, nhead=4, layers=2, ff=96, adapter=0, lora=0):
        super().__init__()
        cnn = models.resnet18(weights=None)
        self.backbone = nn.Sequential(*list(cnn.children())[:-2])  #! [:-2] => [:-1]
        self.project = nn.Conv2d(512, d_model, kernel_size=1)
        self.embed = nn.Embedding(vocab, d_model, padding_idx=0)
        self.pos = PositionalEncoding(d_model)
        layer = nn.TransformerDecoderLayer(d_model, nhead, dim_feedforward=ff, dropout=0.0)
        self.decoder = nn.TransformerDecoder(layer, num_layers=layers, norm=nn.LayerNorm(d_model))
        self.out = nn.Linear(d_model, vocab)
        self.out.weight = self.embed.weight
        self.d_model = d_model
        for module in self.decoder.layers:
            if adapter:
                module.linear2 = nn.Sequential(nn.Linear(ff, d_model), Adapter(d_model, adapter))
            if lora:
                module.linear1 = LoRALinear(module.linear1, r=lora)
        self._reset_parameters()

    def _reset_parameters(self):
        for p in self.decoder.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def encode(self, images):
        f = self.project(self.backbone(images))
        return f.flatten(2).permute(2, 0, 1)  #! .permute(2, 0, 1) => .permute(0, 2, 1)

    def forward(self, images, captions):
        memory = self.encode(images)
        tgt = captions.t()
        x = self.pos(self.embed(tgt) * math.sqrt(self.d_model))
        causal = nn.Transformer.generate_square_subsequent_mask(tgt.size(0))
        padding = captions.eq(0)
        h = self.decoder(x, memory, tgt_mask=causal, tgt_key_padding_mask=padding)  #! tgt_key_padding_mask=padding => tgt_key_padding_mask=padding.t()
        return self.out(h).transpose(0, 1)

    @torch.no_grad()
    def sample(self, images, max_len=5, temperature=1.0, top_k=5):
        memory = self.encode(images)
        ids = torch.ones(images.size(0), 1, dtype=torch.long)
        for _ in range(max_len):
            x = self.pos(self.embed(ids).transpose(0, 1))
            logits = self.out(self.decoder(x, memory)[-1]) / temperature
            top, idx = logits.topk(top_k, dim=-1)
            choice = torch.multinomial(top.softmax(-1), 1)
            ids = torch.cat([ids, idx.gather(1, choice)], dim=1)  #! idx.gather(1, choice) => idx.gather(1, choice).squeeze(1)
        return ids


def main(args):
    torch.manual_seed(args.seed)
    plain = Captioner(args.vocab)
    tuned = Captioner(args.vocab, adapter=8, lora=2)
    images = torch.randn(3, 3, 96, 128)
    captions = torch.randint(1, args.vocab, (3, 9))
    captions[1, 7:] = 0
    reveal_type(plain.encode(images))
    for net in (plain, tuned):
        trainable = [p for n, p in net.named_parameters() if "backbone" not in n]
        opt = torch.optim.AdamW(trainable, lr=3e-4)
        logits = net(images, captions[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), captions[:, 1:].flatten(), ignore_index=0)  #! captions[:, 1:] => captions
        loss.backward()
        opt.step()
    reveal_type(logits)
    first = tuned.decoder.layers[0]
    reveal_type(first.linear1.A)
    reveal_type(first.self_attn.in_proj_weight)
    attended, weights = first.multihead_attn(torch.randn(4, 3, 64), plain.encode(images), plain.encode(images))  #! torch.randn(4, 3, 64), plain => torch.randn(3, 4, 64), plain
    reveal_type(weights)
    ids = plain.eval().sample(images)
    reveal_type(ids)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vocab", default=50, type=int)
    parser.add_argument("--seed", default=1, type=int)
    main(parser.parse_args())
