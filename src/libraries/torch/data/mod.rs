//! `torch.utils.data`: datasets, loaders, samplers and collation.

pub(crate) mod batch_sampler;
pub mod collate;
pub(crate) mod dataset;
pub(crate) mod few_samples;
pub(crate) mod loader;
pub(crate) mod unknown_batch_size;
