//! The tables of audits: what is said of a repository and its findings as columns, in Arrow and Parquet.
//! This room knows neither how findings come about nor where files lie.

#![deny(missing_docs)]

pub mod changes;
mod columns;
pub mod facts;
pub mod input;
mod part;
mod read;
pub mod repositories;
pub mod rows;
pub mod schema;
mod stream;
mod tables;
#[cfg(test)]
mod tests;

pub use columns::Name;
pub use part::Part;
pub use stream::Answers;
pub use tables::Tables;
