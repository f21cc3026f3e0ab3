//! The `harp` program: everything it does is in the library's `cli` module.

use std::process::ExitCode;

/// The interpreter makes and drops small values all the time; `docs/performance.md` says what this saves.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// One arena: the threads that parse would otherwise keep the memory of the syntax trees to themselves, when these are long freed. What is
/// freed goes back to the system after a second, not after ten: a phase then has what the one before it needed no more. A thread looks
/// through what it keeps of freed memory once for each MiB that it allocates, not sixteen times.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static ALLOCATOR_OPTIONS: &[u8; 76] =
    b"narenas:1,dirty_decay_ms:1000,muzzy_decay_ms:0,tcache_gc_incr_bytes:1048576\0";

fn main() -> ExitCode {
    harp::cli::main()
}
