# `optuna.samplers`.
from optuna import _known

TPESampler = RandomSampler = GridSampler = CmaEsSampler = NSGAIISampler = QMCSampler = GPSampler = _known
