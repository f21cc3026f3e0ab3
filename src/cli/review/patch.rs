//! `harp review`: reads patches as `git diff` and `diff -u` write them, without applying them.

use std::path::PathBuf;

use crate::revisions::tree::safe_path;

/// What a patch makes of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FilePatch {
    /// The file that it changes; `None` where it makes one.
    pub old: Option<PathBuf>,
    /// The file that comes out; `None` where it goes.
    pub new: Option<PathBuf>,
    /// Whether the old file stays beside the new one.
    pub is_copy: bool,
    /// Whether it is a change of bytes that are no text, which is not read.
    pub is_binary: bool,
    /// Whether it speaks of a link or a submodule.
    pub is_no_file: bool,
    pub hunks: Vec<PatchHunk>,
    /// The line of the patch in which it begins, counted from 0.
    pub at: usize,
}

/// A run of lines with what is taken away and added in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatchHunk {
    /// Counted from 1.
    pub old_start: u32,
    pub new_start: u32,
    pub lines: Vec<Line>,
    /// The line of the patch in which it begins, counted from 0.
    pub at: usize,
}

/// A line of a hunk with its end, where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Kept(Vec<u8>),
    Removed(Vec<u8>),
    Added(Vec<u8>),
}

impl Line {
    /// Whether the old file has it.
    pub fn is_old(&self) -> bool {
        !matches!(self, Line::Added(_))
    }

    /// Whether the new file has it.
    pub fn is_new(&self) -> bool {
        !matches!(self, Line::Removed(_))
    }

    pub fn text(&self) -> &[u8] {
        let (Line::Kept(text) | Line::Removed(text) | Line::Added(text)) = self;
        text
    }

    fn text_mut(&mut self) -> &mut Vec<u8> {
        let (Line::Kept(text) | Line::Removed(text) | Line::Added(text)) = self;
        text
    }
}

/// What is wrong with a patch, and in which of its lines, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatchError {
    pub message: String,
    pub at: usize,
}

/// Reads the files that a patch changes. What stands around them, such as a message, is passed over.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<FilePatch>, PatchError> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut reader = Reader { lines: &lines, at: 0 };
    let mut files = Vec::new();
    while let Some(line) = reader.peek() {
        if line.starts_with(b"diff --git ") {
            files.push(reader.git_file()?);
        } else if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
            return Err(reader.error("the difference of a merge from several commits cannot be applied to one"));
        } else if line.starts_with(b"--- ") && reader.line(1).is_some_and(|next| next.starts_with(b"+++ ")) {
            files.push(reader.plain_file()?);
        } else if line.starts_with(b"@@ -") {
            return Err(reader.error("a hunk without the names of its file"));
        } else {
            reader.at += 1;
        }
    }
    Ok(files)
}

