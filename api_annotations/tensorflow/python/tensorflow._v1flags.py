# Flags in version 1 are those of absl.
import absl.flags as _flags

FLAGS = _flags.FLAGS
DEFINE_string = _flags.DEFINE_string
DEFINE_integer = _flags.DEFINE_integer
DEFINE_float = _flags.DEFINE_float
DEFINE_bool = _flags.DEFINE_bool
DEFINE_boolean = _flags.DEFINE_boolean
DEFINE_enum = _flags.DEFINE_enum
DEFINE_list = _flags.DEFINE_list
DEFINE_spaceseplist = _flags.DEFINE_spaceseplist
DEFINE_multi_string = _flags.DEFINE_multi_string
DEFINE_multi_integer = _flags.DEFINE_multi_integer
DEFINE_multi_float = _flags.DEFINE_multi_float
mark_flag_as_required = _flags.mark_flag_as_required
mark_flags_as_required = _flags.mark_flags_as_required
register_validator = _flags.register_validator
