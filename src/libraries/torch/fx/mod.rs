//! `torch.fx`: proxies, traced modules and their graphs.

pub(crate) mod graph;
pub(crate) mod tracing;
