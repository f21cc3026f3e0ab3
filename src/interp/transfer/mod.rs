//! Library knowledge that the annotation notation cannot say: a function for each operation whose result or requirements depend
//! on more than the shapes of its operands.
//!
//! A transfer function reads its arguments by the names of the library's parameters, records what the operation requires, and
//! gives its result. Whatever it does not understand turns a check off; it never makes one fail.

mod arrays;
mod attention;
mod axes;
mod broadcasting;
mod classification_loss;
mod convolution;
mod creation;
mod dtypes;
mod einops;
mod einsum;
mod elementwise;
mod embedding;
mod fields;
mod images;
mod indexing;
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
mod spectral;
mod support;
#[cfg(test)]
mod symbolic_tests;

pub use fields::field_names;
pub use images::channels_of;

use crate::interp::operation::{Operation, Output};

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
    "activation" => elementwise::activation,
    "adaptive_pool" => pooling::adaptive_pool,
    "added_product" => matrix::added_product,
    "affine_grid" => interpolation::affine_grid,
    "along" => reduction::along,
    "along_dimension" => reduction::along_dimension,
    "arange" => creation::arange,
    "arg_reduction" => reduction::arg_reduction,
    "array" => arrays::array,
    "array_create" => arrays::create,
    "array_cumulative" => arrays::cumulative,
    "array_dot" => arrays::dot,
    "array_full" => arrays::full,
    "array_mean" => arrays::mean,
    "array_outer" => arrays::outer,
    "array_pad" => arrays::pad,
    "array_permutation" => arrays::permutation,
    "array_random" => arrays::random,
    "array_random_integers" => arrays::random_integers,
    "array_sum" => arrays::sum,
    "array_transpose" => arrays::transpose,
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
    "block_diagonal" => joining::block_diagonal,
    "bmm" => matrix::bmm,
    "broadcast_shapes" => elementwise::broadcast_shapes,
    "broadcast_tensors" => elementwise::broadcast_tensors,
    "cartesian_product" => joining::cartesian_product,
    "cat" => joining::cat,
    "cdist" => matrix::cdist,
    "cell" => recurrent::cell,
    "chained_product" => matrix::chained_product,
    "channel_shuffle" => patches::channel_shuffle,
    "chunk" => joining::chunk,
    "clamp" => elementwise::clamp,
    "comparison" => elementwise::comparison,
    "conv" => convolution::conv,
    "conv_init" => convolution::conv_init,
    "conv_module" => convolution::conv_module,
    "conv_transpose" => convolution::conv_transpose,
    "conv_transpose_module" => convolution::conv_transpose_module,
    "convert" => elementwise::convert,
    "copy_into" => elementwise::copy_into,
    "cosine_embedding" => loss::cosine_embedding,
    "cosine_similarity" => matrix::cosine_similarity,
    "counting" => reduction::counting,
    "create" => creation::create,
    "cross" => matrix::cross,
    "cross_entropy" => classification_loss::cross_entropy,
    "ctc" => loss::ctc,
    "cumulative" => reduction::cumulative,
    "decoder_layer" => attention::decoder_layer,
    "determinant" => linalg::determinant,
    "deviation" => reduction::deviation,
    "deviation_and_mean" => reduction::deviation_and_mean,
    "diag" => layout::diag,
    "diag_embed" => layout::diag_embed,
    "diagonal" => layout::diagonal,
    "difference" => reduction::difference,
    "divide" => elementwise::divide,
    "dot" => matrix::dot,
    "eigen" => linalg::eigen,
    "eigen_symmetric" => linalg::eigen_symmetric,
    "eigenvalues" => linalg::eigenvalues,
    "eigenvalues_symmetric" => linalg::eigenvalues_symmetric,
    "einops_einsum" => einops::einops_einsum,
    "einops_rearrange" => einops::einops_rearrange,
    "einops_reduce" => einops::einops_reduce,
    "einops_repeat" => einops::einops_repeat,
    "einsum" => einsum::einsum,
    "element_count" => layout::element_count,
    "elementwise" => elementwise::elementwise,
    "elementwise_all" => elementwise::elementwise_all,
    "elementwise_float" => elementwise::elementwise_float,
    "elementwise_loss" => loss::elementwise_loss,
    "embedding" => embedding::embedding,
    "embedding_bag" => embedding::embedding_bag,
    "embedding_init" => embedding::embedding_init,
    "encoder_layer" => attention::encoder_layer,
    "expand" => layout::expand,
    "expand_as" => layout::expand_as,
    "extremes" => reduction::extremes,
    "extremum" => reduction::extremum,
    "eye" => creation::eye,
    "fft" => spectral::fft,
    "flatten" => reshaping::flatten,
    "flip" => reduction::flip,
    "floating_sum" => reduction::floating_sum,
    "fold" => patches::fold,
    "full" => creation::full,
    "gather" => indexing::gather,
    "gaussian_nll" => loss::gaussian_nll,
    "getitem" => indexing::getitem,
    "glu" => patches::glu,
    "grid_sample" => interpolation::grid_sample,
    "group_norm" => normalization::group_norm,
    "group_norm_init" => normalization::group_norm_init,
    "image_bands" => images::bands,
    "image_box" => images::boxed,
    "image_crop" => images::crop,
    "image_crops" => images::crops,
    "image_grayscale" => images::grayscale,
    "image_merge" => images::merge,
    "image_mode" => images::mode,
    "image_new" => images::new,
    "image_normalize" => images::normalize,
    "image_open" => images::open,
    "image_pad" => images::pad,
    "image_resize" => images::resize,
    "image_rotate" => images::rotate,
    "image_scaled" => images::scaled,
    "image_to_tensor" => images::to_tensor,
    "image_turn" => images::turn,
    "in_place" => elementwise::in_place,
    "index_add" => indexing::index_add,
    "index_add_in_place" => indexing::index_add_in_place,
    "index_fill" => indexing::index_fill,
    "index_select" => indexing::index_select,
    "inner_product" => matrix::inner_product,
    "instance_norm" => normalization::instance_norm,
    "instance_norm_module" => normalization::instance_norm_module,
    "interpolate" => interpolation::interpolate,
    "irfft" => spectral::irfft,
    "item" => layout::item,
    "kron" => matrix::kron,
    "kth_value" => reduction::kth_value,
    "layer_norm" => normalization::layer_norm,
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
    "margin_ranking" => loss::margin_ranking,
    "masked_fill" => elementwise::masked_fill,
    "masked_in_place" => elementwise::masked_in_place,
    "masked_select" => elementwise::masked_select,
    "matmul" => matrix::matmul,
    "matrix_norm" => reduction::matrix_norm,
    "matrix_rank" => linalg::matrix_rank,
    "matrix_transpose" => layout::matrix_transpose,
    "max_pool" => pooling::max_pool,
    "max_unpool" => pooling::max_unpool,
    "mean" => reduction::mean,
    "meshgrid" => joining::meshgrid,
    "mm" => matrix::mm,
    "move_dims" => layout::move_dims,
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
    "norm" => reduction::norm,
    "normal" => creation::normal,
    "normalize" => reduction::normalize,
    "one_hot" => creation::one_hot,
    "outer" => matrix::outer,
    "pad" => padding::pad,
    "pad_module" => padding::pad_module,
    "pad_sequence" => joining::pad_sequence,
    "pairwise_distance" => matrix::pairwise_distance,
    "permutation" => creation::permutation,
    "permute" => layout::permute,
    "pixel_shuffle" => patches::pixel_shuffle,
    "pixel_unshuffle" => patches::pixel_unshuffle,
    "pseudo_inverse" => linalg::pseudo_inverse,
    "qr" => linalg::qr,
    "quantile" => reduction::quantile,
    "random_integers" => creation::random_integers,
    "rank" => layout::rank,
    "ravel" => reshaping::ravel,
    "reduction" => reduction::reduction,
    "repeat" => layout::repeat,
    "repeat_interleave" => layout::repeat_interleave,
    "reshape" => reshaping::reshape,
    "reshape_as" => reshaping::reshape_as,
    "reversed" => layout::reversed,
    "rfft" => spectral::rfft,
    "rnn" => recurrent::rnn,
    "rnn_init" => recurrent::rnn_init,
    "roll" => reduction::roll,
    "rotate" => layout::rotate,
    "same_tensors" => elementwise::same_tensors,
    "scaled_dot_product" => attention::scaled_dot_product,
    "scatter" => indexing::scatter,
    "scatter_in_place" => indexing::scatter_in_place,
    "select" => layout::select,
    "setitem" => indexing::setitem,
    "sign_and_log_determinant" => linalg::sign_and_log_determinant,
    "singular_values" => linalg::singular_values,
    "size" => layout::size,
    "softmax" => reduction::softmax,
    "solve" => linalg::solve,
    "sorted" => reduction::sorted,
    "sorted_indices" => reduction::sorted_indices,
    "split" => joining::split,
    "square_matrix" => linalg::square_matrix,
    "squeeze" => reshaping::squeeze,
    "stack" => joining::stack,
    "stack_along" => joining::stack_along,
    "subtract" => elementwise::subtract,
    "sum" => reduction::sum,
    "svd" => linalg::svd,
    "t" => layout::t,
    "take" => indexing::take,
    "take_along" => indexing::take_along,
    "tensor" => creation::tensor,
    "tensor_class" => creation::tensor_class,
    "tensor_split" => joining::tensor_split,
    "tensor_to_image" => images::to_image,
    "tensordot" => matrix::tensordot,
    "tile" => layout::tile,
    "to_list" => layout::to_list,
    "top_k" => reduction::top_k,
    "trace" => linalg::trace,
    "transpose" => layout::transpose,
    "triangle" => layout::triangle,
    "triangle_indices" => creation::triangle_indices,
    "triplet_margin" => loss::triplet_margin,
    "truth" => reduction::truth,
    "truth_value" => layout::truth_value,
    "type" => elementwise::convert,
    "unbind" => joining::unbind,
    "unflatten" => reshaping::unflatten,
    "unfold" => patches::unfold,
    "unique" => joining::unique,
    "unsqueeze" => reshaping::unsqueeze,
    "values_and_indices" => reduction::values_and_indices,
    "view" => reshaping::reshape,
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
