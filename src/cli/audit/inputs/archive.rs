//! The files of a repository in an archive: `tar`, also compressed, and `zip`, of which wheels are.
//!
//! Nothing is unpacked to disk. An entry is read where an analysis may read it, and no link is followed; how much is taken from the compressed form
//! is bounded beside the size of files, since a small archive may have terabytes of zeros.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use harp_corpus::open_file;

use crate::audit::unit::{Refusal, Tree};
use crate::revisions::tree::safe_path;

/// More is taken from no archive, with what is passed over.
const MOST_BYTES: u64 = 8 << 30;
/// An archive may have so many times its own size, where it has more than is harmless anyway.
const LARGEST_RATIO: u64 = 50;
/// So much is harmless.
const HARMLESS: u64 = 256 << 20;
/// More entries are looked at in none.
const MOST_ENTRIES: usize = 1_000_000;

/// The header of an entry has no more bytes, with the blocks around it.
const LARGEST_HEADER: u64 = 4 << 20;

/// How names of archives end.
const ENDINGS: [&str; 8] = [".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst", ".zip", ".whl", ".egg"];

/// Whether a file has the name of an archive.
pub(in crate::audit) fn is_archive(path: &Path) -> bool {
    stem(path).is_some()
}

/// The name of an archive without its ending.
pub(in crate::audit) fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    ENDINGS
        .iter()
        .filter_map(|end| name.strip_suffix(end))
        .filter(|stem| !stem.is_empty())
        .min_by_key(|stem| stem.len())
}

/// Reads an archive by its first bytes, whatever its name says.
pub(in crate::audit) fn read(path: &Path, limit: u64) -> Result<Tree, Refusal> {
    let mut file = open_file(path).map_err(|error| error.to_string())?;
    let size = file.metadata().map_err(damaged)?.len();
    let most = MOST_BYTES.min(HARMLESS.max(size.saturating_mul(LARGEST_RATIO)));
    let mut start = [0; 4];
    let length = file.read(&mut start).map_err(damaged)?;
    file.seek(SeekFrom::Start(0)).map_err(damaged)?;
    match &start[..length] {
        [b'P', b'K', ..] => of_zip(file, limit, most),
        [0x1f, 0x8b, ..] => of_tar(flate2::read::MultiGzDecoder::new(BufReader::new(file)), limit, most),
        [0x28, 0xb5, 0x2f, 0xfd] => of_tar(zstd::stream::read::Decoder::new(file).map_err(damaged)?, limit, most),
        _ => of_tar(BufReader::new(file), limit, most),
    }
}

fn of_tar(input: impl Read, limit: u64, most: u64) -> Result<Tree, Refusal> {
    let until_entry = Rc::new(Cell::new(LARGEST_HEADER));
    let input = BoundedHeaders { input: Bounded { input, left: most }, left: Rc::clone(&until_entry) };
    let mut archive = tar::Archive::new(input);
    let (mut tree, mut shared) = (Tree::new(limit), Shared::default());
    for (index, entry) in archive.entries().map_err(damaged)?.enumerate() {
        let mut entry = entry.map_err(damaged)?;
        if index >= MOST_ENTRIES {
            return Err(format!("it has more than {MOST_ENTRIES} entries"));
        }
        let (kind, size) = (entry.header().entry_type(), entry.size());
        let stored = if kind.is_gnu_sparse() { entry.header().entry_size().map_err(damaged)? } else { size };
        // What is not read of this one is passed over before the next one.
        until_entry.set(stored.saturating_add(LARGEST_HEADER));
        let path = entry.path_bytes().into_owned();
        let path = path.strip_prefix(b"./").unwrap_or(&path);
        if kind.is_dir() {
            shared.folder(path);
            continue;
        }
        shared.file(path);
        if kind.is_file() || kind.is_gnu_sparse() {
            tree.add(path, size, || content(&mut entry, limit))?;
        }
    }
    Ok(shared.left_out_of(tree))
}

fn of_zip(file: File, limit: u64, most: u64) -> Result<Tree, Refusal> {
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(error.into()))?;
    if archive.len() > MOST_ENTRIES {
        return Err(format!("it has more than {MOST_ENTRIES} entries"));
    }
    let mut left = most;
    let (mut tree, mut shared) = (Tree::new(limit), Shared::default());
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| damaged(error.into()))?;
        let (path, size) = (entry.name_raw().to_vec(), entry.size());
        if entry.is_dir() {
            shared.folder(&path);
            continue;
        }
        shared.file(&path);
        if entry.is_symlink() {
            continue;
        }
        let mut entry = Bounded { input: entry, left };
        tree.add(&path, size, || content(&mut entry, limit))?;
        left = entry.left;
    }
    Ok(shared.left_out_of(tree))
}

/// The bytes of an entry; `None` where it is larger than what is read, whatever it says.
fn content(entry: &mut impl Read, limit: u64) -> Result<Option<Vec<u8>>, Refusal> {
    let mut bytes = Vec::new();
    entry.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(damaged)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// The folder that all entries of an archive lie in, also those that no analysis reads, such as archives of a revision have one.
#[derive(Default)]
struct Shared {
    folder: Option<PathBuf>,
    /// Something lies beside it.
    is_none: bool,
}

impl Shared {
    /// An archive that has its root as an entry was made of it.
    fn folder(&mut self, path: &[u8]) {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        match path {
            b"" | b"." => self.is_none = true,
            path => self.add(path, true),
        }
    }

    fn file(&mut self, path: &[u8]) {
        self.add(path, false);
    }

    fn add(&mut self, path: &[u8], is_folder: bool) {
        // One that leads out is nowhere.
        let Some(path) = safe_path(path).filter(|_| !self.is_none) else { return };
        let mut parts = path.components();
        let first = parts.next().map(|part| PathBuf::from(part.as_os_str()));
        let is_below = is_folder || parts.next().is_some();
        self.is_none = !is_below || self.folder.as_ref().is_some_and(|folder| Some(folder) != first.as_ref());
        self.folder = self.folder.take().or(first);
    }

    fn left_out_of(self, tree: Tree) -> Tree {
        match self.folder.filter(|_| !self.is_none) {
            Some(folder) => tree.without_folder(&folder),
            None => tree,
        }
    }
}

fn damaged(error: io::Error) -> Refusal {
    match error.get_ref().and_then(|cause| cause.downcast_ref::<TooMuch>()) {
        Some(what) => what.to_string(),
        None => format!("a damaged archive: {error}"),
    }
}

/// Input that ends with an error where it is too much.
struct Bounded<R> {
    input: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| io::Error::other(TooMuch::Archive))?;
        Ok(read)
    }
}

/// The same until the next entry: what is told before one, such as its name, is held in memory.
struct BoundedHeaders<R> {
    input: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for BoundedHeaders<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64).ok_or_else(|| io::Error::other(TooMuch::Header))?;
        self.left.set(left);
        Ok(read)
    }
}

#[derive(Debug)]
enum TooMuch {
    Archive,
    Header,
}

impl std::fmt::Display for TooMuch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TooMuch::Archive => formatter.write_str("unpacked, the archive has too many times its size"),
            TooMuch::Header => write!(formatter, "an entry has a header of more than {} MiB", LARGEST_HEADER >> 20),
        }
    }
}

impl std::error::Error for TooMuch {}
