# `comet_ml`: experiments, and what they are told.
from wandb._tracked import Tracked, told as _told

Experiment = OfflineExperiment = ExistingExperiment = API = Optimizer = Artifact = start = Tracked
init = login = _told
