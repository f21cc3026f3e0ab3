//! The files of a repository in an archive: `tar`, also compressed, and `zip`, of which wheels are.
//!
//! Nothing is unpacked to disk. An entry is read where an analysis may read it, and no link is followed; how much is taken from the compressed form
//! is bounded beside the size of files, since a small archive may have terabytes of zeros.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use harp_corpus::open_file;

use crate::audit::unit::{Refusal, Tree};
use crate::revisions::tree::is_wanted;

/// More is taken from no archive, with what is passed over.
const MOST_BYTES: u64 = 8 << 30;
/// An archive may have so many times its own size, where it has more than is harmless anyway.
const LARGEST_RATIO: u64 = 50;
/// So much is harmless.
const HARMLESS: u64 = 256 << 20;
/// More entries are looked at in none.
const MOST_ENTRIES: usize = 1_000_000;

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
    let tree = match &start[..length] {
        [b'P', b'K', ..] => of_zip(file, limit, most),
        [0x1f, 0x8b, ..] => of_tar(flate2::read::MultiGzDecoder::new(BufReader::new(file)), limit, most),
        [0x28, 0xb5, 0x2f, 0xfd] => of_tar(zstd::stream::read::Decoder::new(file).map_err(damaged)?, limit, most),
        _ => of_tar(BufReader::new(file), limit, most),
    }?;
    Ok(tree.without_shared_folder())
}

fn of_tar(input: impl Read, limit: u64, most: u64) -> Result<Tree, Refusal> {
    let mut archive = tar::Archive::new(Bounded { input, left: most });
    let mut tree = Tree::default();
    for (index, entry) in archive.entries().map_err(damaged)?.enumerate() {
        let mut entry = entry.map_err(damaged)?;
        if index >= MOST_ENTRIES {
            return Err(format!("it has more than {MOST_ENTRIES} entries"));
        }
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path_bytes().into_owned();
        let path = path.strip_prefix(b"./").map_or(path.clone(), <[u8]>::to_vec);
        let size = entry.size();
        tree.add(&path, || content(&mut entry, size, limit))?;
    }
    Ok(tree)
}

fn of_zip(file: File, limit: u64, most: u64) -> Result<Tree, Refusal> {
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(error.into()))?;
    if archive.len() > MOST_ENTRIES {
        return Err(format!("it has more than {MOST_ENTRIES} entries"));
    }
    let mut left = most;
    let mut tree = Tree::default();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| damaged(error.into()))?;
        if !entry.is_file() || entry.is_symlink() {
            continue;
        }
        let (path, size) = (entry.name_raw().to_vec(), entry.size());
        let is_read = std::str::from_utf8(&path).is_ok_and(|path| is_wanted(Path::new(path)));
        let mut entry = Bounded { input: entry, left };
        tree.add(&path, || content(&mut entry, size, limit))?;
        if is_read {
            left = entry.left;
        }
    }
    Ok(tree)
}

/// The bytes of an entry that says that it has so many; `None` where it is larger than what is read.
fn content(entry: &mut impl Read, size: u64, limit: u64) -> Result<Option<Vec<u8>>, Refusal> {
    if size > limit {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    // It may say less than it has.
    entry.take(limit + 1).read_to_end(&mut bytes).map_err(damaged)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

fn damaged(error: io::Error) -> Refusal {
    match error.get_ref().is_some_and(|cause| cause.is::<TooMuch>()) {
        true => TooMuch.to_string(),
        false => format!("a damaged archive: {error}"),
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
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| io::Error::other(TooMuch))?;
        Ok(read)
    }
}

#[derive(Debug)]
struct TooMuch;

impl std::fmt::Display for TooMuch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("unpacked, the archive has too many times its size")
    }
}

impl std::error::Error for TooMuch {}
