//! The `harp` program: everything it does is in the library's `cli` module.

use std::process::ExitCode;

/// The interpreter makes and drops small values all the time; `docs/performance.md` says what this saves.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    harp::cli::main()
}
