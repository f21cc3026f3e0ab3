//! The part of a file that a finding's snippet shows: only the lines near its labels, harmless for a terminal, and not
//! wider than a person reads.

use std::ops::Range;

use super::sources::{floor_char_boundary, line_around};
use crate::terminal_escape;

/// Ranges over more lines than this are shown by their first line.
const MOST_LINES: usize = 6;
/// Lines with more characters than this are cut around their labels.
const WIDEST_LINE: usize = 240;
/// What is kept of a wide line before its first label.
const KEPT_BEFORE: usize = 60;

/// A window of a text, and where the given ranges lie in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// Where the window's first line starts in the file.
    pub start: usize,
    /// One range for each that was asked for, in the same order.
    pub ranges: Vec<Range<usize>>,
}

/// A text, and a way to find the line around one of its bytes.
#[derive(Clone, Copy)]
struct Lines<'t> {
    text: &'t str,
    line: &'t dyn Fn(usize) -> Range<usize>,
}

/// Cuts out the lines that `ranges` touch. Lines far from every range are left empty: they count, but are not shown.
pub fn excerpt(text: &str, ranges: &[Range<usize>]) -> Excerpt {
    excerpt_by(text, ranges, &|offset| line_around(text, offset))
}

/// The same with a quicker way to find the line around a byte.
pub fn excerpt_by(text: &str, ranges: &[Range<usize>], line: &dyn Fn(usize) -> Range<usize>) -> Excerpt {
    let lines = Lines { text, line };
    let ranges: Vec<Range<usize>> = ranges.iter().map(|range| tidy(lines, range)).collect();
    let first = ranges.iter().map(|range| range.start).min().unwrap_or(0);
    let last = ranges.iter().map(|range| range.end).max().unwrap_or(0);
    let start = line(first).start;
    let end = line(last).end;

    let mut positions: Vec<usize> = ranges.iter().flat_map(|range| [range.start, range.end]).collect();
    positions.sort_unstable();
    positions.dedup();
    let mut window = Window { text: String::new(), mapped: Vec::with_capacity(positions.len()) };
    let mut rest = positions.as_slice();
    // A line next to a labelled one is shown rather than an ellipsis.
    let edges: Vec<(usize, usize)> = ranges.iter().map(|it| (line(it.start).start, lines.next(it.end))).collect();
    let mut offset = start;
    while offset <= end {
        let code = &text[line(offset)];
        let inside = rest.iter().take_while(|position| **position <= offset + code.len()).count();
        if offset > start {
            window.text.push('\n');
        }
        let next = lines.next(offset);
        let within = ranges.iter().any(|range| range.start < offset && offset <= range.end);
        let neighbour = edges.iter().any(|(first, after)| *first == next || *after == offset);
        if inside > 0 || within || neighbour {
            window.line(code, offset, &rest[..inside]);
        }
        rest = &rest[inside..];
        offset = next;
    }
    let ranges = ranges.iter().map(|range| window.locate(range.start)..window.locate(range.end)).collect();
    Excerpt { text: window.text, start, ranges }
}

struct Window {
    text: String,
    /// Pairs of a position in the file and the position in the window, ascending.
    mapped: Vec<(usize, usize)>,
}

impl Window {
    /// Appends a line of the file that starts at `offset`, and maps `positions`, which lie in it.
    fn line(&mut self, line: &str, offset: usize, positions: &[usize]) {
        let kept = kept_part(line, positions.first().map(|position| position - offset));
        if kept.start > 0 {
            self.text.push('…');
        }
        let mut positions = positions.iter().copied().peekable();
        while let Some(position) = positions.next_if(|position| position - offset < kept.start) {
            self.mapped.push((position, self.text.len()));
        }
        for (index, character) in line[kept.clone()].char_indices() {
            while let Some(position) = positions.next_if(|position| position - offset <= kept.start + index) {
                self.mapped.push((position, self.text.len()));
            }
            self.text.push(terminal_escape::source_character(character));
        }
        for position in positions {
            self.mapped.push((position, self.text.len()));
        }
        if kept.end < line.len() {
            self.text.push('…');
        }
    }

