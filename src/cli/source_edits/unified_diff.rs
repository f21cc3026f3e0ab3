//! `--diff`: shows edits as `diff -u` does. Of a notebook each cell is shown, as its lines are no lines of its file.

use similar::TextDiff;

use harp_corpus::SourceFile;
use harp_report::terminal_escape;

/// The differences of a file.
pub(super) fn of_file(before: &SourceFile, after: &SourceFile) -> String {
    let name = terminal_escape::name(&before.display_path);
    let (Some(cells), Some(new_cells)) = (&before.cells, &after.cells) else {
        return of_text(&name, &before.text, &after.text);
    };
    let pairs = cells.iter().zip(new_cells).map(|(old, new)| {
        let (old_code, new_code) = (before.slice(old.start..old.end), after.slice(new.start..new.end));
        of_text(&format!("{name}:cell {}", old.number), old_code, new_code)
    });
    pairs.collect()
}

fn of_text(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    TextDiff::from_lines(before, after).unified_diff().header(name, name).to_string()
}
