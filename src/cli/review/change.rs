//! `harp review`: what is reviewed, as it is typed.

use harp_report::UserError;

/// The two sides that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// `BASE`: the work tree against a commit.
    WorkTree { base: String },
    /// `BASE..HEAD`: one commit against another.
    Commits { base: String, head: String },
    /// `BASE...HEAD`: a commit against where it parted from another one.
    SinceParting { base: String, head: String },
    /// `-`: what a patch on the standard input makes of `HEAD`.
    Patch,
}

impl Change {
    /// Reads it; an end of a range that is left out is `HEAD`, as for git.
    pub fn parse(text: &str) -> Result<Change, UserError> {
        if text == "-" {
            return Ok(Change::Patch);
        }
        let ends = |base: &str, head: &str| Ok([revision(base, text)?, revision(head, text)?]);
        if let Some((base, head)) = text.split_once("...") {
            let [base, head] = ends(base, head)?;
            return Ok(Change::SinceParting { base, head });
        }
        // `HEAD^{/a..b}` has dots that are none of a range.
        if let Some((base, head)) = text.split_once("..").filter(|_| !text.contains('{')) {
            let [base, head] = ends(base, head)?;
            return Ok(Change::Commits { base, head });
        }
        Ok(Change::WorkTree { base: revision(text, text)? })
    }
}

/// A revision is nothing that git takes for an option, and no list of revisions.
fn revision(text: &str, whole: &str) -> Result<String, UserError> {
    let is_none = text.starts_with(['-', '^']) || text.contains(['\0', '\n']) || text.starts_with('.');
    if is_none || text.contains("..") && !text.contains('{') {
        return Err(UserError::new(format!("`{whole}` is not a change that can be reviewed")).hint(
            "name BASE..HEAD, BASE...HEAD, BASE alone for the work tree, or - for a patch on the standard input",
        ));
    }
    Ok(if text.is_empty() { "HEAD".to_owned() } else { text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_as_git_reads_them() {
        let text = str::to_owned;
        let commits = |base: &str, head: &str| Change::Commits { base: text(base), head: text(head) };
        assert_eq!(Change::parse("main..topic").ok(), Some(commits("main", "topic")));
        assert_eq!(Change::parse("main..").ok(), Some(commits("main", "HEAD")));
        assert_eq!(Change::parse("..x~2").ok(), Some(commits("HEAD", "x~2")));
        let parting = Change::SinceParting { base: text("a/b"), head: text("HEAD") };
        assert_eq!(Change::parse("a/b...").ok(), Some(parting));
        assert_eq!(Change::parse("v1.0").ok(), Some(Change::WorkTree { base: text("v1.0") }));
        assert_eq!(Change::parse("-").ok(), Some(Change::Patch));
        for wrong in ["--upload-pack=x..HEAD", "a..-x", "^a", "a..b..c", "a....b", "a\nb", "."] {
            assert!(Change::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
