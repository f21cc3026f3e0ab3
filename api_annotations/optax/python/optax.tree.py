# Arithmetic on trees, under its short names.
import optax.tree_utils as _utils

add = _utils.tree_add
sub = _utils.tree_sub
mul = _utils.tree_mul
div = _utils.tree_div
scale = _utils.tree_scale
add_scale = _utils.tree_add_scale
vdot = _utils.tree_vdot
sum = _utils.tree_sum
max = _utils.tree_max
min = _utils.tree_min
size = _utils.tree_size
norm = _utils.tree_norm
zeros_like = _utils.tree_zeros_like
ones_like = _utils.tree_ones_like
full_like = _utils.tree_full_like
random_like = _utils.tree_random_like
conj = _utils.tree_conj
real = _utils.tree_real
clip = _utils.tree_clip
cast = _utils.tree_cast
cast_like = _utils.tree_cast_like
dtype = _utils.tree_dtype
allclose = _utils.tree_allclose
where = _utils.tree_where
bias_correction = _utils.tree_bias_correction
update_moment = _utils.tree_update_moment
split_key_like = _utils.tree_split_key_like
batch_shape = _utils.tree_batch_shape
get = _utils.tree_get
get_all_with_path = _utils.tree_get_all_with_path
set = _utils.tree_set
map_params = _utils.tree_map_params
update_moment_per_elem_norm = _utils.tree_update_moment_per_elem_norm
update_infinity_moment = _utils.tree_update_infinity_moment
