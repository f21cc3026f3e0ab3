# Training with `slim`.
from harp_library import outside
from tensorflow._v1graph import Operation


def create_train_op(total_loss, optimizer, *arguments, **options):
    # Running it gives the loss.
    return total_loss


def train(train_op, logdir, *arguments, **options):
    return outside("loss")


def train_step(sess, train_op, global_step, train_step_kwargs):
    return outside("loss"), outside("whether training is over")


def multiply_gradients(grads_and_vars, gradient_multipliers):
    return grads_and_vars


def clip_gradient_norms(gradients_to_variables, max_norm):
    return gradients_to_variables


def add_gradients_summaries(grads_and_vars):
    return []
