# `mlflow`: runs, and what they are told.
from wandb._tracked import Run as _Run, Tracked as _Tracked, asked as _asked, told as _told

log_param = log_params = log_artifacts = log_dict = log_figure = log_image = log_text = log_table = _told
log_input = log_model = set_tracking_uri = set_registry_uri = set_tag = set_tags = end_run = autolog = delete_tag = delete_run = _told
enable_system_metrics_logging = disable_system_metrics_logging = delete_experiment = set_experiment_tag = set_experiment_tags = _told
get_tracking_uri = get_artifact_uri = get_experiment = get_experiment_by_name = create_experiment = search_runs = search_experiments = _asked
get_run = get_parent_run = get_registry_uri = register_model = active_run = last_active_run = set_experiment = is_tracking_uri_set = _asked
evaluate = MlflowClient = _Tracked
pytorch = sklearn = keras = tensorflow = xgboost = lightgbm = transformers = onnx = pyfunc = models = _Tracked()
tracking = data = entities = artifacts = exceptions = types = _Tracked()


def start_run(*arguments, **options):
    return _Run()
