//! Where the forms of a review go: `--output` names a file, a form, or both, as for `harp check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use harp_report::{UserError, closest};

use super::options::ReviewFormat;
use crate::output::Destination;

/// `FILE`, `FORMAT` or `FORMAT:FILE`, as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewOutput {
    /// That of `--format` where none is named.
    pub format: Option<ReviewFormat>,
    /// The standard output where none is named.
    pub file: Option<PathBuf>,
}

/// Reads an argument. What begins with a word and a colon, or is the word of a form, speaks of a form: a file of such a name is written
/// `./NAME`. A single letter before a colon is a drive.
pub(super) fn parse(typed: OsString) -> Result<ReviewOutput, String> {
    let file = |typed: OsString| Ok(ReviewOutput { format: None, file: Some(PathBuf::from(typed)) });
    let Some(text) = typed.to_str() else { return file(typed) };
    if let Ok(format) = ReviewFormat::from_str(text, false) {
        return Ok(ReviewOutput { format: Some(format), file: None });
    }
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match text.split_once(':').filter(|(word, _)| is_word(word)) {
        None => file(typed),
        Some((word, "")) => Err(format!("there is no file behind `{word}:`; `{word}` alone is the standard output")),
        Some((word, path)) => match ReviewFormat::from_str(word, false) {
            Ok(format) => Ok(ReviewOutput { format: Some(format), file: Some(PathBuf::from(path)) }),
            Err(_) => Err(unknown_format(word, text)),
        },
    }
}

fn unknown_format(word: &str, text: &str) -> String {
    let variants = ReviewFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let names: Vec<String> = variants.map(|value| value.get_name().to_owned()).collect();
    let meant = closest(word, names.iter().map(String::as_str));
    let meant = meant.map_or(String::new(), |meant| format!("did you mean `{meant}`? "));
    format!("there is no form `{word}`; {meant}a file of this name is written `./{text}`")
}

/// The forms of a run and their places: one on the standard output where nothing else is asked for.
pub(super) fn outputs(
    arguments: &[ReviewOutput],
    usual: ReviewFormat,
) -> Result<Vec<(ReviewFormat, Destination)>, UserError> {
    let mut outputs: Vec<(ReviewFormat, Destination)> = Vec::new();
    for argument in arguments {
        let destination = Destination::from(argument.file.clone());
        if outputs.iter().any(|(_, other)| *other == destination) {
            return Err(match &destination {
                Destination::File(path) => UserError::new(format!("two reports cannot go to {}", path.display())),
                _ => UserError::new("two reports cannot go to the standard output")
                    .hint("name a file for one of them, such as `--output sarif:harp.sarif`"),
            });
        }
        outputs.push((argument.format.unwrap_or(usual), destination));
    }
    if outputs.is_empty() {
        outputs.push((usual, Destination::StandardOutput));
    }
    Ok(outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_from_files() {
        let parsed = |text: &str| parse(OsString::from(text));
        let output = |format, file: Option<&str>| Ok(ReviewOutput { format, file: file.map(PathBuf::from) });
        assert_eq!(parsed("github-review"), output(Some(ReviewFormat::GithubReview), None));
        assert_eq!(parsed("sarif:a:b"), output(Some(ReviewFormat::Sarif), Some("a:b")));
        for file in ["review", "harp.sarif", "./github", "C:\\review", "a/b:c"] {
            assert_eq!(parsed(file), output(None, Some(file)), "{file}");
        }
        assert!(parsed("markdwn:x").is_err_and(|told| told.contains("did you mean `markdown`?")));
        assert!(parsed("sarif:").is_err());
    }
}
