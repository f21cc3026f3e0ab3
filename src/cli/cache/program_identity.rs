//! Which build of Harp this is, for the cache's key. What it knows of libraries and its own rules are part of the
//! program, so that results of one build are not those of another. Linkers write such an identity, a digest of what
//! they linked, where the program begins; to read that takes a page, to digest the program takes longer than to check a
//! small file.

use std::env;
use std::path::Path;
use std::sync::OnceLock;

use harp_corpus::{Digest, read_bytes, read_start};

/// A larger program is none that results are kept of.
const LARGEST_PROGRAM: u64 = 1 << 30;

/// So far the headers of a program and its notes reach.
const START: u64 = 1 << 12;

/// A shorter identity may be one that somebody chose: digests have 16 bytes and more.
const SHORTEST_IDENTITY: usize = 16;

/// The program that runs.
pub(crate) fn of_this_program() -> Option<Digest> {
    static PROGRAM: OnceLock<Option<Digest>> = OnceLock::new();
    *PROGRAM.get_or_init(|| of_program(&env::current_exe().ok()?))
}

fn of_program(path: &Path) -> Option<Digest> {
    let start = read_start(path, START).ok()?;
    match build_id(&start) {
        // Headers tell the sizes of all parts, in case that somebody gave two builds one identity.
        Some(_) => Some(Digest::of(&(env!("CARGO_PKG_VERSION"), &start, path.metadata().ok()?.len()))),
        None => Some(Digest::of_bytes(&read_bytes(path, LARGEST_PROGRAM).ok()?)),
    }
}

/// The build id that a linker wrote into a program in ELF's form of 64 bits; `None` where the start of the program has none.
fn build_id(start: &[u8]) -> Option<&[u8]> {
    const NOTES: u32 = 4;
    if start.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let headers = usize::try_from(u64_at(start, 32)?).ok()?;
    let size = usize::from(u16_at(start, 54)?);
    let count = usize::from(u16_at(start, 56)?);
    (0..count).find_map(|number| {
        let header = start.get(headers.checked_add(number * size)?..)?;
        if u32_at(header, 0)? != NOTES {
            return None;
        }
        let from = usize::try_from(u64_at(header, 8)?).ok()?;
        let length = usize::try_from(u64_at(header, 32)?).ok()?;
        build_id_of_notes(start.get(from..from.checked_add(length)?)?)
    })
}

/// The build id among notes: each has the lengths of its name and content, its kind, and both in words of four bytes.
fn build_id_of_notes(mut notes: &[u8]) -> Option<&[u8]> {
    const BUILD_ID: u32 = 3;
    loop {
        let [name, content] = [u32_at(notes, 0)?, u32_at(notes, 4)?].map(|length| length as usize);
        let kind = u32_at(notes, 8)?;
        let content_at = 12 + name.checked_next_multiple_of(4)?;
        let end = content_at.checked_add(content)?;
        if kind == BUILD_ID && notes.get(12..12 + name) == Some(b"GNU\0") && content >= SHORTEST_IDENTITY {
            return notes.get(content_at..end);
        }
        notes = notes.get(end.checked_next_multiple_of(4)?..)?;
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start of a program with one header, of notes, and these notes behind it.
    fn program(notes: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 120];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64] = 4;
        bytes[72] = 120;
        bytes[96..100].copy_from_slice(&(notes.len() as u32).to_le_bytes());
        bytes.extend(notes);
        bytes
    }

    fn note(kind: u32, content: &[u8]) -> Vec<u8> {
        let mut note = [4, content.len() as u32, kind].map(u32::to_le_bytes).concat();
        note.extend(b"GNU\0");
        note.extend(content);
        note.resize(note.len().next_multiple_of(4), 0);
        note
    }

    #[test]
    fn the_build_id_is_found_behind_other_notes() {
        let id = [7; 20];
        let whole = program(&[note(1, &[1; 5]), note(3, &id)].concat());
        assert_eq!(build_id(&whole), Some(&id[..]));
        assert_eq!(build_id(&program(&note(1, &id))), None);
        assert_eq!(build_id(&program(&note(3, &[7; 4]))), None);
        // Whatever is cut off, or odd, there is none.
        for end in 0..whole.len() {
            assert_eq!(build_id(&whole[..end]), None, "{end}");
        }
        for at in 0..whole.len() {
            let mut odd = whole.clone();
            odd[at] ^= 0xff;
            build_id(&odd);
        }
    }

    #[test]
    fn programs_without_one_differ_by_their_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program");
        let of = |content: &[u8]| {
            std::fs::write(&path, content).expect("a file");
            of_program(&path).expect("a digest")
        };
        let (one, other) = ([note(3, &[7; 20])].concat(), [note(3, &[8; 20])].concat());
        assert_ne!(of(&program(&one)), of(&program(&other)));
        assert_ne!(of(b"one"), of(b"two"));
        assert_eq!(of(b"one"), of(b"one"));
    }
}
