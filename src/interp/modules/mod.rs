//! Imports: modules of the project, installed packages, imports that may fail, files that only parse in parts.

pub mod deferred_imports;
pub mod ends;
pub mod imports;
pub mod installed_packages;
pub mod optional_imports;
pub mod unparsed_parts;
