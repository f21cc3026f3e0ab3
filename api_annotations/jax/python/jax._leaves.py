# Trees whose leaves must agree: what loops carry and what branches give.
import numpy as np
from harp_library import is_known, judge, tree_leaves, tree_map


def _agree(before, after, message):
    # Ranks that are not known may rest on what is assumed of an operand.
    if is_known(np.ndim(before)) and is_known(np.ndim(after)):
        judge(np.ndim(before) == np.ndim(after), message)
        judge(np.shape(before) == np.shape(after), message)
    return before


def same_sizes(before, after, message):
    # One tree has the structure of the other, and its leaves the same sizes.
    tree_map(lambda one, other: _agree(one, other, message), before, after)


def as_before(before, after, message):
    # The state of a loop: every round takes what the last one gave.
    same_sizes(before, after, message)
    return after
