# `neptune`: runs, and what they are told.
from wandb._tracked import Tracked, told as _told

init_run = init_project = init_model = Run = Tracked
init = create_experiment = Tracked
log_metric = log_text = log_image = log_artifact = send_metric = send_image = stop = set_property = append_tag = _told
