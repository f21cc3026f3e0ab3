# Meshes of devices, and how arrays lie on them. Sizes of arrays stay those of the whole.
from harp_library import unknown


class PartitionSpec(tuple):
    def __new__(cls, *partitions, unreduced=frozenset(), reduced=frozenset()):
        return tuple.__new__(cls, partitions)


class Mesh:
    def __init__(self, devices, axis_names, axis_types=None):
        self.devices, self.axis_names = devices, axis_names

    @property
    def shape(self):
        return unknown("the sizes of a mesh")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


class AbstractMesh:
    def __init__(self, axis_sizes, axis_names=None, axis_types=None):
        self.axis_sizes, self.axis_names = axis_sizes, axis_names


class NamedSharding:
    def __init__(self, mesh, spec, *, memory_kind=None):
        self.mesh, self.spec, self.memory_kind = mesh, spec, memory_kind


class SingleDeviceSharding:
    def __init__(self, device, *, memory_kind=None):
        self.device = device


class PositionalSharding:
    def __init__(self, devices, *, memory_kind=None):
        self.devices = devices

    def reshape(self, *shape):
        return self

    def replicate(self, axis=None, keepdims=True):
        return self


class AxisType:
    Auto = "auto"
    Explicit = "explicit"
    Manual = "manual"


def reshard(xs, out_shardings):
    return xs


def use_mesh(mesh):
    return mesh


def set_mesh(mesh):
    return mesh
