//! Wraps sentences into lines that fit a terminal. Where output is no terminal nothing is broken: a line stays what a
//! reader searches for.

use crate::columns;

/// Narrower lines than these would be harder to read than broken ones.
const NARROWEST: usize = 40;

/// The text with line ends in place of blanks, so that lines have at most so many characters where their words allow. Lines that are
/// there stay apart, and blanks within a line stay as they are.
pub fn wrapped(text: &str, columns: usize) -> String {
    let columns = columns.max(NARROWEST);
    text.split('\n').map(|line| wrapped_line(line, columns)).collect::<Vec<_>>().join("\n")
}

fn wrapped_line(line: &str, most: usize) -> String {
    let mut wrapped = String::with_capacity(line.len() + line.len() / most);
    let mut used = 0;
    for (index, word) in line.split(' ').enumerate() {
        let width = columns::width(word);
        if index > 0 {
            let is_full = used > 0 && used + 1 + width > most;
            wrapped.push(if is_full { '\n' } else { ' ' });
            used = if is_full { 0 } else { used + 1 };
        }
        wrapped.push_str(word);
        used += width;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_end_between_words() {
        let text = "expected 2304 features (`in_features`), got 1600 in the last dimension";
        let expected = "expected 2304 features (`in_features`),\ngot 1600 in the last dimension";
        assert_eq!(wrapped(text, 40), expected);
        assert_eq!(wrapped(text, 80), text);
        assert_eq!(wrapped("a\n  b", 40), "a\n  b");
        assert_eq!(wrapped("", 40), "");
    }

    #[test]
    fn a_word_that_is_too_long_stays_whole() {
        let word = "x".repeat(60);
        assert_eq!(wrapped(&format!("a {word} b"), 40), format!("a\n{word}\nb"));
    }

    proptest::proptest! {
        /// Nothing is lost, and nothing that could be shorter is too long.
        #[test]
        fn any_text_keeps_its_words(text in "[a-zé ]{0,300}", columns in 0usize..120) {
            let broken = wrapped(&text, columns);
            proptest::prop_assert_eq!(broken.replace('\n', " "), text);
            for line in broken.split('\n') {
                let is_short = line.chars().count() <= columns.max(super::NARROWEST);
                proptest::prop_assert!(is_short || !line.trim().contains(' '), "{}", line);
            }
        }
    }
}
