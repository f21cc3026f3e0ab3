//! Library knowledge that the annotation notation cannot say: a function for each operation whose result or requirements depend
//! on more than the shapes of its operands.
//!
//! A transfer function reads its arguments by the names of the library's parameters, records what the operation requires, and
//! gives its result. Whatever it does not understand turns a check off; it never makes one fail.

pub mod apply_signature;
mod attention;
mod axis_errors;
mod broadcasting;
mod classification_loss;
mod combinations;
mod convolution;
mod creation;
mod distributions;
mod dtypes;
mod einops;
mod einops_packs;
mod einsum;
mod elementwise;
mod embedding;
mod fold_and_shuffle;
mod gathering;
mod image_modes;
mod images;
mod indexing;
mod interpolation;
mod join_and_split;
mod linalg;
mod linalg_rare;
mod loss;
mod matrix;
mod normalization;
mod numpy_edits;
mod numpy_functions;
mod operand_checks;
pub mod operation;
pub mod operator_names;
mod padding;
mod permute_and_select;
mod pooling;
mod recurrent;
mod reduction;
mod reshaping;
mod result_fields;
mod signal;
pub mod size_names;
mod spectral;
mod support;
mod torchvision_ops;
mod weight_init;

pub(crate) use dtypes::{magnitude, named};
pub use image_modes::channels_of;
pub use result_fields::field_names;

use crate::operation::{Operation, Output};

/// Evaluates an operation: records its requirements, and gives its result.
pub type Transfer = fn(&mut Operation) -> Output;

/// The transfer function of this name.
pub fn lookup(name: &str) -> Option<Transfer> {
    TABLE.binary_search_by_key(&name, |(name, _)| name).ok().map(|index| TABLE[index].1)
}

/// The names of all transfer functions, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _)| *name)
}

macro_rules! table {
    ($($name:literal => $function:path,)*) => {
        /// Sorted by name.
        static TABLE: &[(&str, Transfer)] = &[$(($name, |operation| support::settle($function(operation)))),*];
    };
}

