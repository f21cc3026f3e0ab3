//! What a panic says. It may quote what is analysed, so that it goes the way of all other output.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::PanicHookInfo;

use crate::report::text::Color;

use super::output;

/// From now on, the messages of panics are harmless.
pub(super) fn guard() {
    std::panic::set_hook(Box::new(|panic| {
        // Where nobody reads the message, there is nobody to tell.
        let _ = output::standard_error(Color::Never).write_all(text(panic).as_bytes());
    }));
}

/// In the form of the standard library.
fn text(panic: &PanicHookInfo<'_>) -> String {
    let thread = std::thread::current();
    let mut text = format!("thread '{}' panicked", thread.name().unwrap_or("<unnamed>"));
    // Writing to a text does not fail.
    if let Some(place) = panic.location() {
        let _ = write!(text, " at {place}");
    }
    let _ = writeln!(text, ":\n{}", panic.payload_as_str().unwrap_or("(no message)"));
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        let _ = writeln!(text, "{backtrace}");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, set_hook, take_hook};
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_panic_says_where_and_why() {
        let (sender, said) = mpsc::channel();
        let own = std::thread::current().id();
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if std::thread::current().id() == own {
                let _ = sender.send(text(panic));
            }
        }));
        let caught = catch_unwind(|| panic!("of {}", 2));
        set_hook(usual);
        assert!(caught.is_err());
        let said = said.recv().expect("a message");
        assert!(said.contains("panicked at src/cli/panic_message.rs:") && said.contains(":\nof 2\n"), "{said}");
    }
}