    fn locate(&self, position: usize) -> usize {
        match self.mapped.binary_search_by_key(&position, |(from, _)| *from) {
            Ok(index) => self.mapped[index].1,
            Err(_) => self.text.len(),
        }
    }
}

/// The part of a line that is shown: all of it, or where it is very wide a part around its first label.
fn kept_part(line: &str, first_label: Option<usize>) -> Range<usize> {
    if line.len() <= WIDEST_LINE || line.chars().nth(WIDEST_LINE).is_none() {
        return 0..line.len();
    }
    let label = floor_char_boundary(line, first_label.unwrap_or(0));
    let start = line[..label].char_indices().rev().take(KEPT_BEFORE).last().map_or(label, |(index, _)| index);
    let start = if line[..start].chars().take(4).count() < 4 { 0 } else { start };
    let end = line[start..].char_indices().nth(WIDEST_LINE).map_or(line.len(), |(index, _)| start + index);
    start..end
}

/// A range within the text, on character boundaries, and not over too many lines.
fn tidy(Lines { text, line }: Lines<'_>, range: &Range<usize>) -> Range<usize> {
    let start = boundary(text, range.start);
    let end = boundary(text, range.end).max(start);
    let lines = text[start..end].split(['\n', '\r']).take(MOST_LINES + 1).count();
    if lines > MOST_LINES { start..line(start).end } else { start..end }
}

/// The last place at or before `offset` that is neither within a character nor within a line break of two.
fn boundary(text: &str, offset: usize) -> usize {
    let offset = floor_char_boundary(text, offset);
    let splits_break = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
    offset - usize::from(splits_break)
}

impl Lines<'_> {
    /// Where the line after that of `offset` starts; beyond the end of the text after the last.
    fn next(self, offset: usize) -> usize {
        let end = (self.line)(offset).end;
        if self.text[end..].starts_with("\r\n") { end + 2 } else { end + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str, start: usize, end: usize) -> (Excerpt, Range<usize>) {
        let mut excerpt = excerpt(text, std::slice::from_ref(&(start..end)));
        let range = excerpt.ranges.pop().unwrap();
        (excerpt, range)
    }

    #[test]
    fn only_labelled_lines_and_their_neighbours_are_copied() {
        let text = "a\nb\nc\nd\ne\nf\ng\n";
        let excerpt = excerpt(text, &[2..3, 12..13]);
        assert_eq!(excerpt, Excerpt { text: "b\nc\n\n\nf\ng".to_owned(), start: 2, ranges: vec![0..1, 8..9] });
    }

    #[test]
    fn a_wide_line_is_cut_around_its_label() {
        let text = format!("x = [{}target]", "1, ".repeat(100_000));
        let label = text.find("target").unwrap();
        let (excerpt, range) = one(&text, label, label + 6);
        assert!(excerpt.text.len() < 300 && excerpt.text.starts_with('…'));
        assert_eq!(&excerpt.text[range], "target");
    }

    #[test]
    fn a_range_over_many_lines_is_its_first_line() {
        let (excerpt, range) = one("while True:\n  a\n  b\n  c\n  d\n  e\n  f\n  g\n", 0, 40);
        assert_eq!(excerpt.text, "while True:");
        assert_eq!(range, 0..11);
    }

    #[test]
    fn terminal_sequences_and_line_ends_do_not_shift_ranges() {
        let text = "first\r\ny = '\u{1b}[31m' + bad\r\nlast\r\n";
        let label = text.find("bad").unwrap();
        let (excerpt, range) = one(text, label, label + 3);
        assert_eq!(excerpt.text, "y = '␛[31m' + bad");
        assert_eq!(&excerpt.text[range], "bad");
    }

    #[test]
    fn a_carriage_return_ends_a_line() {
        let (excerpt, range) = one("a\rbad\rc", 2, 5);
        assert_eq!((excerpt.text.as_str(), excerpt.start, range), ("bad", 2, 0..3));
    }

    #[test]
    fn ranges_outside_the_text_are_its_end() {
        assert_eq!(one("abc", 10, 20).1, 3..3);
        assert_eq!(one("", 0, 1).1, 0..0);
        assert_eq!(one("ßß", 1, 3).1, 0..2);
    }
}
