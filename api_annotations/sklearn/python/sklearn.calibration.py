# `sklearn.calibration`: probabilities that are set right.
import harp_library as _harp
from sklearn._estimators import Wrapper


class CalibratedClassifierCV(Wrapper):
    pass


class CalibrationDisplay(Wrapper):
    pass


def calibration_curve(y_true, y_prob, *, pos_label=None, n_bins=5, strategy="uniform"):
    bins = _harp.free_size("bins", 1)
    return _harp.array((bins,)), _harp.array((bins,))
