//! Library knowledge that the annotation notation cannot say: a function for each operation whose result or requirements depend
//! on more than the shapes of its operands.
//!
//! A transfer function reads its arguments by the names of the library's parameters, records what the operation requires, and
//! gives its result. Whatever it does not understand turns a check off; it never makes one fail.

mod array_edits;
mod arrays;
mod attention;
mod axes;
mod broadcasting;
mod checks;
mod classification_loss;
mod convolution;
mod creation;
mod decompositions;
mod distributions;
mod dtypes;
mod einops;
mod einops_packs;
mod einsum;
mod elementwise;
mod embedding;
mod fields;
mod grids;
mod image_modes;
mod images;
mod indexing;
mod initialisation;
mod interpolation;
mod joining;
mod layout;
mod linalg;
mod loss;
mod matrix;
mod normalization;
#[cfg(test)]
mod oracle_tests;
mod padding;
mod patches;
mod pooling;
mod recurrent;
mod reduction;
mod reshaping;
mod signals;
mod spectral;
mod support;
#[cfg(test)]
mod symbolic_tests;
mod vision;

pub(super) use dtypes::{magnitude, named};
pub use fields::field_names;
pub use image_modes::channels_of;

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
    "angle" => signals::angle,
    "arange" => creation::arange,
    "arg_reduction" => reduction::arg_reduction,
    "array" => arrays::array,
    "array_append" => array_edits::append,
    "array_block" => array_edits::block,
    "array_choice" => array_edits::choice,
    "array_choices" => array_edits::choices,
    "array_compress" => array_edits::compress,
    "array_create" => arrays::create,
    "array_delete" => array_edits::delete,
    "array_diagonal_indices" => array_edits::diagonal_indices,
    "array_differences" => array_edits::differences,
    "array_dot" => arrays::dot,
    "array_flat_nonzero" => array_edits::flat_nonzero,
    "array_flat_selection" => array_edits::flat_selection,
    "array_floating" => array_edits::floating,
    "array_full" => arrays::full,
    "array_histogram_2d" => array_edits::histogram_2d,
    "array_indices" => array_edits::indices,
    "array_insert" => array_edits::insert,
    "array_lexsort" => array_edits::lexsort,
    "array_open_mesh" => array_edits::open_mesh,
    "array_pad" => arrays::pad,
    "array_permutation" => arrays::permutation,
    "array_polyfit" => array_edits::polyfit,
    "array_put_along" => checks::put_along,
    "array_random" => arrays::random,
    "array_random_integers" => arrays::random_integers,
    "array_random_vectors" => array_edits::random_vectors,
    "array_roll_axis" => array_edits::roll_axis,
    "array_sort_in_place" => checks::sorted_in_place,
    "array_take" => array_edits::take,
    "array_trace" => array_edits::trace,
    "array_triangle_indices" => array_edits::triangle_indices,
    "array_truth_along" => array_edits::truth_along,
    "array_unravel" => array_edits::unravel,
    "array_view" => checks::reinterpreted,
    "as_strided" => layout::as_strided,
    "at_least_rank" => joining::at_least_rank,
    "avg_pool" => pooling::avg_pool,
    "backward" => layout::backward,
    "batch_norm" => normalization::batch_norm,
    "batch_norm_module" => normalization::batch_norm_module,
    "bilinear" => matrix::bilinear,
    "bin_counts" => joining::bin_counts,
    "binary_cross_entropy" => loss::binary_cross_entropy,
    "binary_cross_entropy_with_logits" => loss::binary_cross_entropy_with_logits,
    "block_diagonal" => grids::block_diagonal,
    "bmm" => matrix::bmm,
    "box_convert" => vision::box_convert,
    "box_loss" => vision::box_loss,
    "box_pairs" => vision::box_pairs,
    "broadcast_shapes" => elementwise::broadcast_shapes,
    "broadcast_tensors" => elementwise::broadcast_tensors,
    "buckets" => signals::buckets,
    "cartesian_product" => grids::cartesian_product,
    "cat" => joining::cat,
    "cdist" => matrix::cdist,
    "cell" => recurrent::cell,
    "chained_product" => matrix::chained_product,
    "channel_shuffle" => patches::channel_shuffle,
    "chunk" => joining::chunk,
    "clamp" => elementwise::clamp,
    "combinations" => grids::combinations,
    "compared" => checks::compared,
    "comparison" => elementwise::comparison,
    "conv" => convolution::conv,
    "conv_init" => convolution::conv_init,
    "conv_module" => convolution::conv_module,
    "conv_transpose" => convolution::conv_transpose,
    "conv_transpose_module" => convolution::conv_transpose_module,
    "convert" => elementwise::convert,
    "convolution_layers" => vision::convolution_layers,
    "convolve" => signals::convolve,
    "copy_into" => elementwise::copy_into,
    "cosine_embedding" => loss::cosine_embedding,
    "covariance" => decompositions::covariance,
    "create" => creation::create,
    "cross" => matrix::cross,
    "cross_entropy" => classification_loss::cross_entropy,
    "ctc" => loss::ctc,
    "cumulative_trapezoid" => signals::cumulative_trapezoid,
    "decoder_layer" => attention::decoder_layer,
    "deformable_convolution" => vision::deformable_convolution,
    "deformed" => vision::deformed,
    "determinant" => linalg::determinant,
    "deviation" => reduction::deviation,
    "deviation_and_mean" => reduction::deviation_and_mean,
    "diag" => layout::diag,
    "diag_embed" => layout::diag_embed,
    "diagonal" => layout::diagonal,
    "diagonal_scatter" => signals::diagonal_scatter,
    "difference" => reduction::difference,
    "distance" => checks::distance,
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
    "element_count" => layout::element_count,
    "elementwise" => elementwise::elementwise,
    "elementwise_float" => elementwise::elementwise_float,
    "elementwise_loss" => loss::elementwise_loss,
    "embedding" => embedding::embedding,
    "embedding_bag" => embedding::embedding_bag,
    "embedding_init" => embedding::embedding_init,
    "encoder_layer" => attention::encoder_layer,
    "expand" => layout::expand,
    "expand_as" => layout::expand_as,
    "extremum" => reduction::extremum,
    "eye" => creation::eye,
    "fan_scaled" => initialisation::fan_scaled,
    "fan_scaled_unless_empty" => initialisation::fan_scaled_unless_empty,
    "fans" => initialisation::fans,
    "fft" => spectral::fft,
    "fill_in_place" => elementwise::fill_in_place,
    "flatten" => reshaping::flatten,
    "flip" => reduction::flip,
    "focal_loss" => vision::focal_loss,
    "fold" => patches::fold,
    "fractional_pool" => signals::fractional_pool,
    "full" => creation::full,
    "gather" => indexing::gather,
    "gaussian_nll" => loss::gaussian_nll,
    "getitem" => indexing::getitem,
    "glu" => patches::glu,
    "gradient" => signals::gradient,
    "grid_sample" => interpolation::grid_sample,
    "group_norm" => normalization::group_norm,
    "group_norm_init" => normalization::group_norm_init,
    "histogram" => signals::histogram,
    "image_bands" => image_modes::bands,
    "image_blurred" => images::blurred,
    "image_box" => image_modes::boxed,
    "image_coloured" => images::coloured,
    "image_crop" => images::crop,
    "image_crops" => images::crops,
    "image_equalized" => images::equalized,
    "image_grayscale" => images::grayscale,
    "image_grid" => vision::grid,
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
    "index_add" => indexing::index_add,
    "index_add_in_place" => indexing::index_add_in_place,
    "index_fill" => indexing::index_fill,
    "index_fill_in_place" => indexing::index_fill_in_place,
    "index_put" => checks::index_put,
    "index_put_in_place" => checks::index_put_in_place,
    "index_select" => indexing::index_select,
    "inner_product" => matrix::inner_product,
    "instance_norm" => normalization::instance_norm,
    "instance_norm_module" => normalization::instance_norm_module,
    "interpolate" => interpolation::interpolate,
    "inverted" => checks::inverted,
    "irfft" => spectral::irfft,
    "istft" => signals::istft,
    "item" => layout::item,
    "kernel_in_place" => initialisation::kernel_in_place,
    "kron" => matrix::kron,
    "kth_value" => reduction::kth_value,
    "layer_norm" => normalization::layer_norm,
    "least_squares" => decompositions::least_squares,
    "length" => layout::length,
    "lerp" => elementwise::lerp,
    "like" => creation::like,
    "linear" => matrix::linear,
    "linear_module" => matrix::linear_module,
    "linspace" => creation::linspace,
    "local_response_norm" => normalization::local_response_norm,
    "lp_pool" => pooling::lp_pool,
    "lstm" => recurrent::lstm,
    "lstm_cell" => recurrent::lstm_cell,
    "lu" => decompositions::lu,
    "lu_factor" => decompositions::lu_factor,
    "mantissa_and_exponent" => signals::mantissa_and_exponent,
    "margin_ranking" => loss::margin_ranking,
    "masked_fill" => elementwise::masked_fill,
    "masked_in_place" => elementwise::masked_in_place,
    "masked_select" => elementwise::masked_select,
    "masks_to_boxes" => vision::masks_to_boxes,
    "matmul" => matrix::matmul,
    "matrix_in_place" => initialisation::matrix_in_place,
    "matrix_rank" => linalg::matrix_rank,
    "matrix_transpose" => layout::matrix_transpose,
    "max_pool" => pooling::max_pool,
    "max_unpool" => pooling::max_unpool,
    "meshgrid" => grids::meshgrid,
    "mm" => matrix::mm,
    "multi_margin" => classification_loss::multi_margin,
    "multihead" => attention::multihead,
    "multihead_init" => attention::multihead_init,
    "multilabel_margin" => classification_loss::multilabel_margin,
    "multilabel_soft_margin" => loss::multilabel_soft_margin,
    "multinomial" => patches::multinomial,
    "mv" => matrix::mv,
    "narrow" => layout::narrow,
    "new_like" => creation::new_like,
    "nll_loss" => classification_loss::nll_loss,
    "nonzero" => joining::nonzero,
    "normal" => creation::normal,
    "one_hot" => creation::one_hot,
    "operands_in_place" => elementwise::operands_in_place,
    "pack_padded" => recurrent::pack_padded,
    "pad" => padding::pad,
    "pad_module" => padding::pad_module,
    "pad_sequence" => joining::pad_sequence,
    "perceptron" => vision::perceptron,
    "permutation" => creation::permutation,
    "pixel_shuffle" => patches::pixel_shuffle,
    "pixel_unshuffle" => patches::pixel_unshuffle,
    "prelu" => checks::prelu,
    "pseudo_inverse" => linalg::pseudo_inverse,
    "put" => signals::put,
    "qr" => linalg::qr,
    "quantile" => reduction::quantile,
    "random_integers" => creation::random_integers,
    "rank" => layout::rank,
    "repeat" => layout::repeat,
    "repeat_interleave" => layout::repeat_interleave,
    "reshape" => reshaping::reshape,
    "reshape_as" => reshaping::reshape_as,
    "resize" => checks::resize,
    "rfft" => spectral::rfft,
    "rnn" => recurrent::rnn,
    "rnn_init" => recurrent::rnn_init,
    "roi" => vision::regions,
    "roll" => reduction::roll,
    "rotate" => layout::rotate,
    "same_tensors" => elementwise::same_tensors,
    "scaled_dot_product" => attention::scaled_dot_product,
    "scatter" => indexing::scatter,
    "scatter_in_place" => indexing::scatter_in_place,
    "select" => layout::select,
    "select_scatter" => signals::select_scatter,
    "selected_boxes" => vision::selected_boxes,
    "set_source" => checks::set_source,
    "setitem" => indexing::setitem,
    "sign_and_log_determinant" => linalg::sign_and_log_determinant,
    "singular_condition" => array_edits::condition_number,
    "singular_values" => linalg::singular_values,
    "size" => layout::size,
    "slice_scatter" => signals::slice_scatter,
    "solve" => linalg::solve,
    "solve_by_factors" => decompositions::solve_by_factors,
    "sparse_coo" => creation::sparse_coo,
    "split" => joining::split,
    "split_along" => joining::split_along,
    "square_matrix" => linalg::square_matrix,
    "square_matrix_and_info" => decompositions::square_matrix_and_info,
    "squeeze" => reshaping::squeeze,
    "stack_along" => joining::stack_along,
    "stft" => signals::stft,
    "subtract" => elementwise::subtract,
    "sum_to_size" => signals::sum_to_size,
    "suppressed_boxes" => vision::suppressed,
    "svd" => linalg::svd,
    "t" => layout::t,
    "take" => indexing::take,
    "take_along" => indexing::take_along,
    "tensor" => creation::tensor,
    "tensor_class" => creation::tensor_class,
    "tensor_solve" => decompositions::tensor_solve,
    "tensor_split" => joining::tensor_split,
    "tensor_to_image" => images::to_image,
    "tensordot" => matrix::tensordot,
    "tile" => layout::tile,
    "to_list" => layout::to_list,
    "top_k" => reduction::top_k,
    "trapezoid" => signals::trapezoid,
    "triangle_indices" => creation::triangle_indices,
    "triangular_solve" => decompositions::triangular_solve,
    "triplet_margin" => loss::triplet_margin,
    "truth" => reduction::truth,
    "truth_value" => layout::truth_value,
    "type" => elementwise::convert,
    "type_question" => checks::type_question,
    "unflatten" => reshaping::unflatten,
    "unfold" => patches::unfold,
    "unique" => joining::unique,
    "vandermonde" => decompositions::vandermonde,
    "vector_dot" => decompositions::vector_dot,
    "view" => reshaping::reshape,
    "view_as_complex" => spectral::view_as_complex,
    "where" => elementwise::where_,
    "windows" => layout::windows,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_without_duplicates() {
        let names: Vec<&str> = names().collect();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
        assert!(names.iter().all(|name| lookup(name).is_some()));
        assert!(lookup("no such operation").is_none());
    }
}
