//! Loads rule packs: wildcards in the paths of a manifest, `rules/**/*.dl`.

use harp_corpus::name_fits;

/// A path inside a pack. `*` and `?` stand for characters of one name, `**` for any number of folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    segments: Vec<String>,
}

impl Pattern {
    /// Reads a pattern; says why it cannot be one of a path inside the pack.
    pub fn parse(text: &str) -> Result<Pattern, &'static str> {
        if text.is_empty() {
            return Err("the path is empty");
        }
        if text.contains('\\') {
            return Err("paths in a pack are written with `/`");
        }
        if text.starts_with('/') || text.split('/').next().is_some_and(|first| first.contains(':')) {
            return Err("the path is absolute; paths are relative to the pack's folder");
        }
        let segments: Vec<String> =
            text.split('/').filter(|segment| !matches!(*segment, "" | ".")).map(str::to_owned).collect();
        if segments.iter().any(|segment| segment == "..") {
            return Err("the path leaves the pack");
        }
        if segments.is_empty() {
            return Err("the path names no file");
        }
        Ok(Pattern { segments })
    }

    /// The path, where the pattern has no wildcards.
    pub fn literal(&self) -> Option<String> {
        self.segments.iter().all(|segment| is_literal(segment)).then(|| self.segments.join("/"))
    }

    /// The folder below which all files that fit lie; empty for the pack's own.
    pub fn folder(&self) -> String {
        let folders = &self.segments[..self.segments.len() - 1];
        let literal: Vec<&str> = folders.iter().map(String::as_str).take_while(|segment| is_literal(segment)).collect();
        literal.join("/")
    }

    /// How many folders below [`Pattern::folder`] a file may lie; `None` where there is no bound.
    pub fn depth(&self) -> Option<usize> {
        let below = self.segments.iter().skip_while(|segment| is_literal(segment));
        let unbounded = self.segments.iter().any(|segment| segment == "**");
        (!unbounded).then(|| below.count().saturating_sub(1))
    }

    /// Whether a path inside the pack, with `/` between its parts, fits.
    pub fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        // Whether the segments so far fit the first so many names.
        let mut fits = vec![false; names.len() + 1];
        fits[0] = true;
        for segment in &self.segments {
            let before = fits.clone();
            if segment == "**" {
                let first = before.iter().position(|fits| *fits).unwrap_or(fits.len());
                fits.iter_mut().skip(first).for_each(|fits| *fits = true);
            } else {
                fits[0] = false;
                for (index, name) in names.iter().enumerate() {
                    fits[index + 1] = before[index] && name_fits(segment, name);
                }
            }
        }
        fits[names.len()]
    }
}

fn is_literal(segment: &str) -> bool {
    !segment.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, path: &str) -> bool {
        Pattern::parse(pattern).expect("a pattern").matches(path)
    }

    #[test]
    fn wildcards_stand_for_names_and_folders() {
        assert!(fits("rules/*.dl", "rules/a.dl"));
        assert!(!fits("rules/*.dl", "rules/sub/a.dl"));
        assert!(fits("rules/**/*.dl", "rules/a.dl"));
        assert!(fits("rules/**/*.dl", "rules/x/y/a.dl"));
        assert!(!fits("rules/**/*.dl", "other/a.dl"));
        assert!(fits("**", "a/b"));
        assert!(fits("./a?c*e.md", "abcde.md"));
        assert!(!fits("a?c.md", "ac.md"));
        assert!(fits("*a*a*a*", &"a".repeat(40)));
        assert!(!fits(&format!("{}b", "*a".repeat(40)), &"a".repeat(200)));
    }

    #[test]
    fn a_search_begins_at_the_last_folder_that_is_named() {
        let pattern = |text: &str| Pattern::parse(text).expect("a pattern");
        assert_eq!(pattern("*.md").folder(), "");
        assert_eq!(pattern("rules/x/*.dl").folder(), "rules/x");
        assert_eq!(pattern("rules/x/*.dl").depth(), Some(0));
        assert_eq!(pattern("rules/*/x.dl").depth(), Some(1));
        assert_eq!(pattern("rules/**/x.dl").depth(), None);
        assert_eq!(pattern("rules//./x.dl").literal(), Some("rules/x.dl".to_owned()));
    }

    #[test]
    fn paths_that_leave_the_pack_are_refused() {
        for text in ["", "/etc/passwd", "../x.dl", "rules/../../x.dl", "C:/x.dl", "rules\\x.dl", "."] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }
}
