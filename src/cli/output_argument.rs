//! What `--output` names: a file, a form, or both.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use harp_report::{UserError, closest};

use crate::output::Destination;

/// `FILE`, `FORMAT` or `FORMAT:FILE`, as it was typed, where `F` are the forms that a command has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputArgument<F> {
    /// The form of the report; that of `--format` where none is named.
    pub format: Option<F>,
    /// The file; the standard output where none is named.
    pub file: Option<PathBuf>,
}

/// Reads an argument. What begins with a word and a colon, or is the word of a form, speaks of a form: a file of such a name is written `./NAME`. A single
/// letter before a colon is a drive.
pub fn parse<F: ValueEnum>(typed: OsString) -> Result<OutputArgument<F>, String> {
    let file = |typed: OsString| Ok(OutputArgument { format: None, file: Some(PathBuf::from(typed)) });
    let Some(text) = typed.to_str() else { return file(typed) };
    if let Ok(format) = F::from_str(text, false) {
        return Ok(OutputArgument { format: Some(format), file: None });
    }
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    match text.split_once(':').filter(|(word, _)| is_word(word)) {
        None => file(typed),
        Some((word, "")) => Err(format!("there is no file behind `{word}:`; `{word}` alone is the standard output")),
        Some((word, path)) => match F::from_str(word, false) {
            Ok(format) => Ok(OutputArgument { format: Some(format), file: Some(PathBuf::from(path)) }),
            Err(_) => Err(unknown_format::<F>(word, text)),
        },
    }
}

fn unknown_format<F: ValueEnum>(word: &str, text: &str) -> String {
    let variants = F::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let names: Vec<String> = variants.map(|value| value.get_name().to_owned()).collect();
    let meant = closest(word, names.iter().map(String::as_str));
    let meant = meant.map_or(String::new(), |meant| format!("did you mean `{meant}`? "));
    format!("there is no form `{word}`; {meant}a file of this name is written `./{text}`")
}

/// A report that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output<F> {
    /// Its form.
    pub format: F,
    /// Where it goes.
    pub destination: Destination,
}

/// The reports of a run: one on the standard output where nothing else is asked for.
///
/// # Errors
///
/// Two reports cannot go to one place.
pub(crate) fn outputs<F: Copy>(arguments: &[OutputArgument<F>], usual: F) -> Result<Vec<Output<F>>, UserError> {
    let mut outputs: Vec<Output<F>> = Vec::new();
    for argument in arguments {
        let destination = Destination::from(argument.file.clone());
        if outputs.iter().any(|other| is_same(&other.destination, &destination)) {
            return Err(match &destination {
                Destination::File(path) => UserError::new(format!("two reports cannot go to {}", path.display())),
                _ => UserError::new("two reports cannot go to the standard output")
                    .hint("name a file for one of them, such as `--output sarif:harp.sarif`"),
            });
        }
        outputs.push(Output { format: argument.format.unwrap_or(usual), destination });
    }
    if outputs.is_empty() {
        outputs.push(Output { format: usual, destination: Destination::StandardOutput });
    }
    Ok(outputs)
}

/// Whether two reports would go to one place, however it is spelt.
fn is_same(one: &Destination, other: &Destination) -> bool {
    let (Destination::File(one), Destination::File(other)) = (one, other) else { return one == other };
    place(one) == place(other)
}

/// A file by the folder and the name that it has or will have, without links; one of several names by its first of all.
fn place(file: &Path) -> (PathBuf, Option<(u64, u64)>) {
    let real = file.canonicalize().or_else(|_| {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok::<_, std::io::Error>(folder.canonicalize()?.join(file.file_name().unwrap_or_default()))
    });
    let real = real.unwrap_or_else(|_| file.to_owned());
    match identity(&real) {
        Some(identity) => (PathBuf::new(), Some(identity)),
        None => (real, None),
    }
}

/// What the system knows a file by, whatever its names.
#[cfg(unix)]
fn identity(file: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::OutputFormat;
    use crate::review::ReviewFormat;

    fn parsed(text: &str) -> Result<OutputArgument<OutputFormat>, String> {
        parse(OsString::from(text))
    }

    fn argument(format: Option<OutputFormat>, file: Option<&str>) -> Result<OutputArgument<OutputFormat>, String> {
        Ok(OutputArgument { format, file: file.map(PathBuf::from) })
    }

    #[test]
    fn forms_are_told_from_files() {
        assert_eq!(parsed("github"), argument(Some(OutputFormat::Github), None));
        assert_eq!(parsed("json-lines:a:b"), argument(Some(OutputFormat::JsonLines), Some("a:b")));
        for file in ["report", "harp.sarif", "./github", "./sarif:x", "C:\\report", "a/b:c", "SARIF", "a.b:c"] {
            assert_eq!(parsed(file), argument(None, Some(file)), "{file}");
        }
    }

    #[test]
    fn what_is_no_form_is_told() {
        let told = parsed("srif:harp.sarif").expect_err("no form");
        assert_eq!(
            told,
            "there is no form `srif`; did you mean `sarif`? a file of this name is written `./srif:harp.sarif`"
        );
        assert!(parsed("sarif:").is_err());
    }

    #[test]
    fn each_command_has_forms_of_its_own() {
        let of_review = |text: &str| parse::<ReviewFormat>(OsString::from(text));
        assert!(of_review("github-review").is_ok_and(|it| it.format == Some(ReviewFormat::GithubReview)));
        assert!(of_review("markdwn:x").is_err_and(|told| told.contains("did you mean `markdown`?")));
        assert_eq!(parsed("github-review"), argument(None, Some("github-review")));
    }

    #[cfg(unix)]
    #[test]
    fn one_file_is_one_place_however_it_is_spelt() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("sub")).expect("a folder");
        std::fs::write(path("a.html"), "").expect("a file");
        std::fs::hard_link(path("a.html"), path("hard")).expect("a link");
        std::os::unix::fs::symlink("a.html", path("soft")).expect("a link");
        let both = |one: &str, other: &str| {
            let argument = |name: &str| OutputArgument { format: None, file: Some(path(name)) };
            outputs(&[argument(one), argument(other)], OutputFormat::Json)
        };
        for (one, other) in [("a.html", "hard"), ("soft", "hard"), ("new", "sub/../new"), ("./new", "new")] {
            assert!(both(one, other).is_err(), "{one} {other}");
        }
        assert!(both("new", "sub/new").is_ok() && both("a.html", "b.html").is_ok());
    }
}
