# `optuna.pruners`.
from optuna import _known

MedianPruner = HyperbandPruner = SuccessiveHalvingPruner = NopPruner = PercentilePruner = PatientPruner = _known
