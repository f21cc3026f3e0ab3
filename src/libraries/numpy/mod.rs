//! NumPy, where annotations do not say it: arrays made of lists and files, index grids, the array protocol.

pub(crate) mod array_files;
pub(crate) mod array_likes;
pub(crate) mod array_protocol;
pub mod index_grids;
pub(crate) mod lists_as_array_items;
pub(crate) mod loaded_arrays;
pub(crate) mod numbers;
pub(crate) mod scalars;
