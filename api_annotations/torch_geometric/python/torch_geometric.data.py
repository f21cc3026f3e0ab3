# `torch_geometric.data`: graphs. How many nodes and edges there are, the data tells.
import torch
import harp_library as _harp


def _edges():
    return _harp.tensor((2, _harp.free_size("edges", 0)), torch.int64)


class Data:
    batch = ptr = train_mask = val_mask = test_mask = edge_weight = edge_type = num_classes = adj_t = z = norm = face = edge_label = (
        _harp.outside("a part of a graph"))
    edge_label_index = train_pos_edge_index = test_pos_edge_index = val_pos_edge_index = smiles = name = num_graphs = n_id = input_id = e_id = (
        _harp.outside("a part of a graph"))

    @classmethod
    def _of_anything(cls):
        given = Data(x=_harp.outside("a part of a graph"), edge_index=_edges(), y=_harp.outside("a part of a graph"))
        given.edge_attr = given.pos = _harp.outside("a part of a graph")
        return given

    def __init__(self, x=None, edge_index=None, edge_attr=None, y=None, pos=None, **options):
        self.x, self.edge_index, self.edge_attr, self.y, self.pos = x, edge_index, edge_attr, y, pos
        for name, value in options.items():
            setattr(self, name, value)

    def __getattr__(self, name):
        return _harp.outside("a part of a graph")

    def __getitem__(self, name):
        return getattr(self, name)

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def __contains__(self, name):
        return bool(_harp.outside("whether the graph has it"))

    def to(self, device, *arguments, **options):
        # Where some parts lie is known, the others come along.
        for name, value in list(vars(self).items()):
            if isinstance(value, torch.Tensor):
                setattr(self, name, value.to(device))
        return self

    def cpu(self, *arguments):
        return self.to("cpu")

    def cuda(self, *arguments, **options):
        return self.to("cuda")

    def clone(self):
        return self

    def coalesce(self):
        return self

    def keys(self):
        return _harp.some_of([str(_harp.outside("a name"))])

    @property
    def num_nodes(self):
        return self.x.shape[0] if isinstance(self.x, torch.Tensor) else _harp.free_size("nodes", 1)

    @property
    def num_edges(self):
        return self.edge_index.shape[1] if isinstance(self.edge_index, torch.Tensor) else _harp.free_size("edges", 0)

    @property
    def num_node_features(self):
        if not isinstance(self.x, torch.Tensor):
            return 0
        return 1 if self.x.ndim == 1 else self.x.shape[1]

    num_features = num_node_features

    @property
    def num_edge_features(self):
        return self.edge_attr.shape[1] if isinstance(self.edge_attr, torch.Tensor) and self.edge_attr.ndim == 2 else _harp.free_size("features", 0)

    def is_undirected(self):
        return bool(_harp.outside("whether edges go both ways"))

    has_isolated_nodes = has_self_loops = contains_isolated_nodes = contains_self_loops = is_directed = is_undirected


class HeteroData:
    def __getattr__(self, name):
        return _harp.outside("a part of a graph")

    def __getitem__(self, name):
        return HeteroData()

    def __setitem__(self, name, value):
        pass

    def to(self, device, *arguments, **options):
        return self


def _joined(value, nodes):
    """What many graphs have of what one has: rows, as many as all have together."""
    return value.new_zeros((nodes,) + tuple(value.shape[1:])) if isinstance(value, torch.Tensor) and value.ndim > 0 else _harp.outside("a part of a graph")


class Batch(Data):
    @classmethod
    def from_data_list(cls, data_list, *arguments, **options):
        return batch_of(data_list[0], len(data_list))

    def to_data_list(self):
        return _harp.some_of([Data()])

    get_example = to_data_list


def batch_of(one, count):
    """A mini-batch of so many graphs that are like one."""
    if not isinstance(one, Data):
        return _harp.outside("a mini-batch of graphs")
    nodes, edges = _harp.free_size("nodes", 1), _harp.free_size("edges", 0)
    batch = Batch(x=_joined(one.x, nodes), edge_index=_harp.tensor((2, edges), torch.int64), edge_attr=_joined(one.edge_attr, edges))
    batch.batch = _harp.tensor((nodes,), torch.int64)
    batch.ptr = _harp.tensor((count + 1,), torch.int64)
    batch.pos = _joined(one.pos, nodes)
    batch.num_graphs = count
    if isinstance(one.y, torch.Tensor):
        y = one.y
        # Labels of one row are those of a graph; others may be those of its nodes.
        is_of_graph = y.ndim == 0 or _harp.is_known(y.shape[0]) and y.shape[0] == 1
        batch.y = y.new_zeros((count,) + tuple(y.shape[1:])) if is_of_graph else _harp.outside("labels of graphs")
    return batch


class Dataset(torch.utils.data.Dataset):
    slices = num_edge_features = name = num_tasks = num_nodes = _harp.outside("a part of a data set")

    def __init__(self, root=None, transform=None, pre_transform=None, pre_filter=None, log=True, force_reload=False):
        self.root, self.transform, self.pre_transform, self.pre_filter = root, transform, pre_transform, pre_filter

    def __getattr__(self, name):
        return _harp.outside("a part of a data set")

    def __len__(self):
        return self.len()

    def __getitem__(self, idx):
        return self.get(idx)

    @property
    def raw_dir(self):
        return str(_harp.outside("a folder"))

    processed_dir = raw_dir

    @property
    def raw_paths(self):
        return _harp.some_of([str(_harp.outside("a file"))])

    processed_paths = raw_paths


class InMemoryDataset(Dataset):
    def len(self):
        return _harp.free_size("graphs", 1)

    def get(self, idx):
        return Data(x=_harp.outside("a part of a graph"), edge_index=_edges(), y=_harp.outside("a part of a graph"))

    @staticmethod
    def collate(data_list):
        return _harp.outside("graphs"), _harp.outside("graphs")

    def load(self, path, *arguments):
        return None

    @staticmethod
    def save(data_list, path):
        return None

    def shuffle(self, *arguments):
        return self


def _known(*arguments, **options):
    return _harp.outside("a file of graphs")


download_url = extract_zip = extract_tar = extract_gz = _known
