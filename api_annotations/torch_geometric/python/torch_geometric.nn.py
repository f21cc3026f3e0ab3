# `torch_geometric.nn`: convolutions on graphs give each node other features, and pooling gives a row for each graph.
import torch
import harp_library as _harp
from torch import nn


class MessagePassing(nn.Module):
    def __init__(self, aggr="sum", *arguments, flow="source_to_target", node_dim=-2, decomposed_layers=1, **options):
        super().__init__()
        self.aggr, self.flow, self.node_dim = aggr, flow, node_dim

    def propagate(self, edge_index, size=None, **options):
        return _harp.outside("what nodes tell each other")

    def reset_parameters(self):
        return None


def _judged(edge_index):
    if isinstance(edge_index, torch.Tensor) and edge_index.dtype == torch.int64 and _harp.is_known(edge_index.ndim):
        _harp.judge(edge_index.ndim == 2, "`edge_index` must have two dimensions")
        if edge_index.ndim == 2:
            _harp.judge(edge_index.shape[0] == 2, "`edge_index` must have two rows")


class _Convolution(MessagePassing):
    """One linear layer for each node; what its neighbours tell has the same width."""

    def __init__(self, in_channels, out_channels, *arguments, **options):
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self._made(self._width(arguments, options))

    def _width(self, arguments, options):
        return self.out_channels

    def _made(self, width):
        self._given = width
        # A width of -1 is that of the first input, and a pair is that of two kinds of nodes.
        is_plain = isinstance(self.in_channels, int) and not (_harp.is_known(self.in_channels) and self.in_channels == -1)
        self.lin = nn.Linear(self.in_channels, width) if is_plain else None

    def forward(self, x, edge_index, *arguments, **options):
        _judged(edge_index)
        if isinstance(x, (tuple, list)):
            return _harp.outside("features of nodes")
        if self.lin is not None:
            return self.lin(x)
        return x.new_zeros(tuple(x.shape[:-1]) + (self._given,))


class GCNConv(_Convolution):
    pass


class SAGEConv(_Convolution):
    pass


class GraphConv(_Convolution):
    pass


class ChebConv(_Convolution):
    pass


class SGConv(_Convolution):
    pass


class TAGConv(_Convolution):
    pass


class LEConv(_Convolution):
    pass


class ClusterGCNConv(_Convolution):
    pass


class RGCNConv(_Convolution):
    pass


class ResGatedGraphConv(_Convolution):
    pass


class MFConv(_Convolution):
    pass


class GENConv(_Convolution):
    pass


class ARMAConv(_Convolution):
    pass


class GATConv(_Convolution):
    """As wide as all heads together, unless they are averaged."""

    def _width(self, arguments, options):
        heads = arguments[0] if len(arguments) > 0 else options["heads"] if "heads" in options else 1
        concat = arguments[1] if len(arguments) > 1 else options["concat"] if "concat" in options else True
        return self.out_channels * heads if concat else self.out_channels

    def forward(self, x, edge_index, *arguments, return_attention_weights=None, **options):
        given = super().forward(x, edge_index)
        return given if return_attention_weights is None else (given, _harp.outside("weights of edges"))


class GATv2Conv(GATConv):
    pass


class TransformerConv(GATConv):
    pass


class SuperGATConv(GATConv):
    pass


class GINConv(MessagePassing):
    def __init__(self, nn, eps=0.0, train_eps=False, **options):
        super().__init__()
        self.nn = nn

    def forward(self, x, edge_index, *arguments, **options):
        _judged(edge_index)
        return _harp.outside("features of nodes") if isinstance(x, (tuple, list)) else self.nn(x)


class GINEConv(GINConv):
    pass


class _OfParts(MessagePassing):
    """A convolution of which the shapes are not followed."""

    def __init__(self, *arguments, **options):
        super().__init__()

    def forward(self, *arguments, **options):
        return _harp.outside("features of nodes")


NNConv = EdgeConv = DynamicEdgeConv = PointNetConv = PointConv = PPFConv = AGNNConv = APPNP = GatedGraphConv = CGConv = HypergraphConv = _OfParts
GMMConv = SplineConv = FeaStConv = PNAConv = HeteroConv = HGTConv = HANConv = FiLMConv = EGConv = GPSConv = LGConv = WLConv = SSGConv = _OfParts
TopKPooling = SAGPooling = ASAPooling = EdgePooling = PANPooling = MemPooling = Set2Set = GlobalAttention = AttentionalAggregation = _OfParts
SortAggregation = Node2Vec = DeepGraphInfomax = GAE = VGAE = InnerProductDecoder = MetaLayer = JumpingKnowledge = DataParallel = RENet = _OfParts
SchNet = DimeNet = DimeNetPlusPlus = ARGA = ARGVA = GCN2Conv = FAConv = PDNConv = GeneralConv = XConv = DNAConv = PANConv = to_hetero = _OfParts


class _Network(nn.Module):
    """Several convolutions, one after the other."""

    def __init__(self, in_channels, hidden_channels, num_layers, out_channels=None, *arguments, **options):
        super().__init__()
        self.out_channels = hidden_channels if out_channels is None else out_channels
        self.lin = nn.Linear(in_channels, self.out_channels) if isinstance(in_channels, int) and in_channels != -1 else None

    def forward(self, x, edge_index, *arguments, **options):
        return self.lin(x) if self.lin is not None else x.new_zeros((x.shape[0], self.out_channels))


GCN = GraphSAGE = GIN = GAT = PNA = _Network


class _Norm(nn.Module):
    def __init__(self, *arguments, **options):
        super().__init__()

    def forward(self, x, *arguments, **options):
        return x


GraphNorm = PairNorm = GraphSizeNorm = MessageNorm = DiffGroupNorm = InstanceNorm = MeanSubtractionNorm = LayerNorm = _Norm


class BatchNorm(nn.BatchNorm1d):
    pass


class Linear(nn.Module):
    def __init__(self, in_channels, out_channels, bias=True, weight_initializer=None, bias_initializer=None):
        super().__init__()
        self.out_channels = out_channels
        self._lin = nn.Linear(in_channels, out_channels) if not (_harp.is_known(in_channels) and in_channels == -1) else None

    def reset_parameters(self):
        return None

    def forward(self, x):
        return self._lin(x) if self._lin is not None else x.new_zeros(tuple(x.shape[:-1]) + (self.out_channels,))


def _pooled(x, batch=None, size=None):
    """A row for each graph: how many there are, the largest number of a graph tells."""
    if batch is None:
        count = 1
    else:
        count = _harp.free_size("graphs", 1) if size is None else size
    return x.new_zeros((count,) + tuple(x.shape[1:])) + x.sum() * 0


def global_mean_pool(x, batch=None, size=None):
    return _pooled(x, batch, size)


def global_max_pool(x, batch=None, size=None):
    return _pooled(x, batch, size)


def global_add_pool(x, batch=None, size=None):
    return _pooled(x, batch, size)


def global_sort_pool(x, batch, k):
    return x.new_zeros((_harp.free_size("graphs", 1), x.shape[-1] * k))


def _known(*arguments, **options):
    return _harp.outside("a part of a graph")


knn = knn_graph = radius = radius_graph = fps = nearest = graclus = max_pool = avg_pool = max_pool_x = avg_pool_x = voxel_grid = _known
max_pool_neighbor_x = knn_interpolate = dense_diff_pool = dense_mincut_pool = summary = _known


class Sequential(nn.Module):
    def __init__(self, input_args, modules):
        super().__init__()

    def forward(self, *arguments, **options):
        return _harp.outside("features of nodes")
