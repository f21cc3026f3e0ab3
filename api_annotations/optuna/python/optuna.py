# `optuna`: a study calls the program's function with trials, which give settings.
import harp_library as _harp


def _known(*arguments, **options):
    return _harp.outside("what a study knows")


class Trial:
    params = value = values = state = user_attrs = distributions = datetime_start = duration = study = _harp.outside("what a trial knows")

    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, *arguments, **options):
        self.number = _harp.free_size("trial", 0)

    def suggest_int(self, name, low, high, *, step=1, log=False):
        return _harp.free_size(name if isinstance(name, str) and _harp.is_known(name) else "setting", low if _harp.is_known(low) else 0)

    def suggest_float(self, name, low, high, *, step=None, log=False):
        return float(_harp.outside("a setting"))

    def suggest_uniform(self, name, low, high, *arguments):
        return float(_harp.outside("a setting"))

    suggest_loguniform = suggest_discrete_uniform = suggest_uniform

    def suggest_categorical(self, name, choices):
        return _harp.outside("a setting")

    def report(self, value, step):
        return None

    def should_prune(self):
        return bool(_harp.outside("whether the trial ends"))

    def set_user_attr(self, key, value):
        return None

    def __getattr__(self, name):
        return _harp.outside("what a trial knows")


FrozenTrial = FixedTrial = Trial


class Study:
    best_params = best_value = best_values = best_trials = trials = direction = directions = user_attrs = study_name = sampler = pruner = (
        _harp.outside("what a study knows"))

    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, *arguments, **options):
        self.best_trial = Trial()

    def optimize(self, func, n_trials=None, timeout=None, n_jobs=1, catch=(), callbacks=None, gc_after_trial=False, show_progress_bar=False):
        func(Trial())

    def ask(self, fixed_distributions=None):
        return Trial()

    def tell(self, *arguments, **options):
        return None

    def enqueue_trial(self, *arguments, **options):
        return None

    def trials_dataframe(self, *arguments, **options):
        return _harp.outside("a table of trials")

    def __getattr__(self, name):
        return _harp.outside("what a study knows")


def create_study(*arguments, **options):
    return Study()


load_study = create_study
delete_study = get_all_study_names = copy_study = _known


class TrialPruned(Exception):
    pass


class _Parts:
    def __init__(self):
        self.TrialPruned = TrialPruned

    def __getattr__(self, name):
        return _known


samplers = pruners = visualization = logging = importance = integration = storages = study = distributions = _Parts()


class trial:
    Trial, TrialState, FrozenTrial = Trial, _harp.outside("states of trials"), FrozenTrial


class exceptions:
    TrialPruned = TrialPruned
