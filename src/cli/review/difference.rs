//! `harp review`: the lines in which the two sides differ, as git tells them of the two folders.

use harp_corpus::ShownPath;
use harp_report::UserError;
use harp_report::changed_lines::{Block, ChangedFile, ChangedLines, Hunk};

use super::patch::{self, FilePatch, Line, PatchHunk};
use crate::revisions::git::Git;

/// A longer difference is not looked at line by line.
const LARGEST: u64 = 256 << 20;

/// The names of the two folders below the scratch folder.
pub(super) const FOLDERS: [&str; 2] = ["old", "new"];

/// Compares the two folders. Renamed files are found as on code hosts, and as much is shown around a change as there.
pub(super) fn lines(git: &Git) -> Result<ChangedLines, UserError> {
    let failed =
        |reason: String| UserError::new("the two sides cannot be compared").note(format!("git says: {reason}"));
    let scratch = git.scratch().to_string_lossy().into_owned();
    let [old, new] = FOLDERS;
    let arguments = [
        "-C",
        &scratch,
        "diff",
        "--no-index",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        // What is no text differs by its lines, too.
        "--text",
        "--find-renames",
        "--unified=3",
        "--inter-hunk-context=0",
        "--diff-algorithm=myers",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        old,
        new,
    ];
    let mut running = git.start(&arguments, None).map_err(failed)?;
    let mut text = Vec::new();
    let read = std::io::Read::read_to_end(&mut std::io::Read::take(&mut running.output, LARGEST + 1), &mut text);
    read.map_err(|error| failed(error.to_string()))?;
    if text.len() as u64 > LARGEST {
        return Err(UserError::new(format!("the two sides differ in more than {} MiB", LARGEST >> 20)));
    }
    running.process.end_with(&[0, 1]).map_err(failed)?;
    let patches = patch::parse(&text).map_err(|error| failed(error.message))?;
    Ok(ChangedLines::new(patches.iter().map(changed_file).collect()))
}

fn changed_file(patch: &FilePatch) -> ChangedFile {
    let [old, new] = FOLDERS;
    let name = |path: &Option<std::path::PathBuf>, folder: &str| {
        Some(ShownPath::of(path.as_ref()?.strip_prefix(folder).ok()?).text)
    };
    ChangedFile {
        old: name(&patch.old, old),
        new: name(&patch.new, new),
        hunks: patch.hunks.iter().map(hunk).collect(),
    }
}

fn hunk(hunk: &PatchHunk) -> Hunk {
    // Without lines, the line before is named.
    let start = |start: u32, count: usize| if count == 0 { start + 1 } else { start };
    let count = |is_it: fn(&Line) -> bool| hunk.lines.iter().filter(|line| is_it(line)).count();
    let (old_count, new_count) = (count(|line| line.is_old()), count(|line| line.is_new()));
    let (mut old, mut new) = (start(hunk.old_start, old_count), start(hunk.new_start, new_count));
    let first = new;
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in &hunk.lines {
        if line.is_old() && line.is_new() {
            is_open = false;
        } else {
            if !is_open {
                blocks.push(Block { old: old..old, new: new..new });
            }
            is_open = true;
        }
        old += u32::from(line.is_old());
        new += u32::from(line.is_new());
        if let Some(block) = blocks.last_mut().filter(|_| is_open) {
            (block.old.end, block.new.end) = (old, new);
        }
    }
    Hunk { new: first..new, blocks }
}
