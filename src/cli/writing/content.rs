//! The gate for writing: what is written over what, as a file is replaced by one of its own kind alone.

use std::path::Path;

use harp_corpus::{read_start, read_utf8};
use harp_report::baseline::Baseline;

use super::gate::Refusal;

/// A larger file is no baseline.
pub const LARGEST_BASELINE: u64 = 64 << 20;
/// So much of a file tells its form.
pub(super) const START: u64 = 1024;

/// Files with these endings are programs and settings, which no report replaces. Others are known by their text.
const NOT_REPORTS: [&str; 13] =
    ["py", "pyx", "ipynb", "toml", "yaml", "yml", "cfg", "ini", "env", "sh", "bash", "ps1", "bat"];

/// Files with these endings hold any text.
const OF_TEXTS: [&str; 5] = ["txt", "log", "out", "dot", "gv"];

/// How reports for people begin, and those for GitHub.
const BEGINNINGS: [&str; 6] = ["error[", "warning[", "note[", "no findings in ", "::", "digraph "];
/// What stands behind the place of a finding in a line of a concise report.
const SEVERITIES: [&str; 3] = [": error[", ": warning[", ": note["];
/// With which keys objects of Harp's begin that may also be none.
const OWN_KEYS: [&str; 2] = ["{rule", "[check_name"];

/// What is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// A report, which begins with these bytes.
    Report(&'a [u8]),
    /// A file that has a fixed name in a folder that the user named.
    OfFolder,
    /// A baseline.
    Baseline,
}

impl Content<'_> {
    /// Whether this may stand in the place of a regular file.
    pub(super) fn may_replace(self, place: &Path) -> Result<(), Refusal> {
        let refused = |what: &str| Err(Refusal::OtherKind(format!("the file that is there is {what}")));
        let unreadable = |error: harp_corpus::FileError| Refusal::OtherKind(error.to_string());
        match self {
            Content::Baseline => match read_utf8(place, LARGEST_BASELINE) {
                Ok(text) if Baseline::parse(&text).is_ok() => Ok(()),
                _ => refused("not a baseline"),
            },
            Content::OfFolder => match Form::of(&read_start(place, START).map_err(unreadable)?) {
                Form::Program => refused("a program"),
                _ => Ok(()),
            },
            Content::Report(new) => {
                let old = read_start(place, START).map_err(unreadable)?;
                match (Form::of(&old), Form::of(new)) {
                    (Form::Nothing, _) => Ok(()),
                    _ if has_ending(place, &NOT_REPORTS) => refused("a program or settings"),
                    (Form::Program | Form::Binary, _) => refused("not a report"),
                    (old, new) if old.is_ours() || (old == new && new != Form::Text(false)) => Ok(()),
                    (Form::Text(_), Form::Text(_) | Form::Nothing) if has_ending(place, &OF_TEXTS) => Ok(()),
                    _ => refused("not a report of this form"),
                }
            }
        }
    }
}

