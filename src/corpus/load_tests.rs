use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{CorpusError, LoadOptions, load};
use crate::{Corpus, SkipReason};

/// A folder with the given files in it.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn load_default(paths: &[&Path]) -> Corpus {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    load(&paths, &LoadOptions::default()).unwrap()
}

fn names(corpus: &Corpus) -> Vec<String> {
    let name = |path: &Path| path.strip_prefix(&corpus.roots[0]).unwrap_or(path).to_string_lossy().into_owned();
    corpus.files.iter().map(|file| name(&file.path)).collect()
}

fn skipped(corpus: &Corpus) -> Vec<(&str, &SkipReason)> {
    corpus.skipped.iter().map(|skipped| (skipped.path.rsplit('/').next().unwrap(), &skipped.reason)).collect()
}

#[test]
fn folders_are_read_in_order_without_what_is_ignored() {
    let folder = folder(&[
        (".gitignore", b"build/\n*.gen.py\n"),
        ("z.py", b""),
        ("a/b.py", b""),
        ("a.py", b""),
        ("notes.txt", b""),
        ("a/n.ipynb", b"{\"cells\": []}"),
        ("build/lib.py", b""),
        ("x.gen.py", b""),
        (".hidden/h.py", b""),
        ("__pycache__/c.py", b""),
        ("venv/lib/v.py", b""),
        ("env2/pyvenv.cfg", b""),
        ("env2/v.py", b""),
        ("lib/site-packages/s.py", b""),
        ("dist/kept.py", b""),
    ]);
    let corpus = load_default(&[folder.path()]);
    assert_eq!(names(&corpus), ["a/b.py", "a/n.ipynb", "a.py", "dist/kept.py", "z.py"]);
    assert!(corpus.skipped.is_empty());
    for (index, file) in corpus.files.iter().enumerate() {
        assert_eq!(file.id.0 as usize, index);
    }
    let everything = LoadOptions { respect_ignore_files: false, ..LoadOptions::default() };
    let corpus = load(&[folder.path().to_owned()], &everything).unwrap();
    assert!(names(&corpus).contains(&"build/lib.py".to_owned()));
    assert!(!names(&corpus).contains(&"venv/lib/v.py".to_owned()));
    let without = LoadOptions { exclude: vec!["a/".to_owned(), "z*".to_owned()], ..LoadOptions::default() };
    assert_eq!(names(&load(&[folder.path().to_owned()], &without).unwrap()), ["a.py", "dist/kept.py"]);
}

#[test]
fn a_file_given_by_name_is_read_once_and_always() {
    let folder = folder(&[(".gitignore", b"*"), ("venv/a.py", b"x = 1"), ("script", b"y = 2")]);
    let path = folder.path().join("venv/a.py");
    let roundabout = folder.path().join("venv/../venv/a.py");
    let corpus = load_default(&[&path, &roundabout, &folder.path().join("script"), folder.path()]);
    let texts: Vec<&str> = corpus.files.iter().map(|file| file.text.as_str()).collect();
    assert_eq!(texts, ["y = 2", "x = 1"]);
}

#[test]
fn what_is_not_read_has_a_reason() {
    let folder = folder(&[
        ("big.py", &[b'#'; 100]),
        ("binary.py", b"\x7fELF\0\0"),
        ("broken.ipynb", b"{"),
        ("latin.py", b"'\xe9'"),
        ("ok.py", b"x"),
        ("empty.py", b""),
    ]);
    let options = LoadOptions { max_file_size: 99, ..LoadOptions::default() };
    let corpus = load(&[folder.path().to_owned()], &options).unwrap();
    assert_eq!(names(&corpus), ["empty.py", "ok.py"]);
    let reasons = skipped(&corpus);
    assert_eq!(reasons[0], ("big.py", &SkipReason::TooLarge { size: 100, limit: 99 }));
    assert_eq!(reasons[1], ("binary.py", &SkipReason::Binary));
    assert!(matches!(reasons[2], ("broken.ipynb", SkipReason::MalformedNotebook(_))));
    assert!(matches!(reasons[3], ("latin.py", SkipReason::Undecodable { .. })));
}

#[test]
fn a_path_that_does_not_exist_is_an_error_that_names_it() {
    let error = load(&[PathBuf::from("no/such/place.py")], &LoadOptions::default()).unwrap_err();
    assert!(matches!(error, CorpusError::NotFound { .. }));
    assert_eq!(error.to_string(), "no such file or folder: no/such/place.py");
    assert!(load(&[PathBuf::new()], &LoadOptions::default()).is_err());
    let options = LoadOptions { exclude: vec!["a{".to_owned()], ..LoadOptions::default() };
    let folder = folder(&[]);
    let error = load(&[folder.path().to_owned()], &options).unwrap_err();
    assert!(error.to_string().contains("a{"), "{error}");
}

