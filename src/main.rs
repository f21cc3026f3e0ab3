//! The `harp` program: everything it does is in the library's `cli` module.

mod allocator;

use std::process::ExitCode;

fn main() -> ExitCode {
    harp::limits::set_meter(allocator::METER);
    harp::cli::main()
}
