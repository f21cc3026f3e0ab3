//! Patterns of files to read, as in a `.gitignore`, with the folder to which they are relative.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// A longer pattern is no pattern of a person; patterns nest as deep as they are long, and are read by recursion.
const LONGEST_PATTERN: usize = 1024;

/// A pattern as in a `.gitignore` of a folder: one with a slash is relative to the folder, one without fits names anywhere below it.
#[derive(Clone, Debug)]
pub struct PathPattern {
    /// Absolute, and without links as far as it exists.
    base: PathBuf,
    pattern: Arc<str>,
    matcher: Arc<Gitignore>,
}

/// Two patterns with one text and folder fit the same files.
impl PartialEq for PathPattern {
    fn eq(&self, other: &PathPattern) -> bool {
        (&self.base, &self.pattern) == (&other.base, &other.pattern)
    }
}

impl Eq for PathPattern {}

impl PathPattern {
    /// The pattern in a folder, which is absolute and without links.
    ///
    /// # Errors
    ///
    /// Why the text is no pattern.
    pub fn new(base: &Path, pattern: &str) -> Result<PathPattern, String> {
        check_pattern(pattern)?;
        let matcher = builder_of(pattern)?.build().map_err(|error| error.to_string())?;
        Ok(PathPattern { base: base.to_owned(), pattern: pattern.into(), matcher: Arc::new(matcher) })
    }

    /// Whether it fits a file, or a folder around it. Files outside of the pattern's folder fit none. The path is absolute and without links.
    pub fn fits(&self, file: &Path) -> bool {
        let below = file.strip_prefix(&self.base).ok().filter(|below| !below.as_os_str().is_empty());
        below.is_some_and(|below| self.matcher.matched_path_or_any_parents(below, false).is_ignore())
    }

    /// The same pattern where `from`, a folder at or around that of the pattern, lies at `to`.
    #[must_use]
    pub fn moved(&self, from: &Path, to: &Path) -> PathPattern {
        let base = self.base.strip_prefix(from).map_or_else(|_| self.base.clone(), |below| to.join(below));
        PathPattern { base, ..self.clone() }
    }
}

/// Whether a pattern says which files it means, or why not.
pub fn check_pattern(pattern: &str) -> Result<(), String> {
    if pattern.trim().is_empty() {
        return Err("an empty pattern names no file".to_owned());
    }
    if pattern.len() > LONGEST_PATTERN {
        return Err(format!("a pattern has at most {LONGEST_PATTERN} bytes"));
    }
    if pattern.trim().bytes().all(|byte| byte == b'/') {
        return Err("the pattern has no name in it".to_owned());
    }
    if pattern.starts_with('!') {
        return Err(
            "a pattern does not take back what another one means; a name that begins with `!` is written `\\!`"
                .to_owned(),
        );
    }
    // The parts of the paths that patterns are compared with are names.
    if pattern.trim().split('/').any(|part| matches!(part, "." | "..")) {
        return Err(
            "a pattern has no `.` and `..` in it: it is relative to its folder, as in a `.gitignore`".to_owned()
        );
    }
    builder_of(pattern).map(|_| ())
}

/// What reads a pattern as those do that leave out files.
fn builder_of(pattern: &str) -> Result<GitignoreBuilder, String> {
    let mut builder = GitignoreBuilder::new("");
    builder.allow_unclosed_class(false);
    // There are no comments among patterns.
    let line = if pattern.starts_with('#') { format!("\\{pattern}") } else { pattern.to_owned() };
    builder.add_line(None, &line).map_err(|error| error.to_string())?;
    Ok(builder)
}

/// What many patterns together cost to read and to compare, in wildcards: names are found at once.
pub fn wildcards_in(patterns: &str) -> usize {
    patterns.bytes().filter(|byte| b"*?[{".contains(byte)).count()
}

/// So many wildcards are read of one source of patterns: thousands of patterns that people wrote have fewer.
pub const MOST_WILDCARDS: usize = 50_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_files_below_their_folder() {
        let fits = |pattern: &str, file: &str| {
            PathPattern::new(Path::new("/project"), pattern).expect("a pattern").fits(Path::new(file))
        };
        for (pattern, file, expected) in [
            ("tests/**", "/project/tests/a.py", true),
            ("tests/**", "/project/src/tests/a.py", false),
            ("tests", "/project/src/tests/a.py", true),
            ("/tests/", "/project/tests/deep/a.py", true),
            ("test_*.py", "/project/src/test_a.py", true),
            ("src/{a,b}/*.py", "/project/src/b/x.py", true),
            ("src/*.py", "/project/src/b/x.py", false),
            ("**", "/project/a.py", true),
            ("**", "/elsewhere/a.py", false),
            ("**", "/project", false),
            ("a.py", "a.py", false),
            ("#a.py", "/project/#a.py", true),
        ] {
            assert_eq!(fits(pattern, file), expected, "{pattern} {file}");
        }
    }

    #[test]
    fn patterns_move_with_their_folder() {
        let pattern = PathPattern::new(Path::new("/old/project"), "tests/").expect("a pattern");
        assert!(pattern.moved(Path::new("/old"), Path::new("/new")).fits(Path::new("/new/project/tests/a.py")));
        assert!(pattern.moved(Path::new("/old/project"), Path::new("/new")).fits(Path::new("/new/tests/a.py")));
        assert_eq!(pattern.moved(Path::new("/other"), Path::new("/new")), pattern);
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        let long = "a".repeat(LONGEST_PATTERN + 1);
        let nested = "{".repeat(LONGEST_PATTERN);
        for pattern in ["", " ", "/", "!a", "{", "[", "a[b", "./a.py", "../b", "a/../b", "..", &long, &nested] {
            assert!(PathPattern::new(Path::new("/"), pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn matching_takes_no_longer_than_reading() {
        let pattern = "*a".repeat(LONGEST_PATTERN / 2);
        let file = format!("/{}", "a/".repeat(2_000));
        let started = std::time::Instant::now();
        PathPattern::new(Path::new("/"), &pattern).map(|pattern| pattern.fits(Path::new(&file))).unwrap_or_default();
        let nested = format!("{}a{}", "{".repeat(500), "}".repeat(500));
        let _ = PathPattern::new(Path::new("/"), &nested).map(|pattern| pattern.fits(Path::new("/a")));
        assert!(started.elapsed().as_secs() < 20);
    }
}