#[test]
fn an_empty_folder_is_an_empty_corpus() {
    let folder = folder(&[]);
    let corpus = load_default(&[folder.path()]);
    assert!(corpus.files.is_empty() && corpus.skipped.is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_pipes_not_opened() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    let outside = folder(&[("secret.py", b"")]);
    let folder = folder(&[("root/a/real.py", b"")]);
    let root = &folder.path().join("root");
    symlink(outside.path(), root.join("out")).unwrap();
    symlink(outside.path().join("secret.py"), root.join("secret.py")).unwrap();
    symlink(root, root.join("a/loop")).unwrap();
    symlink("a/real.py", root.join("again.py")).unwrap();
    symlink("nowhere", root.join("broken.py")).unwrap();
    symlink("a/real.py/x.py", root.join("beyond.py")).unwrap();
    symlink("self.py", root.join("self.py")).unwrap();
    symlink("two.py", root.join("one.py")).unwrap();
    symlink("one.py", root.join("two.py")).unwrap();
    symlink("../root/a/real.py", root.join("climbs.py")).unwrap();
    symlink("one.py", root.join("to-one.py")).unwrap();
    symlink("self.py", root.join("self")).unwrap();
    let _socket = UnixListener::bind(root.join("socket.py")).unwrap();
    fs::create_dir(root.join("blocked")).unwrap();
    fs::write(root.join("blocked/b.py"), "").unwrap();
    symlink("/dev/zero", root.join("blocked/.gitignore")).unwrap();
    let corpus = load_default(&[root]);
    assert_eq!(names(&corpus), ["a/real.py", "blocked/b.py"]);
    let link = &SkipReason::LinkOutside;
    let (circle, nowhere) = (&SkipReason::LinkInCircle, &SkipReason::LinkNowhere);
    let not_regular = &SkipReason::NotRegular;
    let expected = [
        ("beyond.py", nowhere),
        (".gitignore", link),
        ("broken.py", nowhere),
        // Nobody looks whether it comes back.
        ("climbs.py", link),
        ("one.py", circle),
        ("out", link),
        ("secret.py", link),
        ("self.py", circle),
        ("socket.py", not_regular),
        ("to-one.py", circle),
        ("two.py", circle),
    ];
    assert_eq!(skipped(&corpus), expected);
    let device = load_default(&[Path::new("/dev/null")]);
    assert_eq!(skipped(&device), [("null", &SkipReason::NotRegular)]);
    for (name, said) in [("self.py", "in a circle"), ("to-one.py", "in a circle"), ("broken.py", "leads nowhere")] {
        let error = load(&[root.join(name)], &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.contains(&format!("{name} is a symbolic link")) && error.ends_with(said), "{error}");
    }
    // A link that the user gives by name is meant.
    assert_eq!(load_default(&[&root.join("secret.py")]).files.len(), 1);
}

#[cfg(unix)]
#[test]
fn ignore_rules_are_those_of_the_checkout_alone() {
    use std::os::unix::fs::symlink;
    let outer = folder(&[
        (".gitignore", b"a.py"),
        ("rules", b"*.py"),
        ("p/.gitignore", b"/sub/no.py\n# a comment\n{broken\n"),
        ("p/.git/info/exclude", b"excluded.py"),
        ("p/.ignore", b"!again.py"),
        ("p/sub/.gitignore", b"again.py\n!.kept.py\nbuild/\n"),
        ("p/sub/a.py", b""),
        ("p/sub/again.py", b""),
        ("p/sub/excluded.py", b""),
        ("p/sub/no.py", b""),
        ("p/sub/.kept.py", b""),
        ("p/sub/.other.py", b""),
        ("p/sub/build/b.py", b""),
        ("p/pipe/c.py", b""),
    ]);
    symlink("../../rules", outer.path().join("p/pipe/.ignore")).unwrap();
    let all = load_default(&[&outer.path().join("p")]);
    assert_eq!(names(&all), ["pipe/c.py", "sub/.kept.py", "sub/a.py", "sub/again.py"]);
    assert_eq!(skipped(&all), [(".ignore", &SkipReason::LinkOutside)]);
    // The rules of the checkout's other folders hold in each of them.
    assert_eq!(names(&load_default(&[&outer.path().join("p/sub")])), [".kept.py", "a.py", "again.py"]);
}

#[test]
fn enclosing_packages_are_found_above_the_root() {
    let folder = folder(&[("p/__init__.py", b""), ("p/q/__init__.py", b""), ("p/q/m.py", b""), ("p/r/n.py", b"")]);
    let corpus = load_default(&[&folder.path().join("p/q"), &folder.path().join("p/r")]);
    let packages: Vec<_> = corpus.files.iter().map(|file| file.packages.join(".")).collect();
    assert_eq!(packages, ["p.q", "p.q", ""]);
}

#[test]
fn a_corpus_in_memory_is_like_one_on_disk() {
    let files = [("p/__init__.py", ""), ("p/m.py", "x"), ("a.ipynb", "{\"cells\": []}"), ("b.ipynb", "{")];
    let corpus = Corpus::in_memory(files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect());
    let shown: Vec<_> = corpus.files.iter().map(|file| (file.display_path.as_str(), file.packages.join("."))).collect();
    assert_eq!(shown, [("a.ipynb", String::new()), ("p/__init__.py", "p".into()), ("p/m.py", "p".into())]);
    assert_eq!(corpus.skipped.len(), 1);
    assert_eq!(Corpus::single("x.py", "y").files[0].text, "y");
}
