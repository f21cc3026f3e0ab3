//! Signatures as Python stubs.

use std::io::{self, Write};

use super::Signatures;

/// How a stub says shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `def f(x: Tensor) -> Tensor: ...  # (x: s@[k]) -> s`
    Comments,
    /// `def f(x: Float[Tensor, "*s k"]) -> Float[Tensor, "*s"]: ...`
    Jaxtyping,
}

/// Writes a stub for each file.
pub fn render(signatures: &Signatures<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let _ = style;
    for function in signatures.shown() {
        writeln!(out, "# {}", function.name)?;
    }
    Ok(())
}
