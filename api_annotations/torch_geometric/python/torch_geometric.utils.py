# `torch_geometric.utils`: edges and nodes.
import torch
import harp_library as _harp


def _edges():
    return _harp.tensor((2, _harp.free_size("edges", 0)), torch.int64)


def to_undirected(edge_index, edge_attr=None, num_nodes=None, reduce="add"):
    return _edges() if edge_attr is None else _harp.outside("edges")


def add_self_loops(edge_index, edge_attr=None, fill_value=None, num_nodes=None):
    return _edges(), None if edge_attr is None else _harp.outside("edges")


add_remaining_self_loops = remove_self_loops = add_self_loops


def degree(index, num_nodes=None, dtype=None):
    return _harp.tensor((_harp.free_size("nodes", 1) if num_nodes is None else num_nodes,), torch.float32 if dtype is None else dtype)


def negative_sampling(edge_index, *arguments, **options):
    return _edges()


def to_dense_adj(edge_index, batch=None, edge_attr=None, max_num_nodes=None, batch_size=None):
    if edge_attr is not None:
        return _harp.outside("a matrix of edges")
    nodes = _harp.free_size("nodes", 1) if max_num_nodes is None else max_num_nodes
    return _harp.tensor((1 if batch is None else _harp.free_size("graphs", 1), nodes, nodes), torch.float32)


def _known(*arguments, **options):
    return _harp.outside("a part of a graph")


to_dense_batch = to_networkx = from_networkx = subgraph = k_hop_subgraph = dense_to_sparse = softmax = scatter = train_test_split_edges = _known
get_laplacian = to_scipy_sparse_matrix = from_scipy_sparse_matrix = dropout_adj = dropout_edge = dropout_node = coalesce = contains_self_loops = _known
is_undirected = contains_isolated_nodes = remove_isolated_nodes = erdos_renyi_graph = stochastic_blockmodel_graph = barabasi_albert_graph = _known
from_smiles = to_smiles = sort_edge_index = index_to_mask = mask_to_index = unbatch = homophily = batched_negative_sampling = tree_decomposition = _known
structured_negative_sampling = spmm = segregate_self_loops = to_torch_coo_tensor = to_edge_index = is_sparse = one_hot = accuracy = normalized_cut = _known