struct Reader<'a> {
    lines: &'a [&'a [u8]],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        self.line(0)
    }

    fn line(&self, ahead: usize) -> Option<&'a [u8]> {
        self.lines.get(self.at + ahead).copied()
    }

    fn error(&self, message: impl Into<String>) -> PatchError {
        PatchError { message: message.into(), at: self.at.min(self.lines.len().saturating_sub(1)) }
    }

    /// A file that git tells of, with its extended header.
    fn git_file(&mut self) -> Result<FilePatch, PatchError> {
        let mut file = FilePatch { at: self.at, ..FilePatch::default() };
        let header = trimmed(self.peek().unwrap_or_default());
        let named = header.strip_prefix(b"diff --git ").and_then(both_names);
        let (mut is_made, mut is_gone) = (false, false);
        let mut names: [Option<PathBuf>; 2] = named.map_or([None, None], |path| [Some(path.clone()), Some(path)]);
        self.at += 1;
        while let Some(line) = self.peek() {
            let line = trimmed(line);
            let whole = |start: &[u8]| line.strip_prefix(start).map(unquoted);
            if let Some(name) = whole(b"rename from ").or(whole(b"copy from ")) {
                names[0] = Some(self.path(&name)?);
                file.is_copy = line.starts_with(b"copy");
            } else if let Some(name) = whole(b"rename to ").or(whole(b"copy to ")) {
                names[1] = Some(self.path(&name)?);
            } else if line.starts_with(b"new file mode ") {
                is_made = true;
                file.is_no_file |= is_mode_of_no_file(line);
            } else if line.starts_with(b"deleted file mode ") {
                is_gone = true;
                file.is_no_file |= is_mode_of_no_file(line);
            } else if line.starts_with(b"index ") || line.starts_with(b"old mode ") || line.starts_with(b"new mode ") {
                file.is_no_file |= is_mode_of_no_file(line);
            } else if line.starts_with(b"similarity ") || line.starts_with(b"dissimilarity ") {
            } else if line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files ") {
                file.is_binary = true;
            } else {
                break;
            }
            self.at += 1;
        }
        if self.peek().is_some_and(|line| line.starts_with(b"--- "))
            && self.line(1).is_some_and(|next| next.starts_with(b"+++ "))
        {
            let [old, new] = self.names(true)?;
            (is_made, is_gone) = (is_made || old.is_none(), is_gone || new.is_none());
            names = [old.or(names[0].take()), new.or(names[1].take())];
            self.hunks(&mut file)?;
        }
        let [old, new] = names;
        if old.is_none() && new.is_none() {
            self.at = file.at;
            return Err(self.error("the names of this file are none within the repository"));
        }
        file.old = old.filter(|_| !is_made);
        file.new = new.filter(|_| !is_gone);
        Ok(file)
    }

    /// A file that `diff -u` tells of.
    fn plain_file(&mut self) -> Result<FilePatch, PatchError> {
        let mut file = FilePatch { at: self.at, ..FilePatch::default() };
        [file.old, file.new] = self.names(false)?;
        self.hunks(&mut file)?;
        Ok(file)
    }

    /// The names of `--- a/NAME` and `+++ b/NAME`; `/dev/null` is none.
    fn names(&mut self, has_prefix: bool) -> Result<[Option<PathBuf>; 2], PatchError> {
        let mut names = [None, None];
        for name in &mut names {
            let line = trimmed(self.peek().unwrap_or_default()).get(4..).unwrap_or_default();
            // `diff -u` puts a time behind a tab.
            let end = line.iter().position(|byte| *byte == b'\t').filter(|_| !line.starts_with(b"\""));
            let typed = unquoted(&line[..end.unwrap_or(line.len())]);
            if typed != b"/dev/null" {
                let prefixed = typed.iter().position(|byte| *byte == b'/').map(|slash| &typed[slash + 1..]);
                let below = if has_prefix { prefixed.unwrap_or(&typed) } else { plain_name(&typed) };
                *name = Some(self.path(below)?);
            }
            self.at += 1;
        }
        Ok(names)
    }

    fn path(&self, name: &[u8]) -> Result<PathBuf, PatchError> {
        safe_path(name).ok_or_else(|| {
            self.error(format!("`{}` is not a name of a file in the repository", String::from_utf8_lossy(name)))
        })
    }

    fn hunks(&mut self, file: &mut FilePatch) -> Result<(), PatchError> {
        while let Some(line) = self.peek().filter(|line| line.starts_with(b"@@ -")) {
            let at = self.at;
            let Some((old_start, old_count, new_start, new_count)) = hunk_header(line) else {
                return Err(self.error("this is not a beginning of a hunk"));
            };
            self.at += 1;
            let lines = self.hunk_lines(old_count, new_count)?;
            file.hunks.push(PatchHunk { old_start, new_start, lines, at });
        }
        Ok(())
    }

    fn hunk_lines(&mut self, mut old: u32, mut new: u32) -> Result<Vec<Line>, PatchError> {
        let mut lines: Vec<Line> = Vec::new();
        loop {
            let line = self.peek().unwrap_or_default();
            if line.starts_with(b"\\") {
                // "\ No newline at end of file"
                let end = lines.last_mut().map(Line::text_mut);
                end.filter(|text| text.ends_with(b"\n")).map(Vec::pop);
                self.at += 1;
                continue;
            }
            if old == 0 && new == 0 {
                return Ok(lines);
            }
            let text = || line.get(1..).unwrap_or_default().to_vec();
            let (read, of_old, of_new) = match line.first() {
                Some(b' ') => (Line::Kept(text()), 1, 1),
                // Mail programs take away blanks at the end of a line.
                Some(b'\n' | b'\r') => (Line::Kept(line.to_vec()), 1, 1),
                Some(b'-') => (Line::Removed(text()), 1, 0),
                Some(b'+') => (Line::Added(text()), 0, 1),
                Some(_) => return Err(self.error("this line is none of a hunk")),
                None => return Err(self.error("the patch ends within a hunk")),
            };
            let left = old.checked_sub(of_old).zip(new.checked_sub(of_new));
            (old, new) = left.ok_or_else(|| self.error("the hunk has more lines than its beginning says"))?;
            lines.push(read);
            self.at += 1;
        }
    }
}

