# `slim`: layers, variables and losses under one name.
from harp_library import outside, tensor
from tensorflow.contrib.framework import (
    add_arg_scope, add_model_variable, arg_scope, arg_scoped_arguments, assign_from_checkpoint, assign_from_checkpoint_fn, assign_from_values,
    assign_from_values_fn, create_global_step, get_global_step, get_local_variables, get_model_variables, get_or_create_global_step,
    get_trainable_variables, get_unique_variable, get_variables, get_variables_by_name, get_variables_by_suffix, get_variables_to_restore, has_arg_scope,
    local_variable, model_variable, variable)
from tensorflow.contrib.layers import (
    avg_pool2d, avg_pool3d, batch_norm, bias_add, conv1d, conv2d, conv2d_transpose, conv3d, conv3d_transpose, convolution, convolution2d,
    convolution2d_transpose, convolution3d, dropout, embed_sequence, flatten, fully_connected, group_norm, instance_norm, l1_l2_regularizer,
    l1_regularizer, l2_regularizer, layer_norm, linear, max_pool2d, max_pool3d, one_hot_encoding, optimize_loss, relu, repeat, separable_conv2d,
    separable_convolution2d, softmax, stack, sum_regularizer, unit_norm, variance_scaling_initializer, xavier_initializer, xavier_initializer_conv2d)


def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    return var_list


def zero_initializer(ref, use_locking=True, name="zero_initializer"):
    return ref
