//! How many columns of a terminal a report's text takes: characters of East Asia take two, and accents that stand alone
//! none.

use unicode_width::UnicodeWidthStr;

/// The columns of a text without line breaks.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text with blanks behind it, so that it takes this many columns; a longer one stays as it is.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!((width("模型"), width("é"), width("e\u{301}")), (4, 1, 1));
        assert_eq!(padded("模型", 6), "模型  ");
        assert_eq!(padded("model", 3), "model");
    }
}
