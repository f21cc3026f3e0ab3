//! The `harp` program: everything it does is in the library's `cli` module.

use std::process::ExitCode;

/// The interpreter makes and drops small values all the time; `docs/performance.md` says what this saves.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// One arena: the threads that parse would otherwise keep the memory of the syntax trees to themselves, when these are long freed.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static ALLOCATOR_OPTIONS: &[u8; 10] = b"narenas:1\0";

fn main() -> ExitCode {
    harp::cli::main()
}
