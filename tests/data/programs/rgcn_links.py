"""Relational graph convolution with basis decomposition; DistMult link prediction; own sparse scatter helpers."""
import argparse

import torch
from torch import nn
from torch.nn import functional as F


def scatter_mean(src, index, dim_size):
    out = src.new_zeros(dim_size, src.size(-1))
    out.index_add_(0, index, src)  #! index_add_(0, => index_add_(1,
    count = src.new_zeros(dim_size).index_add_(0, index, torch.ones_like(index, dtype=src.dtype))
    return out / count.clamp(min=1).unsqueeze(-1)  #! .unsqueeze(-1) => .unsqueeze(0)


class RGCNConv(nn.Module):
    def __init__(self, in_channels, out_channels, num_relations, num_bases=None, num_blocks=None):
        super().__init__()
        if num_bases is not None and num_blocks is not None:
            raise ValueError("cannot apply both basis- and block-decomposition")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.num_relations, self.num_bases, self.num_blocks = num_relations, num_bases, num_blocks
        if num_bases is not None:
            self.weight = nn.Parameter(torch.empty(num_bases, in_channels, out_channels))
            self.comp = nn.Parameter(torch.empty(num_relations, num_bases))  #! num_relations, num_bases => num_bases, num_relations
            nn.init.xavier_uniform_(self.comp)
        elif num_blocks is not None:
            assert in_channels % num_blocks == 0 and out_channels % num_blocks == 0
            self.weight = nn.Parameter(torch.empty(num_relations, num_blocks, in_channels // num_blocks, out_channels // num_blocks))
        else:
            self.weight = nn.Parameter(torch.empty(num_relations, in_channels, out_channels))
        self.root = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.zeros(out_channels))
        nn.init.xavier_uniform_(self.weight)
        nn.init.xavier_uniform_(self.root)

    def forward(self, x, edge_index, edge_type):
        n = x.size(0)
        out = torch.zeros(n, self.out_channels)
        weight = self.weight
        if self.num_bases is not None:
            weight = (self.comp @ weight.view(self.num_bases, -1)).view(self.num_relations, self.in_channels, self.out_channels)
        for r in range(self.num_relations):
            chosen = edge_index[:, edge_type == r]  #! edge_index[:, edge_type == r] => edge_index[edge_type == r]
            source, target = chosen
            if self.num_blocks is not None:
                h = x[source].view(-1, weight.size(1), weight.size(2))
                h = torch.einsum("abc,bcd->abd", h, weight[r])  #! "abc,bcd->abd" => "abc,bdc->abd"
                h = h.contiguous().view(-1, self.out_channels)
            else:
                h = x[source] @ weight[r]
            out = out + scatter_mean(h, target, n)
        return out + x @ self.root + self.bias


class DistMult(nn.Module):
    def __init__(self, num_relations, hidden):
        super().__init__()
        self.rel_emb = nn.Parameter(torch.randn(num_relations, hidden) * 0.1)  #! (num_relations, hidden) => (num_relations, 2 * hidden)

    def forward(self, z, edge_index, edge_type):
        z_src, z_dst = z[edge_index[0]], z[edge_index[1]]
        rel = self.rel_emb[edge_type]
        return torch.sum(z_src * rel * z_dst, dim=1)

    def all_tails(self, z, head, rel):
        return (z[head] * self.rel_emb[rel]) @ z.t()  #! z.t() => z


class Encoder(nn.Module):
    def __init__(self, num_nodes, hidden, num_relations, args):
        super().__init__()
        self.node_emb = nn.Parameter(torch.randn(num_nodes, hidden))
        self.conv1 = RGCNConv(hidden, hidden, num_relations, num_blocks=args.blocks)
        self.conv2 = RGCNConv(hidden, args.out, num_relations, num_bases=args.bases)
        self.dropout = args.dropout

    def forward(self, edge_index, edge_type):
        x = self.node_emb
        x = self.conv1(x, edge_index, edge_type).relu_()
        x = F.dropout(x, p=self.dropout, training=self.training)
        return self.conv2(x, edge_index, edge_type)


def negative_sampling(edge_index, num_nodes):
    mask_1 = torch.rand(edge_index.size(1)) < 0.5
    mask_2 = ~mask_1
    neg = edge_index.clone()
    neg[0, mask_1] = torch.randint(num_nodes, (int(mask_1.sum()),))
    neg[1, mask_2] = torch.randint(num_nodes, (int(mask_2.sum()),))
    return neg


@torch.no_grad()
def mrr(decoder, z, edge_index, edge_type):
    ranks = []
    for i in range(5):
        (src, dst), rel = edge_index[:, i], edge_type[i]
        scores = decoder.all_tails(z, src, rel)
        reveal_type(scores)
        ranks.append(1 + (scores > scores[dst]).sum())
    return (1.0 / torch.stack(ranks).float()).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=20)
    parser.add_argument("--out", type=int, default=16)
    parser.add_argument("--blocks", type=int, default=5)  #! default=5 => default=6
    parser.add_argument("--bases", type=int, default=4)
    parser.add_argument("--dropout", type=float, default=0.2)
    args = parser.parse_args()
    num_nodes, num_relations, num_edges = 40, 6, 200
    edge_index = torch.randint(num_nodes, (2, num_edges))
    edge_type = torch.randint(num_relations, (num_edges,))
    encoder = Encoder(num_nodes, args.hidden, num_relations, args)
    decoder = DistMult(num_relations, args.out)  #! args.out => 2 * args.out
    optimizer = torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()), lr=0.01)
    for epoch in range(2):
        encoder.train()
        optimizer.zero_grad()
        z = encoder(edge_index, edge_type)
        reveal_type(z)
        pos = decoder(z, edge_index, edge_type)
        neg = decoder(z, negative_sampling(edge_index, num_nodes), edge_type)
        out = torch.cat([pos, neg])
        gt = torch.cat([torch.ones_like(pos), torch.zeros_like(neg)])  #! torch.zeros_like(neg) => torch.zeros(num_nodes)
        reveal_type(out)
        reg_loss = z.pow(2).mean() + decoder.rel_emb.pow(2).mean()
        loss = F.binary_cross_entropy_with_logits(out, gt) + 1e-2 * reg_loss
        loss.backward()
        nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimizer.step()
    encoder.eval()
    print(epoch, float(mrr(decoder, z, edge_index, edge_type)))


if __name__ == "__main__":
    main()
