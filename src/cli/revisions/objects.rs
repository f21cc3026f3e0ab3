//! Contents of files, from the objects of a repository.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Read};

use harp_report::UserError;

use super::git::{Git, Running};

/// Both sides together have no more bytes.
const LARGEST_TOTAL: u64 = 1 << 30;
/// `ID TYPE SIZE`.
const LONGEST_LINE: u64 = 512;

/// The contents that were asked for, by id.
#[derive(Default)]
pub(crate) struct Objects {
    pub contents: BTreeMap<String, Vec<u8>>,
    /// Those that are larger than what is read, with their sizes.
    pub too_large: BTreeMap<String, u64>,
    /// Those that the clone does not have, or that are damaged.
    pub missing: BTreeSet<String>,
    /// What git says of damaged ones.
    pub damage: Option<String>,
}

/// Reads contents of at most `limit` bytes each.
pub(crate) fn read(git: &Git, ids: &BTreeSet<&str>, limit: u64) -> Result<Objects, UserError> {
    let unreadable =
        |reason: String| UserError::new("the files of a revision cannot be read").note(format!("git says: {reason}"));
    let Sizes { known: sizes, missing, damage } = sizes(git, ids).map_err(unreadable)?;
    let wanted: Vec<&str> = sizes.iter().filter(|(_, size)| **size <= limit).map(|(id, _)| *id).collect();
    let total: u64 = wanted.iter().filter_map(|id| sizes.get(id)).sum();
    if total > LARGEST_TOTAL {
        return Err(UserError::new(format!(
            "both revisions together have more than {} MiB of text",
            LARGEST_TOTAL >> 20
        ))
        .hint("set `--max-file-size` lower"));
    }
    let too_large = sizes.iter().filter(|(_, size)| **size > limit).map(|(id, size)| ((*id).to_owned(), *size));
    let too_large = too_large.collect();
    let contents = contents(git, &wanted, limit).map_err(unreadable)?;
    Ok(Objects { contents, too_large, missing, damage })
}

/// The sizes of objects, and which are not there.
#[derive(Default)]
struct Sizes<'a> {
    known: BTreeMap<&'a str, u64>,
    missing: BTreeSet<String>,
    damage: Option<String>,
}

fn sizes<'a>(git: &Git, ids: &BTreeSet<&'a str>) -> Result<Sizes<'a>, String> {
    let mut running = batch(git, "--batch-check", ids.iter().copied())?;
    let mut sizes = Sizes::default();
    for id in ids {
        match header(&mut running)? {
            Some(size) => drop(sizes.known.insert(*id, size)),
            None => drop(sizes.missing.insert((*id).to_owned())),
        }
    }
    // Of what is just not there, it says nothing.
    sizes.damage = running.process.end_saying()?.filter(|_| !sizes.missing.is_empty());
    Ok(sizes)
}

fn contents(git: &Git, ids: &[&str], limit: u64) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut running = batch(git, "--batch", ids.iter().copied())?;
    let mut contents = BTreeMap::new();
    for id in ids {
        let size = header(&mut running)?.filter(|size| *size <= limit).ok_or("an object changed")?;
        let mut bytes = Vec::new();
        (&mut running.output).take(size).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() as u64 != size {
            return Err(running.process.end().err().unwrap_or_else(|| "an object ends early".to_owned()));
        }
        // A line end stands behind each.
        let waiting = running.output.fill_buf().map_err(|error| error.to_string())?.len();
        running.output.consume(waiting.min(1));
        contents.insert((*id).to_owned(), bytes);
    }
    running.process.end()?;
    Ok(contents)
}

fn batch<'a>(git: &Git, option: &str, ids: impl Iterator<Item = &'a str>) -> Result<Running, String> {
    let input = git.input(ids).map_err(|error| error.to_string())?;
    git.start(&["cat-file", option], Some(input))
}

/// The size of the next object; `None` where it is not there.
fn header(running: &mut Running) -> Result<Option<u64>, String> {
    let line = running.until(b'\n', LONGEST_LINE).map_err(|error| error.to_string())?;
    let line = line.ok_or("it ends early")?;
    let line = String::from_utf8_lossy(&line);
    match line.split(' ').collect::<Vec<_>>().as_slice() {
        [_, "missing"] => Ok(None),
        [_, "blob", size] => size.parse().map(Some).map_err(|_| format!("an answer that is none: {line}")),
        _ => Err(format!("an object that is not a file: {line}")),
    }
}
