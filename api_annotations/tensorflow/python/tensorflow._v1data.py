# Functions of data sets in version 1.
from harp_library import tree_map


def make_one_shot_iterator(dataset):
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset, shared_name=None):
    return dataset.make_initializable_iterator()


def get_output_shapes(dataset_or_iterator):
    return tree_map(lambda leaf: leaf.shape, dataset_or_iterator._element)


def get_output_types(dataset_or_iterator):
    return tree_map(lambda leaf: leaf.dtype, dataset_or_iterator._element)
