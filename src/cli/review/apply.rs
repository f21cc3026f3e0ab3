//! What a patch makes of the files of a commit. Nothing is written anywhere.

use std::borrow::Cow;
use std::path::Path;

use harp_report::{UserError, terminal_escape};

use super::patch::{FilePatch, Line, PatchError, PatchHunk};
use super::side::Files;
use super::tree::is_wanted;

/// Lines are looked for no farther from where they should be.
const FARTHEST: usize = 5_000;
/// The name of the standard input in messages.
const NAME: &str = "the standard input";

/// The files after a patch, and what of it was not read.
pub(super) fn apply<'a>(patches: &[FilePatch], files: &Files<'a>) -> Result<(Files<'a>, Vec<String>), PatchError> {
    let mut changed = files.clone();
    let mut notes = Vec::new();
    for patch in patches {
        let is_of_use = |path: &Option<std::path::PathBuf>| path.as_deref().is_some_and(is_wanted);
        if patch.is_no_file || !(is_of_use(&patch.old) || is_of_use(&patch.new)) {
            if let Some(note) = passed_over(patch) {
                notes.push(note);
            }
            continue;
        }
        if patch.is_binary {
            return Err(PatchError { message: format!("{} is changed as a binary file", name(patch)), at: patch.at });
        }
        apply_to_file(patch, &mut changed)?;
    }
    Ok((changed, notes))
}

fn passed_over(patch: &FilePatch) -> Option<String> {
    let what = match (patch.is_no_file, patch.is_binary) {
        (true, _) => "a link or a submodule",
        (false, true) => "a binary file",
        // Other texts do not matter.
        (false, false) => return None,
    };
    Some(format!("the change of {} is not read: it is {what}", name(patch)))
}

/// The error with its place, for who wrote the patch.
pub(super) fn user_error(error: &PatchError, text: &[u8]) -> UserError {
    let text = String::from_utf8_lossy(text);
    let start: usize = text.split_inclusive('\n').take(error.at).map(str::len).sum();
    let line = text[start..].lines().next().unwrap_or_default();
    UserError::new("the patch cannot be applied").at(NAME, &*text, start..start + line.len(), &error.message)
}

fn name(patch: &FilePatch) -> String {
    let path = patch.new.as_deref().or(patch.old.as_deref()).unwrap_or(Path::new(""));
    terminal_escape::path(&path.to_string_lossy())
}

fn apply_to_file(patch: &FilePatch, files: &mut Files<'_>) -> Result<(), PatchError> {
    let wrong = |message: String| PatchError { message, at: patch.at };
    let old = match &patch.old {
        Some(path) => match files.get(path) {
            Some(bytes) => bytes.clone(),
            None => return Err(wrong(format!("there is no file {} to change", path.display()))),
        },
        None => Cow::Borrowed(&[][..]),
    };
    let is_in_place = patch.new == patch.old;
    if let Some(path) = patch.new.as_ref().filter(|path| !is_in_place && files.contains_key(*path)) {
        return Err(wrong(format!("there is a file {} already", path.display())));
    }
    let new = patched(&old, &patch.hunks)?;
    if let Some(path) = patch.old.as_ref().filter(|_| !patch.is_copy) {
        if patch.new.is_none() && !new.is_empty() {
            return Err(wrong(format!("{} has more lines than the patch takes away", path.display())));
        }
        files.remove(path);
    }
    if let Some(path) = &patch.new {
        files.insert(path.clone(), Cow::Owned(new));
    }
    Ok(())
}

/// The text after all hunks, each where its lines are: where it says, or as near to it as they are found.
fn patched(old: &[u8], hunks: &[PatchHunk]) -> Result<Vec<u8>, PatchError> {
    let lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let mut new = Vec::with_capacity(old.len());
    let (mut done, mut shift) = (0, 0_isize);
    for hunk in hunks {
        let wanted: Vec<&[u8]> = hunk.lines.iter().filter(|line| line.is_old()).map(Line::text).collect();
        // Without lines of the old text, the line before is named.
        let said = (hunk.old_start as usize).saturating_sub(usize::from(!wanted.is_empty()));
        let expected = said.saturating_add_signed(shift);
        let replaced: Vec<&[u8]> = hunk.lines.iter().filter(|line| line.is_new()).map(Line::text).collect();
        // What is put before the first line is not put there twice.
        let is_done = hunk.old_start == 0 && wanted.is_empty() && !replaced.is_empty() && lines.starts_with(&replaced);
        let at = place(&lines, &wanted, (expected, Anchor::of(hunk)), done).filter(|_| !is_done);
        let Some(at) = at else {
            let is_there = !replaced.is_empty() && place(&lines, &replaced, (said, Anchor::of(hunk)), 0).is_some();
            let message = if is_there { "the file has this change already" } else { "the file has no such lines" };
            return Err(PatchError { message: message.to_owned(), at: hunk.at });
        };
        new.extend(lines[done..at].iter().copied().flatten());
        new.extend(replaced.into_iter().flatten());
        done = at + wanted.len();
        shift = at as isize - said as isize;
    }
    new.extend(lines[done..].iter().copied().flatten());
    Ok(new)
}

/// At which ends of the file a hunk stands, as git takes it: at the start where its first line is the file's, at the end where nothing stands behind
/// the change. A hunk without lines around the change stands where it says.
#[derive(Clone, Copy)]
struct Anchor {
    start: bool,
    end: bool,
}

impl Anchor {
    fn of(hunk: &PatchHunk) -> Anchor {
        let is_around = |line: Option<&Line>| line.is_some_and(|line| line.is_old() && line.is_new());
        let (before, behind) = (is_around(hunk.lines.first()), is_around(hunk.lines.last()));
        Anchor { start: (before || behind) && hunk.old_start <= 1, end: before && !behind }
    }

