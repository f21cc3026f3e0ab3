# Estimators: the program's function builds the model, once for each mode. What training and evaluation give is not known.
from harp_library import outside
from tensorflow._v1train import SessionRunHook as _Hook


class ModeKeys:
    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
    INFER = "infer"


class EstimatorSpec:
    def __init__(self, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, export_outputs=None, training_chief_hooks=None,
                 training_hooks=None, scaffold=None, evaluation_hooks=None, prediction_hooks=None, **options):
        self.mode, self.predictions, self.loss, self.train_op = mode, predictions, loss, train_op
        self.eval_metric_ops, self.export_outputs, self.scaffold = eval_metric_ops, export_outputs, scaffold




class Estimator:
    def __init__(self, model_fn=None, model_dir=None, config=None, params=None, warm_start_from=None, **options):
        self._model_fn, self.params, self.config, self.model_dir = model_fn, params, config, model_dir

    def _build(self, input_fn, mode):
        from tensorflow.data import Dataset
        given = input_fn()
        if isinstance(given, Dataset):
            given = given._element
        features, labels = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        return self._model_fn(features, labels, mode) if self.params is None else self._model_fn(features, labels, mode, self.params)

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        self._build(input_fn, "train")
        return self

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
        self._build(input_fn, "eval")
        return outside("results of an evaluation")

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True):
        return outside("predictions")

    def export_savedmodel(self, *arguments, **options):
        return outside("path of a model")

    export_saved_model = export_savedmodel

    def latest_checkpoint(self):
        return outside("path of a checkpoint")

    def get_variable_names(self):
        return outside("names of variables")

    def get_variable_value(self, name):
        return outside("value of a variable")


class _Canned(Estimator):
    def __init__(self, *arguments, **options):
        self.params = self.config = self.model_dir = None

    def _build(self, input_fn, mode):
        return input_fn()


class DNNClassifier(_Canned):
    pass


class DNNRegressor(_Canned):
    pass


class LinearClassifier(_Canned):
    pass


class LinearRegressor(_Canned):
    pass


class DNNLinearCombinedClassifier(_Canned):
    pass


class DNNLinearCombinedRegressor(_Canned):
    pass


class BaselineClassifier(_Canned):
    pass


class BoostedTreesClassifier(_Canned):
    pass


class RunConfig:
    def __init__(self, *arguments, **options):
        self.model_dir = outside("folder of a model")
        self.session_config = outside("options of a session")

    def replace(self, **options):
        return self


class TrainSpec:
    def __init__(self, input_fn, max_steps=None, hooks=None, saving_listeners=None):
        self.input_fn, self.max_steps = input_fn, max_steps


class EvalSpec:
    def __init__(self, input_fn, steps=100, name=None, hooks=None, exporters=None, start_delay_secs=120, throttle_secs=600):
        self.input_fn, self.steps = input_fn, steps


def train_and_evaluate(estimator, train_spec, eval_spec):
    estimator.train(train_spec.input_fn)
    estimator.evaluate(eval_spec.input_fn)
    return outside("results of an evaluation"), outside("exports")


class SessionRunHook(_Hook):
    pass


class WarmStartSettings:
    def __init__(self, *arguments, **options):
        pass


class VocabInfo:
    def __init__(self, *arguments, **options):
        pass


def classifier_parse_example_spec(*arguments, **options):
    return outside("features")
