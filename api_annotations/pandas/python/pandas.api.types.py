# `pandas.api.types`: questions about columns, which the data answers.
import harp_library as _harp


def is_numeric_dtype(arr_or_dtype):
    return bool(_harp.outside("what a column holds"))


is_string_dtype = is_object_dtype = is_bool_dtype = is_integer_dtype = is_float_dtype = is_datetime64_any_dtype = is_datetime64_dtype = is_numeric_dtype
is_datetime64_ns_dtype = is_timedelta64_dtype = is_list_like = is_scalar = is_number = is_integer = is_float = is_bool = is_re = is_numeric_dtype
is_dict_like = is_hashable = is_iterator = is_complex_dtype = is_sparse = is_signed_integer_dtype = is_unsigned_integer_dtype = is_numeric_dtype
is_any_real_numeric_dtype = is_array_like = is_categorical_dtype = is_extension_array_dtype = is_interval_dtype = is_period_dtype = is_numeric_dtype