fn has_ending(place: &Path, endings: &[&str]) -> bool {
    let ending = place.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    endings.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// What the beginning of a file tells of it. Two reports of one form begin alike.
#[derive(Debug, PartialEq, Eq)]
enum Form {
    /// Nobody loses anything: also a list or an object without items.
    Nothing,
    /// Something else runs it.
    Program,
    /// No text.
    Binary,
    /// JSON, by its first character and the first key of its first object.
    Json(String),
    /// XML or HTML with this element, which Harp says it wrote.
    Markup(String, bool),
    /// Markdown with a title that begins so, or a source with such a comment.
    Titled(String),
    /// Any other text; whether it begins as reports for people do.
    Text(bool),
}

impl Form {
    fn of(start: &[u8]) -> Form {
        if start.contains(&0) {
            return Form::Binary;
        }
        let text = String::from_utf8_lossy(start);
        let text = text.trim();
        let word = |text: &str| text.chars().take_while(|it| it.is_alphanumeric()).collect::<String>().to_lowercase();
        match text.chars().next() {
            None => Form::Nothing,
            _ if matches!(text, "{}" | "[]") => Form::Nothing,
            Some(first @ ('{' | '[')) => Form::Json(format!("{first}{}", text.split('"').nth(1).unwrap_or_default())),
            Some('<') => {
                let elements = text.split('<').map(word).find(|name| !name.is_empty());
                Form::Markup(elements.unwrap_or_default(), text.contains("content=\"Harp "))
            }
            _ if text.starts_with("#!") => Form::Program,
            // What comes behind the first word of a title differs from run to run.
            Some('#') => Form::Titled(text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")),
            _ => {
                let line = text.lines().next().unwrap_or_default();
                let is_ours = BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
                    || SEVERITIES.iter().any(|severity| line.contains(severity));
                Form::Text(is_ours)
            }
        }
    }

    /// Whether only Harp begins a file so: it has been written in another form before.
    fn is_ours(&self) -> bool {
        match self {
            Form::Text(is_ours) | Form::Markup(_, is_ours) => *is_ours,
            Form::Json(key) => OWN_KEYS.contains(&key.as_str()),
            Form::Titled(title) => title.trim_start_matches('#').trim_matches([' ', ':']) == "Harp",
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn reports_replace_reports_of_their_form() {
        let folder = tempfile::tempdir().expect("a folder");
        let may_replace = |name: &str, old: &str, new: &str| {
            let place = folder.path().join(name);
            fs::write(&place, old).expect("a file");
            Content::Report(new.as_bytes()).may_replace(&place).is_ok()
        };
        let json = "{\n  \"version\": 1,\n  \"findings\": []\n}";
        assert!(may_replace("a", "", json) && may_replace("a", "[]\n", json) && may_replace("a", json, json));
        assert!(!may_replace("package.json", "{\"name\": \"x\"}", json));
        assert!(!may_replace("a", "#!/bin/sh\n", "x") && !may_replace("a", "#!/bin/sh\n", ""));
        assert!(!may_replace("a.py", "x = 1\n", "text") && !may_replace("a.py", "x = 1\n", ""));
        assert!(may_replace("a.txt", "old report", "new report") && may_replace("a.txt", "old report", ""));
        assert!(!may_replace("Makefile", "all:\n", "new report") && !may_replace("Makefile", "all:\n", ""));
        assert!(!may_replace("package.json", "{\"name\": \"x\"}", "") && !may_replace("m.rs", "fn main() {}", "x"));
        assert!(may_replace("a", "a.py:2:5: error[shape/mismatch] x", "") && may_replace("a", "{\"rule\": 1}", ""));
        assert!(may_replace("a", "[{\"check_name\": 1}]", "[]"));
        assert!(!may_replace("a", "\0", "text") && !may_replace("a", "text", json));
        assert!(may_replace("a.html", "no findings in 1 file (1 line)", "<!DOCTYPE html>\n<html>"));
        assert!(may_replace("a.md", "### Harp: 1 introduced", "# Harp\n") && may_replace("a", "error[a/b]: c", json));
        assert!(!may_replace("README.md", "# Ours\n", "# Harp\n") && may_replace("a.md", "# Harp\n", "# Harp\n2\n"));
        let page = "<!DOCTYPE html>\n<html><meta name=\"generator\" content=\"Harp 0.2\">";
        assert!(may_replace("a.html", page, page) && !may_replace("a.html", "<!DOCTYPE html>\n<html>", page));
        assert!(may_replace("a.xml", "<?xml version=\"1.0\"?>\n<testsuites>", "<?xml ?><testsuites>"));
        assert!(!may_replace("a.xml", "<project>", "<?xml ?><testsuites>"));
    }

    #[test]
    fn baselines_replace_baselines() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("known.json");
        for (old, may) in
            [("{\"version\": 1, \"findings\": []}", true), ("", false), ("{}", false), ("#!/bin/sh\n", false)]
        {
            fs::write(&place, old).expect("a file");
            assert_eq!(Content::Baseline.may_replace(&place).is_ok(), may, "{old}");
        }
    }
}