table! {
    "absolute" => elementwise::absolute,
    "adaptive_pool" => pooling::adaptive_pool,
    "added_product" => matrix::added_product,
    "affine_grid" => interpolation::affine_grid,
    "angle" => signal::angle,
    "arange" => creation::arange,
    "arg_reduction" => reduction::arg_reduction,
    "array" => numpy_functions::array,
    "array_append" => numpy_edits::append,
    "array_block" => numpy_edits::block,
    "array_choice" => numpy_edits::choice,
    "array_choices" => numpy_edits::choices,
    "array_compress" => numpy_edits::compress,
    "array_create" => numpy_functions::create,
    "array_delete" => numpy_edits::delete,
    "array_diagonal_indices" => numpy_edits::diagonal_indices,
    "array_differences" => numpy_edits::differences,
    "array_dot" => numpy_functions::dot,
    "array_flat_nonzero" => numpy_edits::flat_nonzero,
    "array_flat_selection" => numpy_edits::flat_selection,
    "array_floating" => numpy_edits::floating,
    "array_full" => numpy_functions::full,
    "array_histogram_2d" => numpy_edits::histogram_2d,
    "array_indices" => numpy_edits::indices,
    "array_insert" => numpy_edits::insert,
    "array_lexsort" => numpy_edits::lexsort,
    "array_open_mesh" => numpy_edits::open_mesh,
    "array_pad" => numpy_functions::pad,
    "array_permutation" => numpy_functions::permutation,
    "array_polyfit" => numpy_edits::polyfit,
    "array_put_along" => operand_checks::put_along,
    "array_random" => numpy_functions::random,
    "array_random_integers" => numpy_functions::random_integers,
    "array_random_vectors" => numpy_edits::random_vectors,
    "array_roll_axis" => numpy_edits::roll_axis,
    "array_sort_in_place" => operand_checks::sorted_in_place,
    "array_take" => numpy_edits::take,
    "array_trace" => numpy_edits::trace,
    "array_triangle_indices" => numpy_edits::triangle_indices,
    "array_truth_along" => numpy_edits::truth_along,
    "array_unravel" => numpy_edits::unravel,
    "array_view" => operand_checks::reinterpreted,
    "as_strided" => permute_and_select::as_strided,
    "at_least_rank" => join_and_split::at_least_rank,
    "avg_pool" => pooling::avg_pool,
    "backward" => permute_and_select::backward,
    "batch_norm" => normalization::batch_norm,
    "batch_norm_module" => normalization::batch_norm_module,
    "bilinear" => matrix::bilinear,
    "bin_counts" => join_and_split::bin_counts,
    "binary_cross_entropy" => loss::binary_cross_entropy,
    "binary_cross_entropy_with_logits" => loss::binary_cross_entropy_with_logits,
    "block_diagonal" => combinations::block_diagonal,
    "bmm" => matrix::bmm,
    "box_convert" => torchvision_ops::box_convert,
    "box_loss" => torchvision_ops::box_loss,
    "box_pairs" => torchvision_ops::box_pairs,
    "broadcast_shapes" => elementwise::broadcast_shapes,
    "broadcast_tensors" => elementwise::broadcast_tensors,
    "buckets" => signal::buckets,
    "cartesian_product" => combinations::cartesian_product,
    "cat" => join_and_split::cat,
    "cdist" => matrix::cdist,
    "cell" => recurrent::cell,
    "chained_product" => matrix::chained_product,
    "channel_shuffle" => fold_and_shuffle::channel_shuffle,
    "chunk" => join_and_split::chunk,
    "clamp" => elementwise::clamp,
    "combinations" => combinations::combinations,
    "compared" => operand_checks::compared,
    "comparison" => elementwise::comparison,
    "conv" => convolution::conv,
    "conv_init" => convolution::conv_init,
    "conv_module" => convolution::conv_module,
    "conv_transpose" => convolution::conv_transpose,
    "conv_transpose_module" => convolution::conv_transpose_module,
    "convert" => elementwise::convert,
    "convolution_layers" => torchvision_ops::convolution_layers,
    "convolve" => signal::convolve,
    "copy_into" => elementwise::copy_into,
    "cosine_embedding" => loss::cosine_embedding,
    "covariance" => linalg_rare::covariance,
    "create" => creation::create,
    "cross" => matrix::cross,
    "cross_entropy" => classification_loss::cross_entropy,
    "ctc" => loss::ctc,
    "cumulative_trapezoid" => signal::cumulative_trapezoid,
    "decoder_layer" => attention::decoder_layer,
    "deformable_convolution" => torchvision_ops::deformable_convolution,
    "deformed" => torchvision_ops::deformed,
    "determinant" => linalg::determinant,
    "deviation" => reduction::deviation,
    "deviation_and_mean" => reduction::deviation_and_mean,
    "diag" => permute_and_select::diag,
    "diag_embed" => permute_and_select::diag_embed,
    "diagonal" => permute_and_select::diagonal,
    "diagonal_scatter" => signal::diagonal_scatter,
    "difference" => reduction::difference,
    "distance" => operand_checks::distance,
    "distribution" => distributions::distribution,
    "divide" => elementwise::divide,
    "dot" => matrix::dot,
    "eigen" => linalg::eigen,
    "eigen_symmetric" => linalg::eigen_symmetric,
    "eigenvalues" => linalg::eigenvalues,
    "eigenvalues_symmetric" => linalg::eigenvalues_symmetric,
    "einops_einsum" => einops::einops_einsum,
    "einops_mix" => einops_packs::mix,
    "einops_pack" => einops_packs::pack,
    "einops_parse_shape" => einops_packs::parse_shape,
    "einops_rearrange" => einops::einops_rearrange,
    "einops_reduce" => einops::einops_reduce,
    "einops_repeat" => einops::einops_repeat,
    "einops_unpack" => einops_packs::unpack,
    "einsum" => einsum::einsum,
    "element_count" => permute_and_select::element_count,
    "elementwise" => elementwise::elementwise,
    "elementwise_float" => elementwise::elementwise_float,
    "elementwise_loss" => loss::elementwise_loss,
    "embedding" => embedding::embedding,
    "embedding_bag" => embedding::embedding_bag,
    "embedding_init" => embedding::embedding_init,
    "encoder_layer" => attention::encoder_layer,
    "equality" => elementwise::equality,
    "expand" => permute_and_select::expand,
    "expand_as" => permute_and_select::expand_as,
    "extremum" => reduction::extremum,
    "eye" => creation::eye,
    "fan_scaled" => weight_init::fan_scaled,
    "fan_scaled_unless_empty" => weight_init::fan_scaled_unless_empty,
    "fans" => weight_init::fans,
    "fft" => spectral::fft,
    "fill_in_place" => elementwise::fill_in_place,
    "flatten" => reshaping::flatten,
    "flip" => reduction::flip,
    "focal_loss" => torchvision_ops::focal_loss,
    "fold" => fold_and_shuffle::fold,
    "fractional_pool" => signal::fractional_pool,
    "full" => creation::full,
    "gather" => gathering::gather,
    "gaussian_nll" => loss::gaussian_nll,
    "getitem" => indexing::getitem,
    "glu" => fold_and_shuffle::glu,
    "gradient" => signal::gradient,
    "grid_sample" => interpolation::grid_sample,
    "group_norm" => normalization::group_norm,
    "group_norm_init" => normalization::group_norm_init,
    "histogram" => signal::histogram,
    "image_bands" => image_modes::bands,
    "image_blurred" => images::blurred,
    "image_box" => image_modes::boxed,
    "image_coloured" => images::coloured,
    "image_crop" => images::crop,
    "image_crops" => images::crops,
    "image_equalized" => images::equalized,
    "image_grayscale" => images::grayscale,
    "image_grid" => torchvision_ops::grid,
    "image_merge" => image_modes::merge,
    "image_mode" => image_modes::mode,
    "image_new" => image_modes::new,
    "image_normalize" => images::normalize,
    "image_open" => image_modes::open,
    "image_pad" => images::pad,
    "image_resize" => images::resize,
    "image_resized_crop" => images::resized_crop,
    "image_rotate" => images::rotate,
    "image_scaled" => image_modes::scaled,
    "image_sides" => images::measures,
    "image_to_tensor" => images::to_tensor,
    "image_turn" => image_modes::turn,
    "image_warped" => images::warped,
    "in_place" => elementwise::in_place,
    "index_add" => gathering::index_add,
    "index_add_in_place" => gathering::index_add_in_place,
    "index_fill" => gathering::index_fill,
    "index_fill_in_place" => gathering::index_fill_in_place,
    "index_put" => operand_checks::index_put,
    "index_put_in_place" => operand_checks::index_put_in_place,
    "index_select" => gathering::index_select,
    "inner_product" => matrix::inner_product,
    "instance_norm" => normalization::instance_norm,
    "instance_norm_module" => normalization::instance_norm_module,
    "interpolate" => interpolation::interpolate,
    "inverted" => operand_checks::inverted,
    "irfft" => spectral::irfft,
    "istft" => signal::istft,
    "item" => permute_and_select::item,
    "kernel_in_place" => weight_init::kernel_in_place,
    "kron" => matrix::kron,
    "kth_value" => reduction::kth_value,
    "layer_norm" => normalization::layer_norm,
    "least_squares" => linalg_rare::least_squares,
    "length" => permute_and_select::length,
    "lerp" => elementwise::lerp,
    "like" => creation::like,
    "linear" => matrix::linear,
    "linear_module" => matrix::linear_module,
    "linspace" => creation::linspace,
    "local_response_norm" => normalization::local_response_norm,
    "lp_pool" => pooling::lp_pool,
    "lstm" => recurrent::lstm,
    "lstm_cell" => recurrent::lstm_cell,
    "lu" => linalg_rare::lu,
    "lu_factor" => linalg_rare::lu_factor,
    "mantissa_and_exponent" => signal::mantissa_and_exponent,
    "margin_ranking" => loss::margin_ranking,
    "masked_fill" => elementwise::masked_fill,
    "masked_in_place" => elementwise::masked_in_place,
    "masked_select" => elementwise::masked_select,
    "masks_to_boxes" => torchvision_ops::masks_to_boxes,
    "matmul" => matrix::matmul,
    "matrix_in_place" => weight_init::matrix_in_place,
    "matrix_rank" => linalg::matrix_rank,
    "matrix_transpose" => permute_and_select::matrix_transpose,
    "max_pool" => pooling::max_pool,
    "max_unpool" => pooling::max_unpool,
    "meshgrid" => combinations::meshgrid,
    "mm" => matrix::mm,
    "multi_margin" => classification_loss::multi_margin,
    "multihead" => attention::multihead,
    "multihead_init" => attention::multihead_init,
    "multilabel_margin" => classification_loss::multilabel_margin,
    "multilabel_soft_margin" => loss::multilabel_soft_margin,
    "multinomial" => fold_and_shuffle::multinomial,
    "mv" => matrix::mv,
    "narrow" => permute_and_select::narrow,
    "new_like" => creation::new_like,
    "nll_loss" => classification_loss::nll_loss,
    "nonzero" => join_and_split::nonzero,
    "normal" => creation::normal,
    "one_hot" => creation::one_hot,
    "operands_in_place" => elementwise::operands_in_place,
    "pack_padded" => recurrent::pack_padded,
    "pad" => padding::pad,
    "pad_module" => padding::pad_module,
    "pad_sequence" => join_and_split::pad_sequence,
    "perceptron" => torchvision_ops::perceptron,
    "permutation" => creation::permutation,
    "pixel_shuffle" => fold_and_shuffle::pixel_shuffle,
    "pixel_unshuffle" => fold_and_shuffle::pixel_unshuffle,
    "prelu" => operand_checks::prelu,
    "pseudo_inverse" => linalg::pseudo_inverse,
    "put" => signal::put,
    "qr" => linalg::qr,
    "quantile" => reduction::quantile,
    "random_integers" => creation::random_integers,
    "rank" => permute_and_select::rank,
    "repeat" => permute_and_select::repeat,
    "repeat_interleave" => permute_and_select::repeat_interleave,
    "reshape" => reshaping::reshape,
    "reshape_as" => reshaping::reshape_as,
    "resize" => operand_checks::resize,
    "rfft" => spectral::rfft,
    "rnn" => recurrent::rnn,
    "rnn_init" => recurrent::rnn_init,
    "roi" => torchvision_ops::regions,
    "roll" => reduction::roll,
    "rotate" => permute_and_select::rotate,
    "same_tensors" => elementwise::same_tensors,
    "scaled_dot_product" => attention::scaled_dot_product,
    "scatter" => gathering::scatter,
    "scatter_in_place" => gathering::scatter_in_place,
    "select" => permute_and_select::select,
    "select_scatter" => signal::select_scatter,
    "selected_boxes" => torchvision_ops::selected_boxes,
    "set_source" => operand_checks::set_source,
    "setitem" => indexing::setitem,
    "sign_and_log_determinant" => linalg::sign_and_log_determinant,
    "singular_condition" => numpy_edits::condition_number,
    "singular_values" => linalg::singular_values,
    "size" => permute_and_select::size,
    "slice_scatter" => signal::slice_scatter,
    "solve" => linalg::solve,
    "solve_by_factors" => linalg_rare::solve_by_factors,
    "sparse_coo" => creation::sparse_coo,
    "split" => join_and_split::split,
    "split_along" => join_and_split::split_along,
    "square_matrix" => linalg::square_matrix,
    "square_matrix_and_info" => linalg_rare::square_matrix_and_info,
    "squeeze" => reshaping::squeeze,
    "stack_along" => join_and_split::stack_along,
    "stft" => signal::stft,
    "subtract" => elementwise::subtract,
    "sum_to_size" => signal::sum_to_size,
    "suppressed_boxes" => torchvision_ops::suppressed,
    "svd" => linalg::svd,
    "t" => permute_and_select::t,
    "take" => gathering::take,
    "take_along" => gathering::take_along,
    "tensor" => creation::tensor,
    "tensor_class" => creation::tensor_class,
    "tensor_solve" => linalg_rare::tensor_solve,
    "tensor_split" => join_and_split::tensor_split,
    "tensor_to_image" => images::to_image,
    "tensordot" => matrix::tensordot,
    "tile" => permute_and_select::tile,
    "to_list" => permute_and_select::to_list,
    "top_k" => reduction::top_k,
    "trapezoid" => signal::trapezoid,
    "triangle_indices" => creation::triangle_indices,
    "triangular_solve" => linalg_rare::triangular_solve,
    "triplet_margin" => loss::triplet_margin,
    "truth" => reduction::truth,
    "truth_value" => permute_and_select::truth_value,
    "type" => elementwise::convert,
    "type_question" => operand_checks::type_question,
    "unflatten" => reshaping::unflatten,
    "unfold" => fold_and_shuffle::unfold,
    "unique" => join_and_split::unique,
    "vandermonde" => linalg_rare::vandermonde,
    "vector_dot" => linalg_rare::vector_dot,
    "view" => reshaping::reshape,
    "view_as_complex" => spectral::view_as_complex,
    "where" => elementwise::where_,
    "windows" => permute_and_select::windows,
}
