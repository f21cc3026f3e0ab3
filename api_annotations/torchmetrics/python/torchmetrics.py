# Metrics of `torchmetrics`: what they take has shapes that go together, and what they give is a number, or one for each class.
import copy

import harp_library as _harp, pandas as _pandas
import torch
from torch import nn


class Metric(nn.Module):
    def __init__(self, **options):
        super().__init__()

    # An empty dictionary could be filled by anyone: it is there with the first state.
    def add_state(self, name, default, dist_reduce_fx=None, persistent=False):
        self._defaults = {**getattr(self, "_defaults", {}), name: default}
        setattr(self, name, [] if isinstance(default, list) else default.clone())

    def update(self, *arguments, **options):
        pass

    def compute(self):
        return _number()

    def forward(self, *arguments, **options):
        self.update(*arguments, **options)
        return self.compute()

    def reset(self):
        for name, default in getattr(self, "_defaults", {}).items():
            setattr(self, name, [] if isinstance(default, list) else default.clone())

    def clone(self):
        return copy.deepcopy(self)

    def sync(self, *arguments, **options):
        pass

    unsync = set_dtype = persistent = sync


def _number():
    return torch.zeros(())


def check_same_shape(preds, target):
    if preds.shape != target.shape:
        raise ValueError("predictions and targets are expected to have the same shape")


class _Compared(Metric):
    """A number for predictions and targets of one shape."""

    def update(self, preds, target, *arguments, **options):
        check_same_shape(preds, target)

    def compute(self):
        return _number()


class _Classes(Metric):
    def __init__(self, num_classes=None, top_k=1, average="macro", multidim_average="global", ignore_index=None, validate_args=True, **options):
        super().__init__()
        self.num_classes, self.average = num_classes, average

    def update(self, preds, target):
        if preds.ndim == target.ndim + 1:
            if preds.shape[1] != self.num_classes:
                raise ValueError("`preds.shape[1]` should be equal to the number of classes where `preds` have one dimension more than `target`")
            if (preds.shape[0],) + tuple(preds.shape[2:]) != tuple(target.shape):
                raise ValueError("`target` should be (N, ...) and `preds` should be (N, C, ...)")
        elif preds.ndim == target.ndim:
            check_same_shape(preds, target)
        else:
            raise _pandas._failure("`preds` and `target` should have the same shape, or `preds` one dimension more")

    def compute(self):
        if self.average is None or self.average == "none":
            return torch.zeros(self.num_classes)
        return _number()


class _Curve(_Classes):
    def __init__(self, num_classes=None, average="macro", thresholds=None, ignore_index=None, **options):
        super().__init__(num_classes, average=average)


class _JaccardOrKappa(_Classes):
    def __init__(self, num_classes=None, average="macro", *arguments, **options):
        super().__init__(num_classes, average=average)


class _ConfusionOfClasses(_Classes):
    def __init__(self, num_classes=None, *arguments, **options):
        super().__init__(num_classes)

    def compute(self):
        return torch.zeros(self.num_classes, self.num_classes, dtype=torch.long)


class _Binary(_Compared):
    def __init__(self, threshold=0.5, *arguments, **options):
        super().__init__()


class _BinaryCurve(Metric):
    """Scores are ordered, whatever shape they have."""

    def __init__(self, *arguments, **options):
        super().__init__()

    def update(self, preds, target):
        pass


class _ConfusionOfTwo(_Binary):
    def compute(self):
        return torch.zeros(2, 2, dtype=torch.long)


class _Labels(_Compared):
    def __init__(self, num_labels=None, threshold=0.5, average="macro", *arguments, **options):
        super().__init__()
        self.num_labels, self.average = num_labels, average

    def update(self, preds, target):
        check_same_shape(preds, target)
        if preds.ndim < 2 or preds.shape[1] != self.num_labels:
            raise ValueError("`preds.shape[1]` should be equal to the number of labels")

    def compute(self):
        if self.average is None or self.average == "none":
            return torch.zeros(self.num_labels)
        return _number()


class _CurveOfLabels(_Labels):
    def __init__(self, num_labels=None, average="macro", *arguments, **options):
        super().__init__(num_labels, average=average)


class _ConfusionOfLabels(_Labels):
    def compute(self):
        return torch.zeros(self.num_labels, 2, 2, dtype=torch.long)


MulticlassAccuracy = MulticlassF1Score = MulticlassPrecision = MulticlassRecall = MulticlassSpecificity = MulticlassHammingDistance = _Classes
MulticlassAUROC = MulticlassAveragePrecision = _Curve
MulticlassJaccardIndex = MulticlassCohenKappa = MulticlassMatthewsCorrCoef = MulticlassCalibrationError = MulticlassExactMatch = _JaccardOrKappa
MulticlassConfusionMatrix = _ConfusionOfClasses
BinaryAccuracy = BinaryF1Score = BinaryPrecision = BinaryRecall = BinarySpecificity = BinaryHammingDistance = BinaryJaccardIndex = _Binary
BinaryCohenKappa = BinaryMatthewsCorrCoef = _Binary
BinaryAUROC = BinaryAveragePrecision = BinaryCalibrationError = _BinaryCurve
BinaryConfusionMatrix = _ConfusionOfTwo
MultilabelAccuracy = MultilabelF1Score = MultilabelPrecision = MultilabelRecall = MultilabelSpecificity = MultilabelHammingDistance = _Labels
MultilabelJaccardIndex = _Labels
MultilabelAUROC = MultilabelAveragePrecision = _CurveOfLabels
MultilabelConfusionMatrix = _ConfusionOfLabels


