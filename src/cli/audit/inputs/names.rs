//! Names for repositories that lie in folders: the last parts of their paths, as many as tell them apart.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::archive;
use crate::audit::unit::{Source, Unit};

/// Repositories without names.
#[derive(Debug, Default)]
pub(super) struct Named {
    found: BTreeMap<PathBuf, (usize, Source)>,
}

impl Named {
    /// Adds one, with the parts of its path that its name has at least. One that is there already counts once.
    pub fn add(&mut self, path: &Path, parts: usize, source: Source) {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.found.entry(path).or_insert((parts, source));
    }

    /// All of them, with names that no two share.
    pub fn units(self) -> Vec<Unit> {
        let mut endings: BTreeMap<PathBuf, usize> = BTreeMap::new();
        for path in self.found.keys() {
            *endings.entry(path.with_file_name(last(path, false))).or_default() += 1;
        }
        // What differs by an ending alone keeps it.
        let has_ending =
            |path: &Path| endings.get(&path.with_file_name(last(path, false))).is_some_and(|uses| *uses > 1);
        let name = |path: &Path, parts: usize| name(path, parts, has_ending(path));
        let mut found: Vec<(PathBuf, usize, Source)> =
            self.found.into_iter().map(|(path, (parts, source))| (path, parts, source)).collect();
        let deepest = found.iter().map(|(path, ..)| path.components().count()).max().unwrap_or(0);
        for _ in 0..deepest {
            let mut uses: BTreeMap<String, usize> = BTreeMap::new();
            for (path, parts, _) in &found {
                *uses.entry(name(path, *parts)).or_default() += 1;
            }
            let mut is_settled = true;
            for (path, parts, _) in &mut found {
                if uses.get(&name(path, *parts)).is_some_and(|uses| *uses > 1) && *parts < path.components().count() {
                    *parts += 1;
                    is_settled = false;
                }
            }
            if is_settled {
                break;
            }
        }
        let unit = |(path, parts, source): (PathBuf, usize, Source)| Unit { name: name(&path, parts), source };
        found.into_iter().map(unit).collect()
    }
}

/// The last part of a name: without the ending of an archive or of a bare repository, unless that is wanted.
fn last(path: &Path, has_ending: bool) -> String {
    let Some(whole) = path.file_name().map(written) else {
        return "root".to_owned();
    };
    let stem = match archive::stem(path).filter(|_| path.is_file()) {
        Some(stem) => Some(stem),
        None => whole.strip_suffix(".git").filter(|stem| !stem.is_empty()),
    };
    stem.filter(|_| !has_ending).map_or(whole.clone(), ToOwned::to_owned)
}

fn name(path: &Path, parts: usize, has_ending: bool) -> String {
    let folders = path.parent().into_iter().flat_map(Path::components).filter_map(|part| match part {
        Component::Normal(name) => Some(written(name)),
        _ => None,
    });
    let folders: Vec<String> = folders.collect();
    let first = folders.len().saturating_sub(parts.saturating_sub(1));
    let last = last(path, has_ending);
    folders[first..].iter().map(String::as_str).chain([last.as_str()]).collect::<Vec<_>>().join("/")
}

/// The name of a folder as text: bytes that are none are written as `\xff`, and so are backslashes before an `x`, so that no two names become one.
fn written(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace("\\x", "\\x5cx"));
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_are_told_apart() {
        use std::os::unix::ffi::OsStrExt;
        let mut named = Named::default();
        for name in [b"a\xff".as_slice(), b"a\xfe", b"a\\xff", b"a\\b"] {
            let path = Path::new("/none").join(OsStr::from_bytes(name));
            named.add(&path, 1, Source::Refused(String::new()));
        }
        let names: Vec<String> = named.units().into_iter().map(|unit| unit.name).collect();
        assert_eq!(names, [r"a\b", r"a\x5cxff", r"a\xfe", r"a\xff"]);
    }

    fn names(paths: &[(&str, usize)]) -> Vec<String> {
        let mut named = Named::default();
        for (path, parts) in paths {
            named.add(Path::new(path), *parts, Source::Refused(String::new()));
        }
        named.units().into_iter().map(|unit| unit.name).collect()
    }

    #[test]
    fn a_name_has_as_many_parts_as_tell_it_apart() {
        assert_eq!(names(&[("/none/a/x", 1), ("/none/b/y.git", 1)]), ["x", "y"]);
        assert_eq!(names(&[("/none/a/x", 1), ("/none/b/x", 1), ("/none/b/z", 1)]), ["a/x", "b/x", "z"]);
        assert_eq!(names(&[("/none/a/x", 2)]), ["a/x"]);
        assert_eq!(names(&[("/none/a/x", 1), ("/none/a/x.git", 1)]), ["x", "x.git"]);
        assert_eq!(names(&[("/none/a/x", 1), ("/none/a/x", 1)]), ["x"]);
    }
}
