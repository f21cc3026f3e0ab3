//! The gate for writing: files and folders that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::SystemTime;

use harp_corpus::{NamedPath, read_start};
use harp_report::{Guard, Notation};

use super::content::{Content, START};
use super::gate::{self, Refusal};
use super::unfinished::{Unfinished, overwrite};

/// Writes a report where the user says, through a [`Guard`]: to a temporary file beside it, which then gets its name, so that no reader sees half of it.
/// A pipe or a device outside of projects is written to directly.
///
/// # Errors
///
/// Where the gate does not let it, or the system does not.
pub fn write_report(
    path: &Path,
    notation: Notation,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Refusal> {
    // What stands there already is the shell's, as where it goes on writing.
    if let Some(device) = gate::device(path).filter(|device| device.is_file()) {
        return Ok(fill(File::options().append(true).open(device)?, notation, render)?);
    }
    let place = gate::place_of_file(&NamedPath::by_user(path))?;
    let old = fs::metadata(&place);
    if let Ok(old) = &old
        && !old.is_file()
    {
        // Who names a folder does not want its name for a file.
        return match old.is_dir() || gate::is_of_project(&place) {
            true => Err(Refusal::NotRegular),
            false => Ok(fill(File::options().write(true).open(&place)?, notation, render)?),
        };
    }
    if old.is_ok() {
        // Who may not write to a file may not replace it either.
        File::options().write(true).open(&place)?;
    }
    match Unfinished::file_in(place.parent().unwrap_or(Path::new(""))) {
        Ok((unfinished, file)) => {
            fill(file, notation, render)?;
            let start = read_start(unfinished.path(), START).unwrap_or_default();
            gate::may_replace(&place, Content::Report(&start))?;
            Ok(unfinished.replace(&place)?)
        }
        // A file in a folder that takes no others.
        Err(_) if old.is_ok() => {
            let mut whole = Vec::new();
            render(&mut Guard::new(&mut whole, notation))?;
            let start = whole.len().min(usize::try_from(START).unwrap_or(usize::MAX));
            gate::may_replace(&place, Content::Report(&whole[..start]))?;
            Ok(overwrite(&place, whole.as_slice())?)
        }
        Err(error) => Err(error.into()),
    }
}

/// Writes a baseline over a baseline, or where nothing is.
///
/// # Errors
///
/// As those of reports.
pub fn write_baseline(named: &NamedPath, text: &str) -> Result<(), Refusal> {
    let place = gate::place_of_file(named)?;
    gate::may_replace(&place, Content::Baseline)?;
    let (unfinished, mut file) = Unfinished::file_in(place.parent().unwrap_or(Path::new("")))?;
    file.write_all(text.as_bytes())?;
    drop(file);
    Ok(unfinished.replace(&place)?)
}

/// Writes the files of a folder to one of another name, and moves them when all are complete.
///
/// # Errors
///
/// As those of reports; of what is in the folder already, only files that Harp would write may be replaced.
pub fn write_folder(folder: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), Refusal> {
    let target = gate::place(&NamedPath::by_user(folder))?;
    let is_there = target.is_dir();
    let parent = if is_there { &target } else { target.parent().unwrap_or(Path::new("")) };
    fs::create_dir_all(parent)?;
    let unfinished = Unfinished::folder_in(parent)?;
    fill(unfinished.path())?;
    if is_there {
        for child in fs::read_dir(unfinished.path())? {
            gate::may_replace(&target.join(child?.file_name()), Content::OfFolder)?;
        }
    }
    Ok(unfinished.merge_into(&target)?)
}

/// Writes a file that nobody reads yet, in a folder that Harp made.
///
/// # Errors
///
/// Where it is there already, or the system does not let it.
pub fn write_new(
    path: &Path,
    notation: Notation,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    fill(File::options().write(true).create_new(true).open(path)?, notation, render)
}

/// Adds to the end of a file that nobody reads yet, in a folder that Harp made. Each addition begins a line.
///
/// # Errors
///
/// Where the system does not let it.
#[cfg(feature = "tables")]
pub fn add_to(
    path: &Path,
    notation: Notation,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    fill(File::options().append(true).create(true).open(path)?, notation, render)
}

/// Writes a new file of bytes, which are written as they are. Folders on the way are made.
///
/// # Errors
///
/// The same.
pub fn put_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    File::create_new(path)?.write_all(bytes)
}

/// Makes a folder, and those around it, in one that Harp made.
///
/// # Errors
///
/// Where the system does not let it.
pub fn make_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Makes a folder, and those around it, that are their owner's alone.
///
/// # Errors
///
/// Where the system does not let it.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes a file that its owner alone may read, whole or not at all, in a folder of Harp's own.
///
/// # Errors
///
/// Where the system does not let it.
pub fn put_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (unfinished, mut file) = Unfinished::private_file_in(path.parent().unwrap_or(Path::new("")))?;
    file.write_all(bytes)?;
    unfinished.rename(path)
}

/// Notes that a file was used now.
///
/// # Errors
///
/// Where the system does not let it.
pub fn touch(path: &Path) -> io::Result<()> {
    File::options().append(true).open(path)?.set_modified(SystemTime::now())
}

/// Removes a file of Harp's own.
///
/// # Errors
///
/// Where the system does not let it.
pub fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

fn fill(file: File, notation: Notation, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(Guard::new(file, notation));
    render(&mut out)?;
    out.flush()
}
