//! The report of an audit: texts of repositories, harmless and bounded.

use super::{Finding, Repository};
use crate::terminal_escape;

/// So many bytes of a page the parts of a finding take, which is the bound of a row beside what templates write.
const LONGEST_NAME: usize = 160;
const LONGEST_PLACE: usize = 260;
const LONGEST_MESSAGE: usize = 600;
const LONGEST_CONDITION: usize = 200;
const LONGEST_CODE: usize = 400;
const LONGEST_REASON: usize = 200;
const LONGEST_REVISION: usize = 60;
const LONGEST_TITLE: usize = 300;

pub fn name(text: &str) -> String {
    bounded(&terminal_escape::name(text), LONGEST_NAME)
}

/// Of a commit, as much as tells it apart in a repository.
pub fn revision(text: &str) -> String {
    let is_commit = text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { text[..12].to_owned() } else { bounded(&terminal_escape::name(text), LONGEST_REVISION) }
}

pub fn reason(repository: &Repository<'_>) -> String {
    bounded(&terminal_escape::line(repository.reason), LONGEST_REASON)
}

pub fn title(text: &str) -> String {
    bounded(&terminal_escape::line(text), LONGEST_TITLE)
}

/// `train.py:3:5`, or `train.ipynb, cell 2, line 4`, as in other pages.
pub fn place(finding: &Finding<'_>) -> String {
    let path = bounded(&terminal_escape::path(finding.path), LONGEST_PLACE - 40);
    match finding.cell {
        Some(cell) => format!("{path}, cell {cell}, line {}", finding.line),
        None => format!("{path}:{}:{}", finding.line, finding.column),
    }
}

pub fn message(finding: &Finding<'_>) -> String {
    bounded(&terminal_escape::line(finding.message), LONGEST_MESSAGE)
}

pub fn condition(finding: &Finding<'_>) -> String {
    finding.condition.map_or(String::new(), |text| bounded(&terminal_escape::line(text), LONGEST_CONDITION))
}

pub fn code(finding: &Finding<'_>) -> String {
    bounded(&terminal_escape::source_line(finding.code.trim()), LONGEST_CODE)
}

/// A text that takes at most `most` bytes of a page, also where its words between backticks are elements.
fn bounded(text: &str, most: usize) -> String {
    let mut bytes = "…".len();
    for (index, character) in text.char_indices() {
        bytes += match character {
            '&' | '"' | '\'' => "&#34;".len(),
            '<' | '>' => "&lt;".len(),
            '`' => "</code>".len(),
            other => other.len_utf8(),
        };
        if bytes > most {
            return format!("{}…", &text[..index]);
        }
    }
    text.to_owned()
}

/// A number with a comma before each three digits.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How much of a whole something is; empty where there is no whole.
pub fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => String::new(),
        whole => {
            let thousandths = (u128::from(part) * 1000 + u128::from(whole) / 2) / u128::from(whole);
            format!("{}.{} %", thousandths / 10, thousandths % 10)
        }
    }
}

/// `1 file`, `2,000 files`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_shares_one_decimal() {
        assert_eq!([0, 12, 123, 1234, 1_234_567].map(number), ["0", "12", "123", "1,234", "1,234,567"]);
        assert_eq!(
            [(0, 0), (1, 3), (2, 3), (3, 3), (1, 100_000)].map(|(part, whole)| share(part, whole)),
            ["", "33.3 %", "66.7 %", "100.0 %", "0.0 %"]
        );
    }

    #[test]
    fn commits_are_shortened() {
        assert_eq!(revision("0123456789abcdef0123456789abcdef01234567"), "0123456789ab");
        assert_eq!(revision("v1.0"), "v1.0");
    }

    #[test]
    fn texts_are_bounded_by_what_a_page_needs_for_them() {
        assert_eq!(bounded("short", 20), "short");
        assert_eq!(bounded("<<<<<<", 20), "<<<<…");
        assert_eq!(bounded("``````", 20), "``…");
        assert_eq!(bounded("ßßßßßßßßßß", 20), "ßßßßßßßß…");
    }
}