    /// Whether lines may stand here, of which `last` is the last place.
    fn allows(self, at: usize, last: usize) -> bool {
        (!self.start || at == 0) && (!self.end || at == last)
    }
}

/// Where lines are, at or behind `first`: the nearest place to the expected one that the anchor allows.
fn place(lines: &[&[u8]], wanted: &[&[u8]], (expected, anchor): (usize, Anchor), first: usize) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    let is_at =
        |at: usize| (first..=last).contains(&at) && anchor.allows(at, last) && lines[at..at + wanted.len()] == *wanted;
    if wanted.is_empty() {
        return is_at(expected).then_some(expected);
    }
    let expected = expected.min(last);
    (0..=lines.len().min(FARTHEST)).find_map(|away| {
        let before = expected.checked_sub(away).filter(|at| is_at(*at));
        before.or_else(|| Some(expected + away).filter(|at| is_at(*at)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::patch::parse;
    use super::*;

    fn files(all: &[(&str, &str)]) -> Files<'static> {
        all.iter().map(|(path, text)| ((*path).into(), Cow::Owned(text.as_bytes().to_vec()))).collect()
    }

    fn after(old: &[(&str, &str)], patch: &str) -> Result<Vec<(String, String)>, String> {
        let patches = parse(patch.as_bytes()).map_err(|error| format!("{}: {}", error.at, error.message))?;
        let (files, _) = apply(&patches, &files(old)).map_err(|error| format!("{}: {}", error.at, error.message))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(files.iter().map(|(path, bytes)| (path.display().to_string(), text(bytes))).collect())
    }

    const OLD: [(&str, &str); 1] = [("a.py", "1\n2\n3\n4\n")];

    fn only(name: &str, text: &str) -> Result<Vec<(String, String)>, String> {
        Ok(vec![(name.to_owned(), text.to_owned())])
    }

    #[test]
    fn hunks_are_applied_where_their_lines_are() {
        let patch = "--- a/a.py\n+++ b/a.py\n@@ -2,3 +2,3 @@ def f():\n 2\n-3\n+three\n 4\n";
        assert_eq!(after(&OLD, patch), only("a.py", "1\n2\nthree\n4\n"));
        let moved = patch.replace("-2,3 +2,3", "-40,3 +40,3");
        assert_eq!(after(&OLD, &moved), only("a.py", "1\n2\nthree\n4\n"));
        let inserted = "--- a/a.py\n+++ b/a.py\n@@ -2,0 +3 @@\n+x\n";
        assert_eq!(after(&OLD, inserted), only("a.py", "1\n2\nx\n3\n4\n"));
        let no_end = "--- a.py\n+++ a.py\n@@ -4 +4 @@\n-4\n+four\n\\ No newline at end of file\n";
        assert_eq!(after(&OLD, no_end), only("a.py", "1\n2\n3\nfour"));
    }

    #[test]
    fn files_are_made_renamed_and_removed() {
        let renamed = "diff --git a/a.py b/b c.py\nsimilarity index 100%\nrename from a.py\nrename to b c.py\n";
        assert_eq!(after(&OLD, renamed), only("b c.py", "1\n2\n3\n4\n"));
        let made = "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n";
        assert_eq!(after(&[], made), only("n.py", "x\n"));
        assert_eq!(after(&[("n.py", "")], made), Err("0: there is a file n.py already".to_owned()));
        let gone = "diff --git a/n.py b/n.py\ndeleted file mode 100644\n--- a/n.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        assert_eq!(after(&[("n.py", "x\n")], gone), Ok(Vec::new()));
        assert!(after(&[("n.py", "x\ny\n")], gone).is_err());
        let empty = "diff --git a/e.py b/e.py\nnew file mode 100644\nindex 0000000..e69de29\n";
        assert_eq!(after(&[], empty), only("e.py", ""));
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_line() {
        let patch = "--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-two\n+zwei\n";
        assert_eq!(after(&OLD, patch), Err("2: the file has no such lines".to_owned()));
        let done = "--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-two\n+2\n";
        assert_eq!(after(&OLD, done), Err("2: the file has this change already".to_owned()));
        assert_eq!(after(&[], patch), Err("0: there is no file a.py to change".to_owned()));
        // Lines are added at the end where nothing stands behind them, and once.
        let added = "--- a/a.py\n+++ b/a.py\n@@ -3,2 +3,3 @@\n 3\n 4\n+5\n";
        assert_eq!(after(&OLD, added), only("a.py", "1\n2\n3\n4\n5\n"));
        let done = [("a.py", "1\n2\n3\n4\n5\n")];
        assert_eq!(after(&done, added), Err("2: the file has this change already".to_owned()));
        let before = "--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n+0\n 1\n";
        assert_eq!(after(&OLD, before), only("a.py", "0\n1\n2\n3\n4\n"));
        assert_eq!(after(&[("a.py", "0\n1\n")], before), Err("2: the file has this change already".to_owned()));
        let both = "--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n 1\n+1\n";
        assert_eq!(after(&[("a.py", "1\n")], both), only("a.py", "1\n1\n"));
        assert_eq!(after(&[("a.py", "1\n1\n")], both), Err("2: the file has this change already".to_owned()));
        let filled = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+1\n+2\n";
        assert_eq!(after(&[("a.py", "")], filled), only("a.py", "1\n2\n"));
        assert_eq!(after(&[("a.py", "1\n2\n")], filled), Err("2: the file has this change already".to_owned()));
        let binary = "diff --git a/a.py b/a.py\nindex 1..2 100644\nBinary files a/a.py and b/a.py differ\n";
        assert_eq!(after(&OLD, binary), Err("0: a.py is changed as a binary file".to_owned()));
    }
}
