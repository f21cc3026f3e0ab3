# `sklearn.utils.class_weight`
import numpy as np


def compute_class_weight(class_weight, *, classes, y):
    return np.zeros(len(classes))


def compute_sample_weight(class_weight, y, *, indices=None):
    return np.zeros(len(y))
