# What a file gives has the structure of what was to be replaced.
from harp_library import outside, tree_map


def save_checkpoint(ckpt_dir, target, step, prefix="checkpoint_", keep=1, overwrite=False, **options):
    return "a path"


def save_checkpoint_multiprocess(ckpt_dir, target, step, prefix="checkpoint_", keep=1, overwrite=False, **options):
    return "a path"


def latest_checkpoint(ckpt_dir, prefix="checkpoint_"):
    return outside("the path of a checkpoint")


def available_steps(ckpt_dir, prefix="checkpoint_", step_prefix=None):
    return outside("numbers of steps")


def restore_checkpoint(ckpt_dir, target=None, step=None, prefix="checkpoint_", parallel=True, **options):
    return outside("a checkpoint") if target is None else target


def convert_pre_linen(params):
    return params


def natural_sort(file_list, signed=True):
    return sorted(file_list)
