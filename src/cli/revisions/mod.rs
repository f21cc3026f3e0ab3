//! Reads the commits, trees and files of git repositories through the program `git`, and obeys nothing that a repository says: see [`git`].

pub(crate) mod git;
mod object_store;
pub(crate) mod objects;
pub(crate) mod repository;
pub(crate) mod tree;
pub(crate) mod written;
