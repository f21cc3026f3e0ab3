# `sklearn.metrics`: what is compared has equal numbers of samples.
import numpy as np
import harp_library as _harp
from sklearn._tables import array_of, check_consistent_length


def _score(y_true, y_pred, *arguments, **options):
    check_consistent_length(y_true, y_pred)
    return _harp.outside("cell of a table")


def _score_of_average(y_true, y_pred, *, labels=None, average="binary", **options):
    check_consistent_length(y_true, y_pred)
    if average is None:
        return np.zeros(_harp.free_size("classes", 1) if labels is None else len(labels))
    return _harp.outside("cell of a table")


accuracy_score = balanced_accuracy_score = matthews_corrcoef = cohen_kappa_score = log_loss = hamming_loss = brier_score_loss = _score
mean_squared_error = mean_absolute_error = r2_score = root_mean_squared_error = median_absolute_error = explained_variance_score = _score
mean_absolute_percentage_error = mean_squared_log_error = max_error = zero_one_loss = top_k_accuracy_score = _score
adjusted_rand_score = normalized_mutual_info_score = silhouette_score = ndcg_score = auc = _score
f1_score = precision_score = recall_score = fbeta_score = jaccard_score = _score_of_average


def roc_auc_score(y_true, y_score, *, average="macro", **options):
    return _score_of_average(y_true, y_score, average=average)


average_precision_score = roc_auc_score


def precision_recall_fscore_support(y_true, y_pred, *, labels=None, average=None, **options):
    one = _score_of_average(y_true, y_pred, labels=labels, average=average)
    return one, one, one, None if average is not None else one


def confusion_matrix(y_true, y_pred, *, labels=None, **options):
    check_consistent_length(y_true, y_pred)
    n = _harp.free_size("classes", 1) if labels is None else len(labels)
    return np.zeros((n, n), dtype=np.int64)


def multilabel_confusion_matrix(y_true, y_pred, **options):
    return np.zeros((_harp.free_size("classes", 1), 2, 2), dtype=np.int64)


def classification_report(y_true, y_pred, *, output_dict=False, **options):
    check_consistent_length(y_true, y_pred)
    return _harp.outside("cell of a table") if output_dict else str(_harp.outside("cell of a table"))


def roc_curve(y_true, y_score, **options):
    check_consistent_length(y_true, y_score)
    n = _harp.free_size("thresholds", 1)
    return np.zeros(n), np.zeros(n), np.zeros(n)


def precision_recall_curve(y_true, y_score, **options):
    check_consistent_length(y_true, y_score)
    n = _harp.free_size("thresholds", 1)
    return np.zeros(n + 1), np.zeros(n + 1), np.zeros(n)


def pairwise_distances(X, Y=None, *arguments, **options):
    X = array_of(X)
    return np.zeros((X.shape[0], X.shape[0] if Y is None else array_of(Y).shape[0]))


adjusted_mutual_info_score = calinski_harabasz_score = completeness_score = coverage_error = d2_absolute_error_score = d2_pinball_score = _score
d2_tweedie_score = davies_bouldin_score = dcg_score = fowlkes_mallows_score = hinge_loss = homogeneity_score = label_ranking_loss = _score
label_ranking_average_precision_score = mean_gamma_deviance = mean_pinball_loss = mean_poisson_deviance = mean_tweedie_deviance = _score
mutual_info_score = rand_score = root_mean_squared_log_error = v_measure_score = _score


def silhouette_samples(X, labels, **options):
    return np.zeros(X.shape[0])


def det_curve(y_true, y_score, **options):
    n = _harp.free_size("thresholds", 1)
    return np.zeros(n), np.zeros(n), np.zeros(n)


def euclidean_distances(X, Y=None, **options):
    return pairwise_distances(X, Y)


nan_euclidean_distances = pairwise_kernels = euclidean_distances


def pairwise_distances_argmin(X, Y, **options):
    return np.zeros(array_of(X).shape[0], dtype=np.int64)


def pairwise_distances_argmin_min(X, Y, **options):
    return np.zeros(array_of(X).shape[0], dtype=np.int64), np.zeros(array_of(X).shape[0])


class _Display:
    def __init__(self, *arguments, **options):
        pass

    @classmethod
    def from_predictions(cls, *arguments, **options):
        return cls()

    from_estimator = from_predictions

    def plot(self, *arguments, **options):
        return self

    ax_ = figure_ = text_ = im_ = line_ = _harp.outside("a part of a plot")


ConfusionMatrixDisplay = RocCurveDisplay = PrecisionRecallDisplay = DetCurveDisplay = PredictionErrorDisplay = _Display


def make_scorer(score_func, **options):
    return _harp.outside("a score")


get_scorer = check_scoring = make_scorer