def _for_task(binary, multiclass, multilabel, average):
    """The metric of a task; without a task its average is of all samples."""

    def made(task=None, threshold=0.5, num_classes=None, num_labels=None, average=average, **options):
        if task == "binary":
            return binary()
        if task == "multilabel":
            return multilabel(num_labels, average=average)
        return multiclass(num_classes, average=average)

    return made


Accuracy = _for_task(_Binary, _Classes, _Labels, "micro")
Precision = Recall = F1Score = Specificity = HammingDistance = _for_task(_Binary, _Classes, _Labels, "micro")
AUROC = AveragePrecision = _for_task(_BinaryCurve, _Curve, _CurveOfLabels, "macro")
JaccardIndex = _for_task(_Binary, _JaccardOrKappa, _Labels, "macro")
CohenKappa = MatthewsCorrCoef = CalibrationError = _for_task(_Binary, _JaccardOrKappa, _Labels, "macro")


def ConfusionMatrix(task=None, threshold=0.5, num_classes=None, num_labels=None, normalize=None, **options):
    if task == "binary":
        return _ConfusionOfTwo()
    return _ConfusionOfLabels(num_labels) if task == "multilabel" else _ConfusionOfClasses(num_classes)


class _Regression(_Compared):
    def __init__(self, *arguments, **options):
        super().__init__()


MeanSquaredError = MeanAbsoluteError = R2Score = ExplainedVariance = MeanAbsolutePercentageError = MeanSquaredLogError = _Regression
SymmetricMeanAbsolutePercentageError = PearsonCorrCoef = SpearmanCorrCoef = ConcordanceCorrCoef = LogCoshError = _Regression
PeakSignalNoiseRatio = StructuralSimilarityIndexMeasure = MultiScaleStructuralSimilarityIndexMeasure = _Regression
ScaleInvariantSignalNoiseRatio = SignalNoiseRatio = ScaleInvariantSignalDistortionRatio = _Regression


class CosineSimilarity(_Regression):
    def update(self, preds, target):
        check_same_shape(preds, target)
        if preds.ndim != 2:
            raise ValueError("cosine similarity takes tensors of the shape [N, D]")


class _Gathered(Metric):
    def __init__(self, *arguments, **options):
        super().__init__()

    def update(self, value, weight=1.0):
        if isinstance(weight, torch.Tensor) and isinstance(value, torch.Tensor):
            weight.expand(value.shape)


MeanMetric = SumMetric = MaxMetric = MinMetric = RunningMean = RunningSum = _Gathered


class CatMetric(_Gathered):
    def compute(self):
        return torch.zeros(_harp.free_size("values", 0))


class Perplexity(Metric):
    def __init__(self, ignore_index=None, **options):
        super().__init__()

    def update(self, preds, target):
        check_same_shape(preds[:, :, 0], target)


class _Texts(Metric):
    """Of texts there is only a number."""

    def __init__(self, *arguments, **options):
        super().__init__()


CharErrorRate = WordErrorRate = MatchErrorRate = BLEUScore = SacreBLEUScore = CHRFScore = EditDistance = SQuAD = _Texts


class MetricCollection(nn.Module):
    def __init__(self, metrics=None, *additional_metrics, prefix=None, postfix=None, compute_groups=True):
        super().__init__()
        self.prefix, self.postfix = prefix or "", postfix or ""
        if isinstance(metrics, dict):
            self._metrics = nn.ModuleDict(metrics)
        else:
            listed = list(metrics) if isinstance(metrics, (list, tuple)) else [metrics]
            self._metrics = nn.ModuleDict({type(metric).__name__: metric for metric in listed + list(additional_metrics)})

    def _named(self, values):
        return {self.prefix + name + self.postfix: value for name, value in values.items()}

    def forward(self, *arguments, **options):
        return self._named({name: metric(*arguments, **options) for name, metric in self._metrics.items()})

    def update(self, *arguments, **options):
        for metric in self._metrics.values():
            metric.update(*arguments, **options)

    def compute(self):
        return self._named({name: metric.compute() for name, metric in self._metrics.items()})

    def reset(self):
        for metric in self._metrics.values():
            metric.reset()

    def clone(self, prefix=None, postfix=None):
        made = copy.deepcopy(self)
        made.prefix = self.prefix if prefix is None else prefix
        made.postfix = self.postfix if postfix is None else postfix
        return made

    def items(self, *arguments, **options):
        return self._metrics.items()

    def keys(self, *arguments, **options):
        return self._metrics.keys()

    def values(self, *arguments, **options):
        return self._metrics.values()

    def __getitem__(self, name):
        return self._metrics[name]

    def __len__(self):
        return len(self._metrics)


def dim_zero_cat(x):
    return x if isinstance(x, torch.Tensor) else torch.cat([part.unsqueeze(0) if part.ndim == 0 else part for part in x], dim=0)


def dim_zero_sum(x):
    return torch.sum(x, dim=0)


def dim_zero_mean(x):
    return torch.mean(x, dim=0)
