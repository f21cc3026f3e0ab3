//! Counts for a command's report the files and lines of the corpus, and what was not read.

use harp_corpus::{Corpus, SourceFile};
use harp_report::{Skipped, Summary};

/// How many files and lines there are, and what was not read.
pub(super) fn of(corpus: &Corpus) -> Summary {
    let skipped = |it: &harp_corpus::Skipped| Skipped {
        path: it.path.clone(),
        reason: it.reason.to_string(),
        uri: it.uri.clone(),
    };
    let (imported, given): (Vec<&SourceFile>, Vec<&SourceFile>) =
        corpus.files.iter().partition(|file| corpus.is_imported(file.id));
    Summary {
        files: given.len(),
        lines: given.iter().map(|file| count_lines(&file.text)).sum(),
        imported: imported.len(),
        skipped: corpus.skipped.iter().map(skipped).collect(),
        ..Summary::default()
    }
}

/// The lines as Python has them, which end in `\n`, `\r\n` or `\r`; counting bytes takes many at a time.
fn count_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut breaks = bytes.iter().filter(|byte| **byte == b'\n').count();
    if bytes.contains(&b'\r') {
        let is_break = |(at, byte): (usize, &u8)| *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        breaks += bytes.iter().enumerate().filter(|it| is_break(*it)).count();
    }
    breaks + usize::from(!text.is_empty() && !text.ends_with(['\n', '\r']))
}

#[cfg(test)]
mod tests {
    use super::count_lines;

    #[test]
    fn lines_are_counted_as_they_are_read() {
        for (text, lines) in [
            ("", 0),
            ("\n", 1),
            ("a", 1),
            ("a\n", 1),
            ("a\nb", 2),
            ("a\r\nb\r\n", 2),
            ("\n\n", 2),
            ("a\rb\n\nc", 4),
            ("a\rb\r", 2),
            ("\r\r\n\r", 3),
        ] {
            assert_eq!(count_lines(text), lines, "{text:?}");
        }
    }
}
