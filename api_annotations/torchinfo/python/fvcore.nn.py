# `fvcore.nn`: operations of a model.
import harp_library as _harp


class FlopCountAnalysis:
    def __init__(self, model, inputs):
        pass

    def __getattr__(self, name):
        return _number


def _number(*arguments, **options):
    return _harp.outside("a number of a model")


flop_count_table = flop_count_str = parameter_count = parameter_count_table = flop_count = _number
ActivationCountAnalysis = FlopCountAnalysis
