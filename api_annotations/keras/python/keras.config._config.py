# Settings.
def backend():
    return "tensorflow"


def floatx():
    return "float32"


def epsilon():
    return 1e-7


def image_data_format():
    return "channels_last"


def set_floatx(*arguments, **options):
    pass


set_epsilon = set_image_data_format = set_backend = enable_unsafe_deserialization = disable_traceback_filtering = set_floatx
enable_interactive_logging = disable_interactive_logging = set_dtype_policy = enable_flash_attention = disable_flash_attention = set_floatx


def dtype_policy():
    return None
