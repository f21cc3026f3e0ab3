//! Which versions of libraries a project's requirements name, for the configuration.

use std::collections::BTreeMap;
use std::path::Path;

use harp_annotations::Target;
use harp_corpus::read_bytes;

use crate::config::targets::libraries;
use crate::project_folders::{ProjectFolder, at_and_above};

/// A longer file is no list of requirements.
const LONGEST_FILE: u64 = 1 << 20;

/// At most so many files of requirements in a folder are read.
const MOST_FILES: usize = 16;

/// The targets that the requirements in the nearest folder at or above `path` tell that has some. The search ends at the root of a git
/// checkout; without one at the folder `configured` in which the configuration was found, else at the current folder, else at the path
/// itself. What cannot be read, or is not understood, tells nothing.
pub fn detect(path: &Path, configured: Option<&Path>) -> BTreeMap<Box<str>, Target> {
    let current = std::env::current_dir().ok();
    let folders = at_and_above(path);
    let is_above = |outermost: &&Path| folders.iter().any(|folder| folder.shown == **outermost);
    let outermost = configured.or(current.as_deref()).filter(is_above);
    let outermost = outermost.or(folders.first().map(|folder| folder.shown.as_path())).map(Path::to_owned);
    for folder in folders.iter().take(32) {
        let found = in_folder(folder);
        if !found.is_empty() {
            return found;
        }
        if !folder.is_checked_out && outermost.as_deref() == Some(&folder.shown) {
            break;
        }
    }
    BTreeMap::new()
}

fn in_folder(folder: &ProjectFolder) -> BTreeMap<Box<str>, Target> {
    let Ok(children) = std::fs::read_dir(&folder.real) else { return BTreeMap::new() };
    let mut names: Vec<String> = children
        .filter_map(Result::ok)
        .filter_map(|child| child.file_name().into_string().ok())
        .filter(|name| is_wanted(name))
        .collect();
    names.sort();
    let mut targets = BTreeMap::new();
    for name in names.into_iter().take(MOST_FILES) {
        let Some(text) = read(&folder.real.join(&name)) else { continue };
        let requirements = match name.as_str() {
            "pyproject.toml" => of_project(&text),
            // What a script says of requirements stands in texts of its own: `install_requires=["torch>=1.8", "numpy"]`.
            "setup.py" => text.split(['"', '\'']).map(str::to_owned).collect(),
            _ => text.lines().map(str::to_owned).collect(),
        };
        for (library, target) in requirements.iter().filter_map(|line| requirement(line)) {
            targets.entry(library.into()).or_insert_with(|| target.from_origin(&name));
        }
    }
    targets
}

fn is_wanted(name: &str) -> bool {
    matches!(name, "pyproject.toml" | "setup.cfg" | "setup.py" | "environment.yml" | "environment.yaml")
        || (name.starts_with("requirements") && name.ends_with(".txt"))
}

/// The text of a plain file; links are not followed.
fn read(path: &Path) -> Option<String> {
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let bytes = read_bytes(path, LONGEST_FILE).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The dependencies in a `pyproject.toml`, each as a line of requirements.
fn of_project(text: &str) -> Vec<String> {
    let Ok(table) = toml::from_str::<toml::Table>(text) else { return Vec::new() };
    let mut lines = Vec::new();
    let listed = table.get("project").and_then(|project| project.get("dependencies")).and_then(toml::Value::as_array);
    lines.extend(listed.into_iter().flatten().filter_map(|line| line.as_str().map(str::to_owned)));
    let poetry = table.get("tool").and_then(|tool| tool.get("poetry")).and_then(|poetry| poetry.get("dependencies"));
    for (name, version) in poetry.and_then(toml::Value::as_table).into_iter().flatten() {
        let version = version.as_str().or_else(|| version.get("version")?.as_str());
        lines.extend(version.map(|version| format!("{name} {version}")));
    }
    lines
}

/// The library and target of a line such as `torch>=1.8,<2.0  # comment`, `  - pytorch=1.12`, `"numpy==1.24"`.
fn requirement(line: &str) -> Option<(&'static str, Target)> {
    let line = line.split(['#', ';']).next()?.trim().trim_start_matches('-').trim().trim_matches(['"', '\'', ',']);
    let end = line
        .find(|character: char| !(character.is_alphanumeric() || matches!(character, '-' | '_')))
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let is_name = |known: &str| known.len() == name.len() && known.bytes().zip(name.bytes()).all(is_alike);
    let (library, _) = libraries().iter().find(|(library, others)| {
        // Some packages have another name than their module.
        is_name(library) || others.iter().any(|other| is_name(other))
    })?;
    let rest = rest.trim();
    let rest = if rest.starts_with('[') { rest.split_once(']')?.1.trim() } else { rest };
    // Conda writes `pytorch=1.12=py3.9`.
    let rest = match rest.strip_prefix('=') {
        Some(version) if !version.starts_with('=') => version.split('=').next()?,
        _ => rest,
    };
    let target = Target::parse(rest.trim_matches(['(', ')']))?;
    (!target.is_empty()).then_some((library, target))
}

/// Whether two letters of names of packages are the same: `-` and `_` are, and so are large and small ones.
fn is_alike((left, right): (u8, u8)) -> bool {
    let plain = |letter: u8| if letter == b'-' { b'_' } else { letter.to_ascii_lowercase() };
    plain(left) == plain(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read_from_each_kind_of_file() {
        let files = [
            ("requirements.txt", "# ours\ntorch == 1.12.1  # pinned\nnumpy>=1.20,<2\n"),
            ("requirements-dev.txt", "torch[extra]==1.12.1; python_version > '3.8'\n"),
            ("pyproject.toml", "[project]\ndependencies = ['torch==1.12.1', 'other']\n"),
            ("pyproject.toml", "[tool.poetry.dependencies]\ntorch = { version = '1.12.1' }\n"),
            ("setup.py", "setup(name='x',\n      install_requires=['numpy', \"torch==1.12.1\"])\n"),
            ("setup.cfg", "[options]\ninstall_requires =\n    torch==1.12.1\n"),
            ("environment.yml", "dependencies:\n  - pytorch=1.12.1=py39\n"),
        ];
        for (name, text) in files {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir(folder.path().join(".git")).unwrap();
            std::fs::create_dir(folder.path().join("src")).unwrap();
            std::fs::write(folder.path().join(name), text).unwrap();
            let targets = detect(&folder.path().join("src"), None);
            assert_eq!(targets.get("torch"), Target::parse("==1.12.1").as_ref(), "{name}: {text}");
        }
    }

    #[test]
    fn packages_are_known_by_the_names_that_their_packs_list() {
        let library = |line: &str| requirement(line).map(|(library, _)| library);
        assert_eq!(library("tensorflow_gpu==1.8"), Some("tensorflow"));
        assert_eq!(library("TensorFlow-CPU>=2"), Some("tensorflow"));
        assert_eq!((library("PyYAML<6"), library("jax>=0.4")), (Some("yaml"), Some("jax")));
        assert_eq!((library("tensorflow-datasets==4"), library("jaxlib==0.4")), (None, None));
    }

    #[test]
    fn what_says_nothing_tells_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        std::fs::write(folder.path().join("requirements.txt"), b"torch\ntorchmetrics==1.0\n\xff\xfe\0torch==\n")
            .unwrap();
        std::fs::write(folder.path().join("pyproject.toml"), "[project\n").unwrap();
        assert!(detect(folder.path(), None).is_empty());
    }
}
