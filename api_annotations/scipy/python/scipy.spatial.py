# `scipy.spatial`: trees of points, hulls, and rotations.
import numpy as np
import harp_library as _harp
from scipy._numbers import number as _number, numbers as _numbers


class KDTree:
    def __init__(self, data, leafsize=10, *arguments, **options):
        self.data = np.asarray(data)
        self.n, self.m = np.shape(data)

    def query(self, x, k=1, eps=0, p=2, distance_upper_bound=None, workers=1):
        outer = tuple(np.shape(x)[:-1])
        if not isinstance(k, int):
            return _harp.array(None), _harp.array(None)
        if k == 1:
            if len(outer) == 0:
                return _number(), _harp.free_size("index", 0)
            return np.zeros(outer), np.zeros(outer, dtype=np.int64)
        return np.zeros(outer + (k,)), np.zeros(outer + (k,), dtype=np.int64)

    def query_ball_point(self, *arguments, **options):
        return _harp.outside("neighbours")

    query_pairs = query_ball_tree = count_neighbors = sparse_distance_matrix = query_ball_point


cKDTree = KDTree


class _Hull:
    vertices = simplices = neighbors = equations = volume = area = convex_hull = ridge_points = ridge_vertices = regions = point_region = (
        _harp.outside("a part of a hull"))

    def __init__(self, points, *arguments, **options):
        self.points = np.asarray(points)

    def find_simplex(self, xi, *arguments, **options):
        return np.zeros(np.shape(xi)[:-1], dtype=np.int32)

    def __getattr__(self, name):
        return _harp.outside("a part of a hull")


ConvexHull = Delaunay = Voronoi = SphericalVoronoi = HalfspaceIntersection = _Hull


def distance_matrix(x, y, p=2, threshold=1000000):
    return np.zeros((np.shape(x)[0], np.shape(y)[0]))


def procrustes(data1, data2):
    return np.zeros(np.shape(data1)), np.zeros(np.shape(data1)), _number()


geometric_slerp = minkowski_distance = _numbers
