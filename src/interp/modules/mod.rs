//! Imports: modules of the project, installed packages, imports that may fail, files that only parse in parts.

pub(crate) mod deferred_imports;
pub(crate) mod imports;
pub(crate) mod installed_packages;
pub(crate) mod optional_imports;
pub(crate) mod unparsed_parts;
