//! Python's own library.

pub(crate) mod collections;
pub(crate) mod file_like_objects;
pub(crate) mod futures;
pub(crate) mod heapq;
pub(crate) mod importlib_util;
pub(crate) mod inspect;
pub(crate) mod json_dumps;
pub(crate) mod mock_patch;
pub(crate) mod multiprocessing;
pub(crate) mod operator;
pub mod os_environ;
pub(crate) mod package_versions;
pub(crate) mod paths;
pub(crate) mod pkgutil;
pub(crate) mod random;
pub(crate) mod re;
pub(crate) mod saved_objects;
