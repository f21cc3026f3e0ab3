# `wandb`: runs, and what they are told.
from wandb._tracked import Run, Tracked, asked as _asked, kept as _kept, told as _told

finish = join = unwatch = alert = termlog = termwarn = termerror = define_metric = setup = teardown = log_artifact = mark_preempting = _told
watch = use_artifact = use_model = link_artifact = log_model = link_model = controller = plot_table = restore = _kept
login = agent = sweep = ensure_configured = _asked


plot = plots = sdk = wandb_run = apis = util = Tracked()


def init(*arguments, **options):
    return Run()
