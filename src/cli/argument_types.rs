//! Types of command-line arguments: a command line as one string, and sizes.

use std::time::Duration;

use crate::options::Arguments;

/// Splits a command line as a shell does: at blanks, with quotes and backslashes. There are no comments: `#` is a character as others.
pub fn split(text: &str) -> Result<Arguments, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\\', Some('"') | None) => {
                let next = characters.next().ok_or("a backslash at the end escapes nothing")?;
                // Within quotes, a backslash before other characters stands for itself.
                if quote.is_some() && !matches!(next, '"' | '\\' | '$' | '`') {
                    word.get_or_insert_default().push(character);
                }
                word.get_or_insert_default().push(next);
            }
            (_, Some(_)) => word.get_or_insert_default().push(character),
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(character),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("the quote {quote} is not closed"));
    }
    words.extend(word);
    Ok(Arguments(words))
}

/// Reads `5000`, `512K`, `5M`, `5MiB` or `1GiB` as a number of bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err(format!("`{text}` is not a size; write a number of bytes, or one with KiB, MiB or GiB")),
    };
    let number: u64 = number.parse().map_err(|_| format!("`{text}` is not a size; write for example 5MiB"))?;
    number.checked_mul(factor).ok_or_else(|| format!("`{text}` is too large"))
}

/// Reads `90` or `1.5` as seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    Duration::try_from_secs_f64(number).map_err(|_| format!("`{text}` is not a number of seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        split(text).expect("well formed").0
    }

    #[test]
    fn command_lines_split_as_in_a_shell() {
        assert_eq!(words(" --nhid  100 --cuda "), ["--nhid", "100", "--cuda"]);
        assert_eq!(words(r#"--name 'a b' "c \" d" e\ f """#), ["--name", "a b", "c \" d", "e f", ""]);
        assert_eq!(words(r#""C:\data\$x" a\b #c"#), ["C:\\data$x", "ab", "#c"]);
        assert_eq!(words(""), Vec::<String>::new());
        assert!(split("'a").is_err());
        assert!(split("a\\").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("17"), Ok(17));
        assert_eq!(size("5MiB"), Ok(5 << 20));
        assert_eq!(size("5 m"), Ok(5 << 20));
        assert!(size("five").is_err());
        assert!(size("5 miles").is_err());
        assert!(size("99999999999GiB").is_err());
    }
}
