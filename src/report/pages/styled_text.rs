//! Pages of a report: coloured text of a terminal as runs with the names of their styles, so that a page shows code as
//! the terminal does.

use std::iter::Peekable;
use std::str::Chars;

/// The colours that the renderer of snippets uses, by the codes of SGR.
const COLORS: [(&str, &str); 8] = [
    ("91", "red"),
    ("31", "red"),
    ("93", "yellow"),
    ("33", "yellow"),
    ("92", "green"),
    ("32", "green"),
    ("94", "blue"),
    ("96", "blue"),
];

/// Text of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<'s> {
    /// A colour, `bold`, or nothing.
    pub style: &'s str,
    /// Without any codes.
    pub text: String,
}

/// The runs of a text, none of them empty. Codes that are not known change nothing.
pub fn runs(text: &str) -> Vec<Run<'static>> {
    let mut runs: Vec<Run<'static>> = Vec::new();
    let mut style = "";
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' && characters.next_if_eq(&'[').is_some() {
            style = style_after(&codes(&mut characters), style);
            continue;
        }
        // Of a blank nobody sees the style, and a page with fewer elements is shown sooner.
        match runs.last_mut().filter(|run| run.style == style || character == ' ') {
            Some(run) => run.text.push(character),
            None => runs.push(Run { style, text: character.to_string() }),
        }
    }
    runs
}

/// What stands before the `m` that ends a sequence.
fn codes(characters: &mut Peekable<Chars<'_>>) -> String {
    let mut codes = String::new();
    while let Some(digit) = characters.next_if(|next| next.is_ascii_digit() || *next == ';') {
        codes.push(digit);
    }
    characters.next_if_eq(&'m');
    codes
}

fn style_after(codes: &str, before: &'static str) -> &'static str {
    codes.split(';').fold(before, |style, code| match code {
        "" | "0" => "",
        "1" if style.is_empty() => "bold",
        code => COLORS.iter().find(|(known, _)| *known == code).map_or(style, |(_, color)| color),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_styles() {
        let told = runs("a\u{1b}[1m\u{1b}[91m^^\u{1b}[0m b\u{1b}[1mc\u{1b}[4");
        let told: Vec<(&str, &str)> = told.iter().map(|run| (run.style, run.text.as_str())).collect();
        assert_eq!(told, [("", "a"), ("red", "^^ "), ("", "b"), ("bold", "c")]);
    }
}
