//! Which files of settings beside the program are read: those that something asks for, in the folders that were given
//! alone.

use std::path::{Component, Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::load::read_text;
use crate::shown::{display_path, printable};
use crate::{Corpus, FileId, Question, SourceFile};

/// A larger file holds data rather than settings.
const LARGEST_SIZE: u64 = 256 << 10;
/// How the names of files end that hold settings.
const ENDINGS: [&str; 9] = ["cfg", "conf", "env", "ini", "json", "jsonnet", "toml", "yaml", "yml"];
/// How the names of those end that a user gives a program as its settings.
const FORMATS: [&str; 4] = ["json", "toml", "yaml", "yml"];
/// The folders in which they lie beside a script.
const FOLDERS: [&str; 6] = ["cfg", "cfgs", "conf", "config", "configs", "hparams"];
/// In a folder with more names than this no settings are looked for.
const MOST_NAMES: usize = 2_000;
/// How the names of files end that hold data as text.
const DATA_ENDINGS: [&str; 5] = ["csv", "jsonl", "ndjson", "tsv", "txt"];
/// How the names of files end that configurations and packs name.
const PACK_ENDINGS: [&str; 2] = ["dl", "md"];

/// Whether an analysis may read a file of that name: sources, notebooks, settings, data as text, configurations, packs.
pub fn may_be_read(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let mut known = ["py", "ipynb"].iter().chain(&ENDINGS).chain(&DATA_ENDINGS).chain(&PACK_ENDINGS);
    path.extension().is_some_and(|end| known.any(|known| end == *known)) || name == ".env"
}

/// The folder that was given, as the first part of the paths that a program knows its own files by: where it lies in truth is nobody's
/// concern.
pub const ROOT: &str = "/.../";

/// The data files of a corpus that is nowhere on disk, by path.
pub type DataFiles = FxHashMap<PathBuf, String>;

/// A file of settings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DataFile {
    /// As it is shown, like `SourceFile::display_path`.
    pub display_path: String,
    /// Relative to the folder that was given, behind `ROOT`: the same file has the same path.
    pub path: String,
    /// All of its text.
    pub text: String,
}

impl Corpus {
    /// The path by which a program knows the file `id` of its own; `None` for one of a package.
    pub fn known_path(&self, id: FileId) -> Option<String> {
        let file = self.file(id).filter(|_| !self.is_foreign(id))?;
        let below = file.path.strip_prefix(&file.root).ok()?;
        Some(format!("{ROOT}{}", slashed(below)?))
    }

    /// The file of Python whose text that is.
    pub fn file_of_text(&self, text: &str) -> Option<FileId> {
        self.files.iter().find(|file| file.text == text && !text.trim().is_empty()).map(|file| file.id)
    }

    /// The file of settings, or of Python, that a program names which begins in the file `from`. A relative path is looked for in the folder of that
    /// file, then in those around it, up to the folder that was given: in one of them the program is started. No link is followed.
    pub fn data_file(&self, from: FileId, path: &str) -> Option<DataFile> {
        let found = self.look_for_data(from, path);
        self.observed.note(Question::Data { from, path: path.to_owned() }, &found);
        found
    }

    fn look_for_data(&self, from: FileId, path: &str) -> Option<DataFile> {
        let source = self.file(from).filter(|_| !self.is_foreign(from))?;
        if let Some(id) = self.python_file(from, path) {
            let file = self.file(id)?;
            let (display_path, text) = (file.display_path.clone(), file.text.clone());
            return Some(DataFile { display_path, path: self.known_path(id)?, text });
        }
        let mut known = ENDINGS.iter().chain(&DATA_ENDINGS);
        let is_settings = Path::new(path).extension().is_some_and(|end| known.any(|known| end == *known))
            || path == ".env"
            || path.ends_with("/.env");
        if !is_settings || path.contains('\0') {
            return None;
        }
        if let Some(below) = path.strip_prefix(ROOT) {
            return self.read_data(source, &normal(Path::new(""), below)?);
        }
        if Path::new(path).is_absolute() || path.starts_with(['~', '$']) {
            return None;
        }
        let own = source.path.strip_prefix(&source.root).ok()?;
        own.ancestors().skip(1).find_map(|folder| self.read_data(source, &normal(folder, path)?))
    }

    /// The file of Python that a program names by its path, which begins in the file `from`, looked for as settings are.
    pub fn python_file(&self, from: FileId, path: &str) -> Option<FileId> {
        let source = self.file(from).filter(|_| !self.is_foreign(from))?;
        if !path.ends_with(".py") || path.contains('\0') {
            return None;
        }
        let at = |below: PathBuf| {
            let whole = source.root.join(below);
            self.files.iter().find(|file| file.path == whole).map(|file| file.id)
        };
        if let Some(below) = path.strip_prefix(ROOT) {
            return at(normal(Path::new(""), below)?);
        }
        if Path::new(path).is_absolute() || path.starts_with(['~', '$']) {
            return None;
        }
        let own = source.path.strip_prefix(&source.root).ok()?;
        own.ancestors().skip(1).find_map(|folder| at(normal(folder, path)?))
    }

    /// The files of settings in the folder of the file `from`, and in folders there that are named for settings, by their paths from that folder,
    /// in this order. No link is followed.
    pub fn settings_beside(&self, from: FileId) -> Vec<String> {
        let found = self.look_beside(from);
        self.observed.note(Question::SettingsBeside { from }, &found);
        found
    }

