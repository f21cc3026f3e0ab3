# `optuna.integration`.
from optuna import _known

PyTorchLightningPruningCallback = LightGBMPruningCallback = XGBoostPruningCallback = _known
