# `scipy.optimize`, as far as arrays go.
import numpy as np


def linear_sum_assignment(cost_matrix, maximize=False):
    rows, columns = np.shape(cost_matrix)
    return np.zeros(min(rows, columns), dtype=np.int64), np.zeros(min(rows, columns), dtype=np.int64)
