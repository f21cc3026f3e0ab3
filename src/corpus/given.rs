//! Reads files of which nothing is known but the path: a regular file within a limit, or the reason why it is not read. Nothing else is
//! opened: a pipe would block, and a device might never end.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Why a file is not read. Shown, it is the end of a sentence such as "the file cannot be read: …".
#[derive(Debug)]
pub enum FileError {
    /// A folder, a device, a pipe or a socket.
    NotRegular,
    /// It has this many bytes, or more; only so many are read.
    TooLarge {
        size: u64,
        limit: u64,
    },
    /// It is not text in UTF-8.
    NotText,
    Unreadable(io::Error),
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::NotRegular => formatter.write_str("it is not a regular file"),
            FileError::TooLarge { limit, .. } if *limit >= 1 << 20 => {
                write!(formatter, "it is larger than {} MiB", limit >> 20)
            }
            FileError::TooLarge { limit, .. } => write!(formatter, "it is larger than {limit} bytes"),
            FileError::NotText => formatter.write_str("it is not UTF-8 text"),
            FileError::Unreadable(error) => write!(formatter, "{error}"),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> FileError {
        FileError::Unreadable(error)
    }
}

/// The bytes of a file; a link stands for what it leads to.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return if is_null(path) { Ok(Vec::new()) } else { Err(FileError::NotRegular) };
    }
    if metadata.len() > limit {
        return Err(FileError::TooLarge { size: metadata.len(), limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len() + 1).unwrap_or(0));
    // The file may have grown since, and some, such as those of `/proc`, do not tell their size.
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { size: bytes.len() as u64, limit });
    }
    Ok(bytes)
}

/// The text of a file in UTF-8; a link stands for what it leads to.
pub fn read_utf8(path: &Path, limit: u64) -> Result<String, FileError> {
    String::from_utf8(read_bytes(path, limit)?).map_err(|_| FileError::NotText)
}

/// `/dev/null` is how many say that they want an empty file.
fn is_null(path: &Path) -> bool {
    cfg!(unix) && path.canonicalize().is_ok_and(|path| path == Path::new("/dev/null"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, b"text").expect("a file");
        assert_eq!(read_utf8(&file, 4).expect("it fits"), "text");
        assert!(matches!(read_bytes(&file, 3), Err(FileError::TooLarge { size: 4, limit: 3 })));
        assert!(matches!(read_bytes(folder.path(), 4), Err(FileError::NotRegular)));
        assert!(matches!(read_bytes(&folder.path().join("none"), 4), Err(FileError::Unreadable(_))));
        fs::write(&file, b"\xff").expect("a file");
        assert!(matches!(read_utf8(&file, 4), Err(FileError::NotText)));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_opened() {
        assert!(matches!(read_bytes(Path::new("/dev/zero"), 4), Err(FileError::NotRegular)));
        assert_eq!(read_utf8(Path::new("/dev/null"), 4).expect("nothing"), "");
    }
}
