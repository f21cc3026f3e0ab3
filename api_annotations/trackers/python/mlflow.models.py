# `mlflow.models`: what it makes is kept, and nothing of it comes back.
from wandb._tracked import Tracked

infer_signature = ModelSignature = Tracked
