//! The paths of files that are read, as they are shown: as text that leaves a terminal as it is, and as URIs for
//! programs.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Component, Path, Prefix};

/// A path as people and as programs read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShownPath {
    /// As the user would write it from the current folder: with `/` between its parts, and harmful characters written out. What is no
    /// Unicode in it is lost.
    pub text: String,
    /// A URI reference (RFC 3986) with the very bytes of the path. A relative path stays relative.
    pub uri: String,
}

impl ShownPath {
    /// How `path` is shown: relative to the current folder where it lies below it, as it is elsewhere. No link is followed.
    pub fn of(path: &Path) -> ShownPath {
        let current = std::env::current_dir().unwrap_or_default();
        let path = path.strip_prefix(&current).unwrap_or(path);
        let mut shown = ShownPath::default();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::Prefix(prefix) => {
                    shown.text.push_str(&printable(&prefix.as_os_str().to_string_lossy()));
                    shown.uri.push_str(&uri_start(prefix.kind()));
                }
                Component::RootDir => {
                    shown.text.push('/');
                    shown.uri.push_str(if shown.uri.is_empty() { "file:///" } else { "/" });
                }
                Component::ParentDir | Component::Normal(_) => {
                    let part = component.as_os_str();
                    for separated in [&mut shown.text, &mut shown.uri] {
                        if !separated.is_empty() && !separated.ends_with('/') {
                            separated.push('/');
                        }
                    }
                    shown.text.push_str(&printable(&part.to_string_lossy()));
                    percent_encode(part.as_encoded_bytes(), &mut shown.uri);
                }
            }
        }
        shown
    }
}

/// The drive or the server of a Windows path.
fn uri_start(prefix: Prefix<'_>) -> String {
    match prefix {
        Prefix::Disk(drive) | Prefix::VerbatimDisk(drive) => format!("file:///{}:", char::from(drive)),
        Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
            let mut start = String::from("file://");
            percent_encode(server.as_encoded_bytes(), &mut start);
            start.push('/');
            percent_encode(share.as_encoded_bytes(), &mut start);
            start
        }
        Prefix::Verbatim(name) | Prefix::DeviceNS(name) => {
            let mut start = String::from("file:///");
            percent_encode(name.as_encoded_bytes(), &mut start);
            start
        }
    }
}

/// Everything but RFC 3986's unreserved characters: a `:` in the first part would end a scheme, and `%`, `#` and `?` mean something too.
fn percent_encode(bytes: &[u8], uri: &mut String) {
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(*byte)),
            // Writing to a text does not fail.
            other => drop(write!(uri, "%{other:02X}")),
        }
    }
}

/// The path as the user would write it from the current folder.
pub(super) fn display_path(path: &Path) -> String {
    ShownPath::of(path).text
}

/// A path in a message for people.
pub(super) fn in_message(path: &Path) -> String {
    shortened(&printable(&path.to_string_lossy())).into_owned()
}

/// The text with everything written out that could move the cursor or hide text in a terminal.
pub(super) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_harmful(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Control characters (also the C1 range with its one-character CSI), and characters that reorder or hide text.
#[inline]
pub fn is_harmful(character: char) -> bool {
    // Reports have megabytes of these.
    if matches!(character, ' '..='~') {
        return false;
    }
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Longer paths are cut in messages.
pub const LONGEST_PATH: usize = 200;

/// A path of at most [`LONGEST_PATH`] characters: of a longer one the beginning and the end, which say more than its middle.
pub fn shortened(path: &str) -> Cow<'_, str> {
    const KEPT: usize = LONGEST_PATH / 2;
    if path.len() <= LONGEST_PATH || path.chars().nth(LONGEST_PATH).is_none() {
        return Cow::Borrowed(path);
    }
    let start = path.char_indices().nth(KEPT).map_or(path.len(), |(index, _)| index);
    let end = path.char_indices().rev().nth(KEPT - 2).map_or(0, |(index, _)| index);
    Cow::Owned(format!("{}…{}", &path[..start], &path[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(path: &str) -> String {
        ShownPath::of(Path::new(path)).uri
    }

    #[test]
    fn paths_are_shown_from_the_current_folder() {
        let current = std::env::current_dir().unwrap();
        assert_eq!(display_path(&current.join("a").join("b.py")), "a/b.py");
        assert_eq!(display_path(Path::new("./a/./b.py")), "a/b.py");
        assert_eq!(display_path(Path::new("../a\n.py")), "../a\\n.py");
        assert_eq!(display_path(Path::new("/x/y.py")), "/x/y.py");
        assert_eq!(display_path(Path::new("/")), "/");
        assert_eq!(uri(&current.join("a/b.py").to_string_lossy()), "a/b.py");
        assert_eq!(uri("./a/./b.py"), "a/b.py");
    }

    #[cfg(unix)]
    #[test]
    fn uris_have_the_bytes_of_the_path() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(uri("a%20b #1?.py"), "a%2520b%20%231%3F.py");
        assert_eq!(uri("c:d/e:f.py"), "c%3Ad/e%3Af.py");
        assert_eq!(uri("a\\b.py"), "a%5Cb.py");
        assert_eq!(uri("../é\n.py"), "../%C3%A9%0A.py");
        assert_eq!(uri("/x y/z.py"), "file:///x%20y/z.py");
        let bytes = Path::new(OsStr::from_bytes(b"\xff\xfe.py"));
        assert_eq!(ShownPath::of(bytes), ShownPath { text: "\u{fffd}\u{fffd}.py".into(), uri: "%FF%FE.py".into() });
    }

    #[test]
    fn nothing_shown_moves_the_cursor() {
        assert_eq!(printable("a\u{1b}[2Jé\n\u{202e}"), "a\\u{1b}[2Jé\\n\\u{202e}");
    }

    #[test]
    fn the_middle_of_long_paths_is_left_out() {
        assert!(matches!(shortened(&"ä".repeat(LONGEST_PATH)), Cow::Borrowed(_)));
        let long = format!("start/{}/end.py", "ä/".repeat(5000));
        let cut = shortened(&long);
        assert!(cut.starts_with("start/ä/") && cut.ends_with("/end.py") && cut.contains('…'), "{cut}");
        assert_eq!(cut.chars().count(), LONGEST_PATH);
    }
}
