//! torchvision: models and their parts, transforms of images and of samples.

pub(crate) mod models;
pub(crate) mod residual_blocks;
pub(crate) mod transforms;
pub(crate) mod transforms_v2;