/// `@@ -1,2 +3,4 @@`: where the lines start, and how many there are.
fn hunk_header(line: &[u8]) -> Option<(u32, u32, u32, u32)> {
    let text = std::str::from_utf8(line.get(..line.len().min(100))?)
        .or_else(|error| std::str::from_utf8(&line[..error.valid_up_to()]))
        .ok()?;
    let mut words = text.strip_prefix("@@ -")?.split(' ');
    let (old, new) = (words.next()?, words.next()?.strip_prefix('+')?);
    words.next().filter(|word| word.trim_end() == "@@")?;
    let numbers = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    let ((old, old_count), (new, new_count)): ((u32, u32), (u32, u32)) = (numbers(old)?, numbers(new)?);
    let is_possible = |start: u32, count: u32| start < 1 << 30 && count < 1 << 30;
    (is_possible(old, old_count) && is_possible(new, new_count)).then_some((old, old_count, new, new_count))
}

/// The name in `a/NAME b/NAME`, where both are the same: renames say theirs again.
fn both_names(words: &[u8]) -> Option<PathBuf> {
    let (one, other) = if words.starts_with(b"\"") {
        let end = (1..words.len()).find(|at| words[*at] == b'"' && words[at - 1] != b'\\')?;
        (unquoted(&words[..=end]), unquoted(words.get(end + 2..)?))
    } else {
        let middle = words.len() / 2;
        (words[..middle].to_vec(), words.get(middle + 1..)?.to_vec())
    };
    let below = |name: &[u8]| Some(name.get(name.iter().position(|byte| *byte == b'/')? + 1..)?.to_vec());
    let (one, other) = (below(&one)?, below(&other)?);
    if one == other { safe_path(&one) } else { None }
}

/// The name without the `a/` and `b/` that many tools write before it.
fn plain_name(typed: &[u8]) -> &[u8] {
    typed.strip_prefix(b"a/").or(typed.strip_prefix(b"b/")).or(typed.strip_prefix(b"./")).unwrap_or(typed)
}

fn is_mode_of_no_file(line: &[u8]) -> bool {
    line.ends_with(b" 120000") || line.ends_with(b" 160000")
}

fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A name that git wrote between quotes where it has odd characters.
fn unquoted(name: &[u8]) -> Vec<u8> {
    let Some(inner) = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")) else { return name.to_vec() };
    let mut plain = Vec::new();
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        plain.push(match bytes.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(digit @ b'0'..=b'3') => {
                let mut value = digit - b'0';
                for _ in 0..2 {
                    let next = bytes.next_if(|next| (b'0'..=b'7').contains(next));
                    value = next.map_or(value, |next| value * 8 + (next - b'0'));
                }
                value
            }
            Some(other) => other,
            None => b'\\',
        });
    }
    plain
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
