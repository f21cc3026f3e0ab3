# `ptflops`: operations of a model.
import harp_library as _harp


def get_model_complexity_info(model, *arguments, **options):
    return _harp.outside("a number of a model"), _harp.outside("a number of a model")
