# Losses as functions.
from harp_library import is_known, require
from tensorflow._core import as_tensor, broadcast
from tensorflow._shared import front_axis, made, same_shape


def softmax_cross_entropy_with_logits(labels, logits, axis=-1, name=None):
    labels, logits = as_tensor(labels), as_tensor(logits)
    place = front_axis(axis, len(logits.shape), "`logits`")
    shape = logits.shape
    # All axes but that of the classes are one for the library, so that other ranks may fit.
    if is_known(len(shape)) and is_known(len(labels.shape)) and is_known(place) and len(labels.shape) >= 1:
        if len(shape) == 2 and len(labels.shape) == 2:
            shape = broadcast(labels, logits, 0.0).shape
        elif place == len(shape) - 1:
            rows, others = 1, 1
            for size in shape[:-1]:
                rows = rows * size
            for size in labels.shape[:-1]:
                others = others * size
            require(rows == others or rows == 1 or others == 1, "there must be as many labels as logits")
            classes, own = shape[-1], labels.shape[-1]
            require(classes == own or classes == 1 or own == 1, "labels and logits must have the same classes")
        elif len(labels.shape) == len(shape):
            shape = broadcast(labels, logits, 0.0).shape
    return made(shape[:place] + shape[place + 1:], logits.dtype)


def sparse_softmax_cross_entropy_with_logits(labels, logits, name=None):
    labels, logits = as_tensor(labels), as_tensor(logits)
    require(len(logits.shape) >= 1, "the logits must have an axis of classes")
    require(len(labels.shape) == len(logits.shape) - 1, "the labels must have one axis less than the logits")
    same_shape(labels.shape, logits.shape[:-1], "the labels do not fit the logits")
    return made(labels.shape, logits.dtype)


def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    labels, logits = as_tensor(labels), as_tensor(logits)
    if is_known(len(labels.shape)) and is_known(len(logits.shape)):
        same_shape(labels.shape, logits.shape, "labels and logits must have the same shape")
        return made(logits.shape, logits.dtype)
    # As long as nothing is known of one of them, they only need to go together.
    return made(broadcast(logits, labels, 0.0).shape, logits.dtype)


def weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=None):
    labels, logits = as_tensor(labels), as_tensor(logits)
    same_shape(labels.shape, logits.shape, "labels and logits must have the same shape")
    return made(broadcast(logits, pos_weight, 0.0).shape, logits.dtype)


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    targets, log_input = as_tensor(targets), as_tensor(log_input)
    same_shape(targets.shape, log_input.shape, "targets and inputs must have the same shape")
    return made(log_input.shape, log_input.dtype)


# Version 1 has sparse labels and no lengths of them: its lengths are those of the logits.
def ctc_loss(labels, logits, label_length, logit_length=None, logits_time_major=True, unique=None, blank_index=None, name=None):
    logits = as_tensor(logits)
    require(len(logits.shape) == 3, "the logits must have three axes")
    batch = logits.shape[1] if logits_time_major else logits.shape[0]
    if logit_length is None:
        require(as_tensor(label_length).shape[0] == batch, "there must be a length of logits for each sample")
        return made((batch,), logits.dtype)
    lengths = as_tensor(logit_length).shape[0]
    require(lengths == batch or lengths == 1, "there must be a length of logits for each sample")
    if label_length is not None:
        require(as_tensor(label_length).shape[0] == batch, "there must be a length of labels for each sample")
        require(as_tensor(labels).shape[0] == batch, "there must be labels for each sample")
    return made((batch,), logits.dtype)


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    return made((), as_tensor(per_example_loss).dtype)


def scale_regularization_loss(regularization_loss):
    return made((), as_tensor(regularization_loss).dtype)
