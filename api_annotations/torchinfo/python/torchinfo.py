# `torchinfo`: what a model consists of. The model is called once, in evaluation mode.
import harp_library as _harp


class _Statistics:
    total_params = trainable_params = total_mult_adds = total_param_bytes = total_output_bytes = total_input = _harp.outside("a number of a model")
    summary_list = input_size = _harp.outside("a number of a model")


def summary(model, *arguments, **options):
    return _Statistics()
