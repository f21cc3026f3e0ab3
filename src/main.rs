//! The `harp` program: everything it does is in the library's `cli` module.

use std::process::ExitCode;

fn main() -> ExitCode {
    harp::cli::main()
}
