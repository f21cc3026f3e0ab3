# `optuna.trial`.
import harp_library as _harp
from optuna import FixedTrial, FrozenTrial, Trial

TrialState = _harp.outside("states of trials")
