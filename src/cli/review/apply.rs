//! `harp review`: applies a patch to the files of a commit. Nothing is written anywhere.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use harp_report::{UserError, terminal_escape};

use super::patch::{FilePatch, Line, PatchError, PatchHunk};
use crate::revisions::tree::is_wanted;
use crate::revisions::written::Files;

/// Lines are looked for no farther from where they should be.
const FARTHEST: usize = 5_000;
/// The name of the standard input in messages.
const NAME: &str = "the standard input";

/// The files after a patch, and what of it was not read.
pub(super) fn apply<'a>(patches: &[FilePatch], files: &Files<'a>) -> Result<(Files<'a>, Vec<String>), PatchError> {
    let mut state = State { before: files, now: files.clone(), made: Files::new(), leaving: leaving(patches) };
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
        state.apply(patch)?;
    }
    let State { now, made, .. } = state;
    Ok((now.into_iter().chain(made).collect(), notes))
}

/// The files that go or get another name.
fn leaving(patches: &[FilePatch]) -> BTreeSet<&Path> {
    let leaving = patches.iter().filter(|patch| !patch.is_copy && patch.new != patch.old);
    leaving.filter_map(|patch| patch.old.as_deref()).collect()
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

/// The files while a patch is applied. In what git writes, files may take the names of each other, and a copy is one of the file before the patch.
struct State<'p, 'a> {
    before: &'p Files<'a>,
    /// Those that keep their names.
    now: Files<'a>,
    /// Those that are new, also by another name.
    made: Files<'a>,
    leaving: BTreeSet<&'p Path>,
}

impl State<'_, '_> {
    fn apply(&mut self, patch: &FilePatch) -> Result<(), PatchError> {
        let wrong = |message: String| PatchError { message, at: patch.at };
        let is_in_place = patch.new == patch.old;
        let old = match &patch.old {
            Some(path) => {
                let source = match (is_in_place, patch.is_copy) {
                    (true, _) => self.made.get(path).or_else(|| self.now.get(path)),
                    (false, true) => self.before.get(path).or_else(|| self.made.get(path)),
                    (false, false) => self.now.get(path).or_else(|| self.made.get(path)),
                };
                source.cloned().ok_or_else(|| wrong(format!("there is no file {} to change", path.display())))?
            }
            None => Cow::Borrowed(&[][..]),
        };
        if let Some(path) = patch.new.as_ref().filter(|path| !is_in_place && self.is_taken(path)) {
            return Err(wrong(format!("there is a file {} already", path.display())));
        }
        let new = patched(&old, &patch.hunks)?;
        if let Some(path) = patch.old.as_ref().filter(|_| !patch.is_copy && !is_in_place) {
            if patch.new.is_none() && !new.is_empty() {
                return Err(wrong(format!("{} has more lines than the patch takes away", path.display())));
            }
            if self.now.remove(path).is_none() {
                self.made.remove(path);
            }
        }
        if let Some(path) = &patch.new {
            let is_kept = is_in_place && !self.made.contains_key(path);
            let files = if is_kept { &mut self.now } else { &mut self.made };
            files.insert(path.clone(), Cow::Owned(new));
        }
        Ok(())
    }

    /// Whether a name is that of a file that stays.
    fn is_taken(&self, path: &Path) -> bool {
        self.made.contains_key(path) || (self.now.contains_key(path) && !self.leaving.contains(path))
    }
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
        let at = place(&lines, &wanted, expected, done).filter(|at| !is_done(hunk, &lines, *at, &replaced));
        let Some(at) = at else {
            let is_there = !replaced.is_empty() && place(&lines, &replaced, said, 0).is_some();
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

/// Whether lines that a hunk adds at an end of the file are there already. The lines around them are found then, too, and would get them twice.
fn is_done(hunk: &PatchHunk, lines: &[&[u8]], at: usize, replaced: &[&[u8]]) -> bool {
    if !hunk.lines.iter().all(Line::is_new) || replaced.is_empty() {
        return false;
    }
    let around = hunk.lines.iter().filter(|line| line.is_old()).count();
    match [hunk.lines.first(), hunk.lines.last()].map(|line| line.is_some_and(Line::is_old)) {
        [true, false] => lines[at..].starts_with(replaced),
        [false, true] => hunk.old_start <= 1 && at > 0 && lines[..at + around].ends_with(replaced),
        // Without lines around them, only the start of the file is a place of its own.
        [false, false] => hunk.old_start == 0 && lines[at..].starts_with(replaced),
        [true, true] => false,
    }
}

/// Where lines are, at or behind `first`: the nearest place to the expected one.
fn place(lines: &[&[u8]], wanted: &[&[u8]], expected: usize, first: usize) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    let is_at = |at: usize| (first..=last).contains(&at) && lines[at..at + wanted.len()] == *wanted;
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
        // Files take the names of each other, in one step or in a row.
        let rename = |old: &str, new: &str| format!("diff --git a/{old} b/{new}\nrename from {old}\nrename to {new}\n");
        let two = [("a.py", "1\n"), ("b.py", "2\n")];
        let pairs = |all: &[(&str, &str)]| {
            Ok(all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
        };
        let swapped = [rename("a.py", "b.py"), rename("b.py", "a.py")].concat();
        assert_eq!(after(&two, &swapped), pairs(&[("a.py", "2\n"), ("b.py", "1\n")]));
        for row in [["a.py", "b.py", "c.py"], ["b.py", "c.py", "d.py"]] {
            let chain = [rename(row[0], row[1]), rename(row[1], row[2])].concat();
            let expected: Vec<(&str, &str)> = if row[0] == "a.py" {
                vec![("b.py", "1\n"), ("c.py", "2\n")]
            } else {
                vec![("a.py", "1\n"), ("d.py", "2\n")]
            };
            assert_eq!(after(&two, &chain), pairs(&expected), "{row:?}");
        }
        assert!(after(&two, &rename("a.py", "b.py")).is_err());
        // A copy is one of the file before the patch.
        let copied =
            "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-1\n+one\ndiff --git a/a.py b/c.py\ncopy from a.py\ncopy to c.py\n";
        assert_eq!(after(&two[..1], copied), pairs(&[("a.py", "one\n"), ("c.py", "1\n")]));
        // A row of patches changes what those before made.
        let row =
            [made, &*rename("n.py", "m.py"), "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-x\n+y\n"]
                .concat();
        assert_eq!(after(&[], &row), only("m.py", "y\n"));
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
        // The lines around may end with a function.
        let open = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n 1\n 2\n-3\n+three\n";
        assert_eq!(after(&OLD, open), only("a.py", "1\n2\nthree\n4\n"));
        let shorter = "--- a/a.py\n+++ b/a.py\n@@ -2,3 +2,2 @@\n 2\n 3\n-4\n";
        assert_eq!(after(&OLD, shorter), only("a.py", "1\n2\n3\n"));
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
