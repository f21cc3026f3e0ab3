//! Pages of a report: places as a reader looks for them, a line of a file, or of a notebook's cell.

use harp_corpus::Span;

use crate::sources::Sources;
use crate::terminal_escape;

/// `train.py:3:5`, or `train.ipynb, cell 2, line 4`.
pub fn place(span: Span, sources: &dyn Sources) -> String {
    let name = terminal_escape::path(sources.name(span.file));
    let position = sources.position(span.file, span.start);
    match position.cell {
        Some(cell) => format!("{name}, cell {cell}, line {}", position.line),
        None => format!("{name}:{}:{}", position.line, position.column),
    }
}
