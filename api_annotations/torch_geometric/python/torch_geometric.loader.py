# `torch_geometric.loader`: mini-batches of graphs.
import harp_library as _harp
from torch_geometric.data import Data, batch_of


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=False, follow_batch=None, exclude_keys=None, **options):
        self.dataset, self.batch_size = dataset, batch_size
        self._is_whole = "drop_last" in options

    def __len__(self):
        return _harp.free_size("batches", 1)

    def __iter__(self):
        # The last mini-batch may have fewer graphs.
        count = self.batch_size if self._is_whole else _harp.free_size("graphs", 1)
        return iter(_harp.some_of([batch_of(self.dataset[0], count)]))


class _OfParts:
    """Parts of one graph: which nodes they have is drawn."""

    def __init__(self, data=None, *arguments, **options):
        self.data = data

    def __len__(self):
        return _harp.free_size("parts", 1)

    def __iter__(self):
        return iter(_harp.some_of([_harp.outside("a part of a graph")]))

    def __getattr__(self, name):
        return _harp.outside("a part of a loader")


NeighborLoader = LinkNeighborLoader = ClusterLoader = ClusterData = GraphSAINTRandomWalkSampler = GraphSAINTNodeSampler = NeighborSampler = _OfParts
GraphSAINTEdgeSampler = HGTLoader = ShaDowKHopSampler = RandomNodeLoader = DenseDataLoader = DataListLoader = ImbalancedSampler = _OfParts
DynamicBatchSampler = TemporalDataLoader = _OfParts
