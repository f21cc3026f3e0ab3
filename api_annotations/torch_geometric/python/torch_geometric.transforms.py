# `torch_geometric.transforms`: graphs become other graphs.
import harp_library as _harp


class _Transform:
    def __init__(self, *arguments, **options):
        pass

    def __call__(self, data):
        return _harp.outside("a graph")


Compose = NormalizeFeatures = ToUndirected = AddSelfLoops = RandomNodeSplit = RandomLinkSplit = ToSparseTensor = KNNGraph = RadiusGraph = _Transform
Distance = Cartesian = Polar = LocalCartesian = SamplePoints = NormalizeScale = Center = RandomFlip = RandomRotate = RandomScale = _Transform
RandomJitter = OneHotDegree = Constant = ToDevice = AddLaplacianEigenvectorPE = AddRandomWalkPE = GDC = SIGN = ToDense = BaseTransform = _Transform
LargestConnectedComponents = RemoveIsolatedNodes = LineGraph = TwoHop = FaceToEdge = Delaunay = AddMetaPaths = VirtualNode = GCNNorm = _Transform
