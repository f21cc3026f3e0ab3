# `thop`: operations of a model.
import harp_library as _harp


def profile(model, *arguments, **options):
    return float(_harp.outside("a number of a model")), float(_harp.outside("a number of a model"))


def clever_format(nums, format="%.2f"):
    return _harp.outside("numbers of a model")
