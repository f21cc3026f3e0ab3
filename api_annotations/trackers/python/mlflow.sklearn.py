# `mlflow.sklearn`: what it makes is kept, and nothing of it comes back.
import harp_library as _harp
from wandb._tracked import Tracked

log_model = save_model = autolog = Tracked


def load_model(*arguments, **options):
    return _harp.outside("a model that was kept")
