"""E(n)-equivariant graph network on padded molecules, with distance features and masked pooling; a plain training loop."""
from typing import Optional

import torch
from torch import nn, Tensor


def unsorted_segment_sum(data: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    result_shape = (num_segments, data.size(1))
    result = data.new_full(result_shape, 0)
    segment_ids = segment_ids.unsqueeze(-1).expand(-1, data.size(1))  #! .unsqueeze(-1).expand(-1, data.size(1)) => .unsqueeze(-1).expand(data.size(1), -1)
    result.scatter_add_(0, segment_ids, data)
    return result


def unsorted_segment_mean(data, segment_ids, num_segments):
    result_shape = (num_segments, data.size(1))
    segment_ids = segment_ids.unsqueeze(-1).expand(-1, data.size(1))
    result = data.new_full(result_shape, 0)
    count = data.new_full(result_shape, 0)
    result.scatter_add_(0, segment_ids, data)
    count.scatter_add_(0, segment_ids, torch.ones_like(data))
    return result / count.clamp(min=1)


class E_GCL(nn.Module):
    def __init__(self, input_nf, output_nf, hidden_nf, edges_in_d=0, act_fn=nn.SiLU(), residual=True, attention=False, coords_agg="mean"):
        super(E_GCL, self).__init__()
        input_edge = input_nf * 2
        self.residual = residual
        self.attention = attention
        self.coords_agg = coords_agg
        self.epsilon = 1e-8
        edge_coords_nf = 1
        self.edge_mlp = nn.Sequential(
            nn.Linear(input_edge + edge_coords_nf + edges_in_d, hidden_nf),  #! input_edge + edge_coords_nf + edges_in_d => input_edge + edges_in_d
            act_fn,
            nn.Linear(hidden_nf, hidden_nf),
            act_fn)
        self.node_mlp = nn.Sequential(nn.Linear(hidden_nf + input_nf, hidden_nf), act_fn, nn.Linear(hidden_nf, output_nf))  #! hidden_nf + input_nf => hidden_nf
        layer = nn.Linear(hidden_nf, 1, bias=False)
        torch.nn.init.xavier_uniform_(layer.weight, gain=0.001)
        coord_mlp = []
        coord_mlp.append(nn.Linear(hidden_nf, hidden_nf))
        coord_mlp.append(act_fn)
        coord_mlp.append(layer)
        self.coord_mlp = nn.Sequential(*coord_mlp)
        if self.attention:
            self.att_mlp = nn.Sequential(nn.Linear(hidden_nf, 1), nn.Sigmoid())

    def edge_model(self, source, target, radial, edge_attr):
        if edge_attr is None:
            out = torch.cat([source, target, radial], dim=1)
        else:
            out = torch.cat([source, target, radial, edge_attr], dim=1)
        out = self.edge_mlp(out)
        if self.attention:
            out = out * self.att_mlp(out)
        return out

    def node_model(self, x, edge_index, edge_attr):
        row, col = edge_index
        agg = unsorted_segment_sum(edge_attr, row, num_segments=x.size(0))  #! num_segments=x.size(0) => num_segments=row.size(0)
        out = self.node_mlp(torch.cat([x, agg], dim=1))
        if self.residual:
            out = x + out
        return out, agg

    def coord_model(self, coord, edge_index, coord_diff, edge_feat):
        row, col = edge_index
        trans = coord_diff * self.coord_mlp(edge_feat)
        if self.coords_agg == "sum":
            agg = unsorted_segment_sum(trans, row, num_segments=coord.size(0))
        elif self.coords_agg == "mean":
            agg = unsorted_segment_mean(trans, row, num_segments=coord.size(0))
        else:
            raise Exception("Wrong coords_agg parameter" % self.coords_agg)
        return coord + agg

    def coord2radial(self, edge_index, coord):
        row, col = edge_index
        coord_diff = coord[row] - coord[col]
        radial = torch.sum(coord_diff ** 2, 1).unsqueeze(1)  #! .unsqueeze(1) => .unsqueeze(0)
        norm = torch.sqrt(radial).detach() + self.epsilon
        return radial, coord_diff / norm

    def forward(self, h, edge_index, coord, edge_attr: Optional[Tensor] = None):
        row, col = edge_index
        radial, coord_diff = self.coord2radial(edge_index, coord)
        edge_feat = self.edge_model(h[row], h[col], radial, edge_attr)
        coord = self.coord_model(coord, edge_index, coord_diff, edge_feat)
        h, agg = self.node_model(h, edge_index, edge_feat)
        return h, coord, edge_attr


class EGNN(nn.Module):
    def __init__(self, in_node_nf, hidden_nf, out_node_nf, in_edge_nf=0, n_layers=2, attention=True):
        super().__init__()
        self.hidden_nf, self.n_layers = hidden_nf, n_layers
        self.embedding_in = nn.Linear(in_node_nf, self.hidden_nf)
        self.embedding_out = nn.Linear(self.hidden_nf, out_node_nf)
        for i in range(0, n_layers):
            self.add_module("gcl_%d" % i, E_GCL(self.hidden_nf, self.hidden_nf, self.hidden_nf, edges_in_d=in_edge_nf, attention=attention))
        self.graph_dec = nn.Sequential(nn.Linear(out_node_nf, out_node_nf), nn.SiLU(), nn.Linear(out_node_nf, 1))

    def forward(self, h, x, edges, edge_attr, node_mask, n_nodes):
        h = self.embedding_in(h)
        for i in range(0, self.n_layers):
            h, x, _ = self._modules["gcl_%d" % i](h, edges, x, edge_attr=edge_attr)
        h = self.embedding_out(h)
        reveal_type(h)
        h = h * node_mask
        h = h.view(-1, n_nodes, h.size(1))  #! n_nodes, h.size(1) => n_nodes, self.hidden_nf
        h = torch.sum(h, dim=1)
        return self.graph_dec(h).squeeze(1), x


def get_edges(n_nodes):
    rows, cols = [], []
    for i in range(n_nodes):
        for j in range(n_nodes):
            if i != j:
                rows.append(i)
                cols.append(j)
    return [rows, cols]


def get_edges_batch(n_nodes, batch_size):
    edges = get_edges(n_nodes)
    edge_attr = torch.ones(len(edges[0]) * batch_size, 1)  #! len(edges[0]) * batch_size, 1 => len(edges) * batch_size, 1
    edges = [torch.LongTensor(edges[0]), torch.LongTensor(edges[1])]
    if batch_size == 1:
        return edges, edge_attr
    elif batch_size > 1:
        rows, cols = [], []
        for i in range(batch_size):
            rows.append(edges[0] + n_nodes * i)
            cols.append(edges[1] + n_nodes * i)
        edges = [torch.cat(rows), torch.cat(cols)]  #! torch.cat(rows), torch.cat(cols) => torch.stack(rows), torch.stack(cols)
    return edges, edge_attr


if __name__ == "__main__":
    batch_size, n_nodes, n_feat, x_dim = 8, 4, 5, 3
    egnn = EGNN(in_node_nf=n_feat, hidden_nf=32, out_node_nf=12, in_edge_nf=1)
    optimizer = torch.optim.Adam(egnn.parameters(), lr=5e-4, weight_decay=1e-16)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    edges, edge_attr = get_edges_batch(n_nodes, batch_size)
    reveal_type(edges[0])
    for epoch in range(2):
        h = torch.ones(batch_size * n_nodes, n_feat)
        x = torch.randn(batch_size * n_nodes, x_dim)
        mask = (torch.rand(batch_size, n_nodes) > 0.2).float().view(batch_size * n_nodes, -1)  #! view(batch_size * n_nodes, -1) => view(batch_size, -1)
        label = torch.randn(batch_size)
        optimizer.zero_grad()
        pred, coords = egnn(h, x, edges, edge_attr, mask, n_nodes)
        loss = nn.L1Loss()(pred, label)
        loss.backward()
        optimizer.step()
        scheduler.step()
    reveal_type(pred)
    reveal_type(coords)
