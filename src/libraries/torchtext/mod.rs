//! torchtext: tokens and vocabularies.

pub(crate) mod tokens;