    fn look_beside(&self, from: FileId) -> Vec<String> {
        let Some(source) = self.file(from).filter(|_| !self.is_foreign(from)) else { return Vec::new() };
        let own = source.path.strip_prefix(&source.root).ok().and_then(Path::parent).unwrap_or(Path::new(""));
        let mut found = Vec::new();
        if let Some(data) = &self.data {
            let below = data.keys().filter_map(|path| path.strip_prefix(own).ok());
            found.extend(below.filter(|path| is_beside(path)).filter_map(slashed));
        } else {
            let folder = source.root.join(own);
            list_settings(&folder, "", &mut found);
            for name in names_in(&folder).into_iter().filter(|name| is_named_for_settings(name)) {
                list_settings(&folder.join(&name), &format!("{name}/"), &mut found);
            }
        }
        found.sort_by_key(|path| (path.matches('/').count(), path.clone()));
        found
    }

    fn read_data(&self, source: &SourceFile, below: &Path) -> Option<DataFile> {
        let path = format!("{ROOT}{}", slashed(below)?);
        let known = |display_path, text| Some(DataFile { display_path, path, text });
        if let Some(data) = &self.data {
            return known(printable(&below.to_string_lossy()), data.get(below)?.clone());
        }
        let mut whole = source.root.clone();
        for part in below.components() {
            whole.push(part);
            if whole.symlink_metadata().ok()?.is_symlink() {
                return None;
            }
        }
        let (text, _) = read_text(&whole, LARGEST_SIZE).ok()?;
        known(display_path(&whole), with_plain_breaks(text))
    }
}

/// Whether a path from a script's folder is one that a user would look for its settings at.
fn is_beside(path: &Path) -> bool {
    let Some(text) = slashed(path) else { return false };
    let folder = match text.rsplit_once('/') {
        None => return is_settings(&text),
        Some((folder, _)) => folder,
    };
    is_named_for_settings(folder) && is_settings(&text)
}

fn is_named_for_settings(folder: &str) -> bool {
    FOLDERS.contains(&folder)
}

fn is_settings(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| FORMATS.iter().any(|known| end == *known))
}

fn list_settings(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|data| data.is_symlink());
    if is_link(folder) {
        return;
    }
    let names = names_in(folder).into_iter();
    found.extend(names.filter(|name| is_settings(name)).map(|name| format!("{prefix}{name}")));
}

/// What a folder holds, sorted; nothing where it is none, or holds more than anyone chooses settings from.
fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().take(MOST_NAMES + 1).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    if names.len() > MOST_NAMES {
        return Vec::new();
    }
    names.sort();
    names
}

/// The text as Python reads it: each line ends in `\n`.
fn with_plain_breaks(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// A path below the folder that was given, without `.` and `..`; `None` where it leads out of it.
fn normal(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut normal = folder.to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => normal.push(part),
            Component::CurDir => {}
            Component::ParentDir if normal.pop() => {}
            _ => return None,
        }
    }
    Some(normal)
}

fn slashed(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{LoadOptions, load};

    #[test]
    fn paths_do_not_climb_out() {
        assert_eq!(normal(Path::new("a/b"), "../c.yaml"), Some(PathBuf::from("a/c.yaml")));
        assert_eq!(normal(Path::new("a"), "../../c.yaml"), None);
        assert_eq!(normal(Path::new(""), "./x/../c.yaml"), Some(PathBuf::from("c.yaml")));
    }

    #[test]
    fn settings_are_found_around_the_program_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let given = folder.path().join("given");
        fs::create_dir_all(given.join("src/conf")).unwrap();
        fs::write(given.join("src/main.py"), "x = 1\n").unwrap();
        fs::write(given.join("src/conf/a.yaml"), "a: 1\n").unwrap();
        fs::write(given.join("base.json"), "{\r\n\r}").unwrap();
        fs::write(given.join("secret.key"), "x").unwrap();
        fs::write(given.join("big.json"), " ".repeat(300_000)).unwrap();
        fs::write(folder.path().join("out.yaml"), "a: 1\n").unwrap();
        let corpus = load(std::slice::from_ref(&given), &LoadOptions::default()).unwrap();
        let found = |path: &str| corpus.data_file(FileId(0), path).map(|file| file.path);
        assert_eq!(found("conf/a.yaml").as_deref(), Some("/.../src/conf/a.yaml"));
        assert_eq!(found("/.../src/conf/a.yaml").as_deref(), Some("/.../src/conf/a.yaml"));
        assert_eq!(found("base.json").as_deref(), Some("/.../base.json"));
        let text = corpus.data_file(FileId(0), "base.json").map(|file| file.text);
        assert_eq!(text.as_deref(), Some("{\n\n}"), "line ends are those of Python");
        assert_eq!(corpus.known_path(FileId(0)).as_deref(), Some("/.../src/main.py"));
        for path in
            ["../out.yaml", "../../out.yaml", "/.../../out.yaml", "secret.key", "big.json", "/etc/a.yaml", "conf"]
        {
            assert_eq!(found(path), None, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let given = folder.path().join("given");
        fs::create_dir_all(&given).unwrap();
        fs::write(given.join("main.py"), "x = 1\n").unwrap();
        fs::write(folder.path().join("out.yaml"), "a: 1\n").unwrap();
        std::os::unix::fs::symlink(folder.path().join("out.yaml"), given.join("a.yaml")).unwrap();
        std::os::unix::fs::symlink(folder.path(), given.join("up")).unwrap();
        let corpus = load(std::slice::from_ref(&given), &LoadOptions::default()).unwrap();
        assert_eq!(corpus.data_file(FileId(0), "a.yaml"), None);
        assert_eq!(corpus.data_file(FileId(0), "up/out.yaml"), None);
    }
}
