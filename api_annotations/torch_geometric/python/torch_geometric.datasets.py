# `torch_geometric.datasets`: graphs that are known by name. How many features and classes there are, the name decides.
import torch
import harp_library as _harp
from torch_geometric.data import Data, Dataset, _edges


class _OfOne(Dataset):
    """One graph whose nodes have labels."""

    def __init__(self, root=None, name=None, *arguments, **options):
        self.num_features = self.num_node_features = _harp.free_size("features", 1)
        self.num_classes = _harp.free_size("classes", 1)

    def __len__(self):
        return 1

    def _one(self):
        nodes = _harp.free_size("nodes", 1)
        mask = _harp.tensor((nodes,), torch.bool)
        return Data(x=_harp.tensor((nodes, self.num_features), torch.float32), edge_index=_edges(), y=_harp.tensor((nodes,), torch.int64),
                    train_mask=mask, val_mask=mask, test_mask=mask)

    def __getitem__(self, idx):
        return self._one()

    @property
    def data(self):
        return self._one()


Planetoid = CitationFull = Coauthor = Amazon = KarateClub = CoraFull = WebKB = Reddit = Reddit2 = Flickr = GitHub = FacebookPagePage = _OfOne
NELL = DeezerEurope = LastFMAsia = Twitch = _OfOne


class _OfMany(Dataset):
    """Graphs with a label each."""

    def __init__(self, root=None, name=None, *arguments, **options):
        self.num_features = self.num_node_features = _harp.free_size("features", 1)
        self.num_classes = _harp.free_size("classes", 1)
        self._count = _harp.free_size("graphs", 1)

    def __len__(self):
        return self._count

    def _one(self):
        return Data(x=_harp.tensor((_harp.free_size("nodes", 1), self.num_features), torch.float32), edge_index=_edges(), y=_harp.tensor((1,), torch.int64))

    def __getitem__(self, idx):
        if isinstance(idx, int):
            return self._one()
        return self

    def shuffle(self, return_perm=False):
        return self


TUDataset = MNISTSuperpixels = _OfMany


class _OfAnything(Dataset):
    def __init__(self, *arguments, **options):
        self.num_features = self.num_node_features = _harp.free_size("features", 1)
        self.num_classes = _harp.free_size("classes", 1)

    def __len__(self):
        return _harp.free_size("graphs", 1)

    def __getitem__(self, idx):
        return _harp.outside("a graph") if isinstance(idx, int) else self

    def shuffle(self, return_perm=False):
        return self


QM9 = ZINC = MoleculeNet = PPI = ModelNet = ShapeNet = Entities = OGB_MAG = MovieLens = IMDB = DBLP = GNNBenchmarkDataset = QM7b = _OfAnything
FakeDataset = FakeHeteroDataset = ExplainerDataset = LRGBDataset = WordNet18RR = FB15k_237 = RelLinkPredDataset = FAUST = GEDDataset = _OfAnything
