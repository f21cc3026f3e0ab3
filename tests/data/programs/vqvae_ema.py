"""VQ-VAE-2 style: codebook in buffers with exponential moving averages, straight-through, two levels, a masked-convolution prior."""
import torch
from torch import distributed as dist
from torch import nn
from torch.nn import functional as F


class Quantize(nn.Module):
    def __init__(self, dim, n_embed, decay=0.99, eps=1e-5):
        super().__init__()
        self.dim, self.n_embed, self.decay, self.eps = dim, n_embed, decay, eps
        embed = torch.randn(dim, n_embed)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.zeros(n_embed))
        self.register_buffer("embed_avg", embed.clone())

    def forward(self, input):
        flatten = input.reshape(-1, self.dim)
        distance = flatten.pow(2).sum(1, keepdim=True) - 2 * flatten @ self.embed + self.embed.pow(2).sum(0, keepdim=True)
        _, embed_ind = (-distance).max(1)
        onehot = F.one_hot(embed_ind, self.n_embed).type(flatten.dtype)
        embed_ind = embed_ind.view(*input.shape[:-1])
        quantize = self.embed_code(embed_ind)
        if self.training:
            onehot_sum = onehot.sum(0)
            embed_sum = flatten.transpose(0, 1) @ onehot  #! flatten.transpose(0, 1) @ onehot => flatten @ onehot
            self.cluster_size.data.mul_(self.decay).add_(onehot_sum, alpha=1 - self.decay)
            self.embed_avg.data.mul_(self.decay).add_(embed_sum, alpha=1 - self.decay)
            n = self.cluster_size.sum()
            size = (self.cluster_size + self.eps) / (n + self.n_embed * self.eps) * n
            self.embed.data.copy_(self.embed_avg / size.unsqueeze(0))  #! size.unsqueeze(0) => size.unsqueeze(1)
        diff = (quantize.detach() - input).pow(2).mean()
        quantize = input + (quantize - input).detach()
        return quantize, diff, embed_ind

    def embed_code(self, ids):
        return F.embedding(ids, self.embed.transpose(0, 1))


class ResBlock(nn.Module):
    def __init__(self, c, mid):
        super().__init__()
        self.conv = nn.Sequential(nn.ReLU(), nn.Conv2d(c, mid, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(mid, c, 1))

    def forward(self, x):
        return self.conv(x) + x


def encoder(i, c, n_res, stride):
    if stride == 4:
        blocks = [nn.Conv2d(i, c // 2, 4, 2, 1), nn.ReLU(), nn.Conv2d(c // 2, c, 4, 2, 1), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1)]
    elif stride == 2:
        blocks = [nn.Conv2d(i, c // 2, 4, 2, 1), nn.ReLU(), nn.Conv2d(c // 2, c, 3, padding=1)]
    blocks.extend(ResBlock(c, 8) for _ in range(n_res))
    return nn.Sequential(*blocks, nn.ReLU())


def decoder(i, o, c, n_res, stride):
    blocks = [nn.Conv2d(i, c, 3, padding=1)] + [ResBlock(c, 8) for _ in range(n_res)] + [nn.ReLU()]
    if stride == 4:
        blocks += [nn.ConvTranspose2d(c, c // 2, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(c // 2, o, 4, 2, 1)]
    elif stride == 2:
        blocks.append(nn.ConvTranspose2d(c, o, 4, stride=2, padding=1))
    return nn.Sequential(*blocks)


class VQVAE(nn.Module):
    def __init__(self, c=16, dim=8, n_embed=32):
        super().__init__()
        self.enc_b = encoder(3, c, 2, stride=4)
        self.enc_t = encoder(c, c, 2, stride=2)
        self.quantize_conv_t = nn.Conv2d(c, dim, 1)
        self.quantize_t = Quantize(dim, n_embed)
        self.dec_t = decoder(dim, dim, c, 2, stride=2)
        self.quantize_conv_b = nn.Conv2d(dim + c, dim, 1)
        self.quantize_b = Quantize(dim, n_embed)
        self.upsample_t = nn.ConvTranspose2d(dim, dim, 4, stride=2, padding=1)
        self.dec = decoder(dim + dim, 3, c, 2, stride=4)

    def encode(self, x):
        enc_b = self.enc_b(x)
        enc_t = self.enc_t(enc_b)
        q = self.quantize_conv_t(enc_t).permute(0, 2, 3, 1)  #! .permute(0, 2, 3, 1) => .permute(0, 2, 1, 3)
        quant_t, diff_t, id_t = self.quantize_t(q)
        quant_t = quant_t.permute(0, 3, 1, 2)
        enc_b = torch.cat([self.dec_t(quant_t), enc_b], 1)
        quant_b, diff_b, id_b = self.quantize_b(self.quantize_conv_b(enc_b).permute(0, 2, 3, 1))
        return quant_t, quant_b.permute(0, 3, 1, 2), diff_t.unsqueeze(0) + diff_b.unsqueeze(0), id_t, id_b

    def decode(self, quant_t, quant_b):
        return self.dec(torch.cat([self.upsample_t(quant_t), quant_b], 1))  #! self.upsample_t(quant_t) => quant_t

    def forward(self, x):
        quant_t, quant_b, diff, _, _ = self.encode(x)
        return self.decode(quant_t, quant_b), diff

    def decode_code(self, code_t, code_b):
        quant_t = self.quantize_t.embed_code(code_t).permute(0, 3, 1, 2)
        quant_b = self.quantize_b.embed_code(code_b).permute(0, 3, 1, 2)
        return self.decode(quant_t, quant_b)


class MaskedConv2d(nn.Conv2d):
    def __init__(self, mask_type, *args, **kwargs):
        super().__init__(*args, **kwargs)
        assert mask_type in {"A", "B"}
        self.register_buffer("mask", self.weight.data.clone())
        _, _, kh, kw = self.weight.size()
        self.mask.fill_(1)
        self.mask[:, :, kh // 2, kw // 2 + (mask_type == "B"):] = 0
        self.mask[:, :, kh // 2 + 1:] = 0

    def forward(self, x):
        self.weight.data *= self.mask
        return super().forward(x)


model = VQVAE()
opt = torch.optim.Adam(model.parameters(), lr=3e-4)
for i in range(2):
    img = torch.rand(4, 3, 32, 32)
    out, latent = model(img)
    loss = F.mse_loss(out, img) + 0.25 * latent.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(out)
reveal_type(latent)
reveal_type(model.quantize_t.embed)
model.eval()
quant_t, quant_b, _, id_t, id_b = model.encode(torch.rand(2, 3, 64, 64))
reveal_type(quant_t)
reveal_type(id_t)
reveal_type(id_b)
reveal_type(model.decode_code(id_t, id_b))
prior = nn.Sequential(nn.Embedding(32, 12), nn.Identity())
net = nn.Sequential(MaskedConv2d("A", 12, 24, 7, padding=3), nn.ReLU(), MaskedConv2d("B", 24, 24, 5, padding=2), nn.ReLU(), nn.Conv2d(24, 32, 1))
logits = net(prior(id_t).permute(0, 3, 1, 2))
reveal_type(logits)
nll = F.cross_entropy(logits, id_t)
canvas = torch.zeros(1, 8, 8, dtype=torch.long)
for r in range(2):
    for c in range(8):
        p = net(prior(canvas).permute(0, 3, 1, 2))[:, :, r, c].softmax(1)
        canvas[:, r, c] = torch.multinomial(p, 1).squeeze(-1)
