//! Nothing outside of an analysed project reaches a report: not through configuration, annotations, packs, environments, settings, ignore
//! rules, requirements, imports or links. `docs/security.md` has the table of who may name which file; each row of it has a test here.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stands in every file outside of the project, in such a way that each reader that parses it would quote it.
const SECRET: &str = "planted-secret-7f3a";

/// A wrong line that every analysis must still report.
const WRONG: &str = "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n";

/// A project in a folder `project`, with things beside it that are not its own.
struct Scene {
    folder: tempfile::TempDir,
}

/// What a run printed, on both streams, and its exit code.
struct Said {
    code: Option<i32>,
    text: String,
}

impl Scene {
    fn new(files: &[(&str, &str)], links: &[(&str, &str)]) -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        let scene = Scene { folder };
        let secret = format!("{SECRET}: [= {SECRET}\n");
        let valid = format!("x: '{SECRET}'\n");
        let rule = format!(".decl {SECRET}(\n");
        let outside: [(&str, &str); 11] = [
            ("outside/token", &secret),
            ("outside/token.yaml", &secret),
            ("outside/settings.yaml", &valid),
            ("outside/module.py", &format!("secret = '{SECRET}'\n def {SECRET}(\n")),
            ("outside/book.ipynb", &secret),
            ("outside/requirements.txt", &format!("torch==1.0\n{SECRET}\n")),
            ("outside/rules/a.dl", &rule),
            ("outside/pack/harp-pack.toml", &format!("name = '{SECRET}'\n")),
            ("outside/pack/rules/a.dl", &rule),
            ("outside/env/lib/python3.12/site-packages/nets/__init__.py", &format!("name = '{SECRET}'\n")),
            ("outside/exclude", &format!("{SECRET}\n*.py\n")),
        ];
        for (path, text) in outside.iter().chain(files) {
            let path = scene.folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        fs::create_dir_all(scene.project().join(".git")).expect("a folder");
        fs::write(scene.project().join("main.py"), WRONG).expect("a file");
        for (path, target) in links {
            let path = scene.folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            let target = target.replace("OUTSIDE", &scene.outside("").display().to_string());
            symlink(target, path).expect("a link");
        }
        scene
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn outside(&self, path: &str) -> PathBuf {
        self.folder.path().join("outside").join(path)
    }

    fn harp(&self, arguments: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        command.args(arguments).current_dir(self.project()).env("SECRET_OF_THE_RUNNER", SECRET);
        let output = command.output().expect("the program starts");
        let text = [output.stdout, output.stderr].concat();
        Said { code: output.status.code(), text: String::from_utf8_lossy(&text).into_owned() }
    }

    /// No form of the output tells the secret; the text of `check` has `expected`. Whatever could not be read, the rest was. What `check` said is
    /// given back.
    #[track_caller]
    fn tells_nothing(&self, expected: &[&str]) -> Said {
        let reports = self.folder.path().join("reports");
        fs::create_dir_all(&reports).expect("a folder");
        let report = |name: &str| reports.join(name).display().to_string();
        let outputs = ["json", "sarif", "html"].map(|form| format!("{form}:{}", report(form)));
        let mut check = vec!["check", ".", "--verbose", "--explain-path", "--output", "text"];
        check.extend(outputs.iter().flat_map(|output| ["--output", output]));
        let facts = report("facts");
        let runs: [&[&str]; 7] = [
            &["check", "main.py"],
            &["infer", ".", "--all"],
            &["facts", ".", "--output", &facts],
            &["graph", "."],
            &["query", "op_text(o, t)", "."],
            &["explain", "main.py:2", "."],
            &["why-not", "shape/mismatch", "main.py:1", "."],
        ];
        let said = self.harp(&check);
        let commands: Vec<(String, String)> =
            runs.iter().map(|arguments| (format!("{arguments:?}"), self.harp(arguments).text)).collect();
        let written = files_below(&reports);
        let read = |file: &PathBuf| (file.display().to_string(), fs::read_to_string(file).expect("a report"));
        let of_check = (format!("{check:?}"), said.text.clone());
        for (arguments, text) in commands.into_iter().chain([of_check]).chain(written.iter().map(read)) {
            assert!(!text.contains(SECRET), "{arguments} tells the secret:\n{text}");
        }
        for part in expected {
            assert!(said.text.contains(part), "`{part}` is not in:\n{}", said.text);
        }
        said
    }

    /// As [`Scene::tells_nothing`], where the error in the project is found all the same.
    #[track_caller]
    fn tells_nothing_but_the_error(&self, expected: &[&str]) -> Said {
        let said = self.tells_nothing(expected);
        assert!(said.text.contains("error[shape/mismatch]"), "{}", said.text);
        said
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn a_configuration_that_is_a_link_out_of_the_project_is_not_read() {
    for target in ["OUTSIDE/token", "../outside/token", "/proc/self/environ"] {
        let scene = Scene::new(&[], &[("project/harp.toml", target)]);
        let said = scene.tells_nothing(&["the configuration harp.toml cannot be read: it leads out of the project"]);
        assert_eq!(said.code, Some(2));
        let scene = Scene::new(&[], &[("project/pyproject.toml", target)]);
        let said = scene.tells_nothing_but_the_error(&["pyproject.toml is not read: it leads out of the project"]);
        assert_eq!(said.code, Some(1));
        // A project's own link is no better when the user names it.
        let scene = Scene::new(&[], &[("project/conf/own.toml", target)]);
        let said = scene.harp(&["check", ".", "--config", "conf/own.toml"]);
        assert!(said.code == Some(2) && !said.text.contains(SECRET), "{}", said.text);
    }
}

#[test]
fn annotations_of_a_configuration_lie_in_the_project() {
    for path in
        ["/proc/self/environ", "../outside/token", "../outside/token.yaml", "OUTSIDE/token.yaml", "link", "link/token"]
    {
        let scene = Scene::new(&[], &[("project/link", "../outside")]);
        let outside = scene.outside("").display().to_string();
        let text = format!("annotations = [\"{}\"]\n", path.replace("OUTSIDE", &outside));
        fs::write(scene.project().join("harp.toml"), text).expect("a file");
        let said = scene.tells_nothing_but_the_error(&["cannot read the annotations: it leads out of the project"]);
        assert_eq!(said.code, Some(2));
    }
    let configuration = [("project/harp.toml", "annotations = ['api']\n"), ("project/api/own.yaml", "library: acme\n")];
    let scene = Scene::new(&configuration, &[("project/api/linked.yaml", "../../outside/token.yaml")]);
    scene.tells_nothing_but_the_error(&["api/linked.yaml: cannot read the annotations: it leads out of the project"]);
}

#[test]
fn a_link_in_a_folder_of_annotations_is_not_followed_out_of_it() {
    let scene = Scene::new(
        &[],
        &[("project/api/linked.yaml", "OUTSIDE/token.yaml"), ("own/linked.yaml", "OUTSIDE/token.yaml")],
    );
    for folder in ["api", "../own"] {
        let said = scene.harp(&["check", ".", "--annotations", folder]);
        assert!(said.code == Some(2) && !said.text.contains(SECRET), "{}", said.text);
        assert!(said.text.contains("linked.yaml: cannot read the annotations"), "{}", said.text);
    }
}

#[test]
fn files_of_facts_lie_in_their_folder() {
    let links = [
        ("project/facts/linked.csv", "OUTSIDE/token"),
        ("own/linked.csv", "OUTSIDE/token"),
        ("project/link", "OUTSIDE/facts"),
    ];
    let scene = Scene::new(&[("outside/facts/secret.jsonl", SECRET)], &links);
    for (folder, part) in [
        ("facts", "facts/linked.csv: cannot read facts: it is a link out of the folder"),
        ("../own", "own/linked.csv: cannot read facts: it is a link out of the folder"),
        ("link", "link: cannot read facts: it leads out of the project"),
    ] {
        let said = scene.harp(&["check", ".", "--facts", folder]);
        assert!(said.code == Some(2) && !said.text.contains(SECRET), "{}", said.text);
        assert!(said.text.contains(part), "{}", said.text);
    }
}

#[test]
fn files_of_a_library_pack_lie_in_its_folder() {
    let manifest = ("project/api/harp-library.yaml", "name: acme\n");
    for (files, link, target) in [
        (&[manifest][..], "python/linked.py", "OUTSIDE/module.py"),
        (&[], "harp-library.yaml", "OUTSIDE/token.yaml"),
        (&[manifest], "tests/linked.md", "OUTSIDE/token"),
    ] {
        let path = format!("project/api/{link}");
        let scene = Scene::new(files, &[(&path, target)]);
        let command: &[&str] = match link.starts_with("tests") {
            true => &["test", "api"],
            false => &["check", ".", "--annotations", "api"],
        };
        let said = scene.harp(command);
        assert!(said.code == Some(2) && !said.text.contains(SECRET), "{link}: {}", said.text);
        // That it is there is not told either.
        fs::remove_dir_all(scene.outside("")).expect("the folder is there");
        assert_eq!(scene.harp(command).text, said.text, "{link}");
    }
}

#[test]
fn a_needed_pack_lies_beside_the_tested_one() {
    let files = [
        ("project/api/harp-library.yaml", "name: api\nneeds: [other]\n"),
        ("outside/other/harp-library.yaml", "name: other\n"),
        ("outside/other/python/other.py", "x = 1\n"),
    ];
    let scene = Scene::new(&files, &[("project/other", "OUTSIDE/other")]);
    let said = scene.harp(&["test", "api"]);
    assert!(said.code == Some(2) && said.text.contains("which is not given"), "{}", said.text);
    // That it is there is not told either.
    fs::remove_dir_all(scene.outside("")).expect("the folder is there");
    assert_eq!(scene.harp(&["test", "api"]).text, said.text);
}

#[test]
fn packs_of_a_configuration_lie_in_the_project() {
    for path in ["../outside/pack", "OUTSIDE/pack", "link"] {
        let scene = Scene::new(&[], &[("project/link", "../outside/pack")]);
        let outside = scene.outside("").display().to_string();
        let text = format!("packs = [\"{}\"]\n", path.replace("OUTSIDE", &outside));
        fs::write(scene.project().join("harp.toml"), text).expect("a file");
        scene.tells_nothing_but_the_error(&["is not a rule pack: it leads out of the project"]);
    }
}

#[test]
fn files_of_a_pack_lie_in_the_pack() {
    let manifest = "name = 'acme'\nversion = '0.1.0'\nschema_version = 1\nlicence = 'MIT'\n";
    let files = [("project/harp.toml", "packs = ['pack']\n"), ("project/pack/harp-pack.toml", manifest)];
    let scene = Scene::new(&files, &[("project/pack/rules/a.dl", "OUTSIDE/rules/a.dl")]);
    scene.tells_nothing_but_the_error(&["is a link out of the pack"]);
    let scene = Scene::new(&files, &[("project/pack/rules", "../../outside/rules")]);
    scene.tells_nothing_but_the_error(&["is a link out of the pack"]);
    let scene = Scene::new(&files[..1], &[("project/pack/harp-pack.toml", "OUTSIDE/pack/harp-pack.toml")]);
    scene.tells_nothing_but_the_error(&["is a link out of the pack"]);
    for include in ["../../../outside/rules/a.dl", "/proc/self/environ", "linked.dl"] {
        let rule = format!(".include \"{include}\"\n");
        let all = [files[0], files[1], ("project/pack/rules/b.dl", rule.as_str())];
        let scene = Scene::new(&all, &[("project/pack/rules/linked.dl", "OUTSIDE/rules/a.dl")]);
        scene.tells_nothing_but_the_error(&[]);
    }
}

#[test]
fn an_environment_of_a_configuration_lies_in_the_project() {
    let program = ("project/use.py", "import nets\nreveal_type(nets.name)\n");
    let packages = "project/own/lib/python3.12/site-packages";
    let inner = format!("{packages}/nets");
    for (path, link) in [
        ("../outside/env", ("project/x", "nowhere")),
        ("OUTSIDE/env", ("project/x", "nowhere")),
        ("link", ("project/link", "../outside/env")),
        ("../outside/env/bin/python", ("project/x", "nowhere")),
        ("own", (packages, "OUTSIDE/env/lib/python3.12/site-packages")),
        ("own", (inner.as_str(), "OUTSIDE/env/lib/python3.12/site-packages/nets")),
    ] {
        let scene = Scene::new(&[program], &[link]);
        let outside = scene.outside("").display().to_string();
        let text = format!("python = \"{}\"\n", path.replace("OUTSIDE", &outside));
        fs::write(scene.project().join("harp.toml"), text).expect("a file");
        scene.tells_nothing_but_the_error(&[]);
    }
    // The user's own environment may lie anywhere, and its interpreter is a link to the system's in every environment.
    let scene = Scene::new(&[program], &[("outside/env/bin/python", "/usr/bin/env")]);
    for environment in ["../outside/env", "../outside/env/bin/python"] {
        let said = scene.harp(&["check", ".", "--python", environment]);
        assert!(said.text.contains(SECRET), "{}", said.text);
    }
    let library = ("project/.venv/lib/python3.12/site-packages/nets/__init__.py", "name = 'ours'\n");
    let configuration = ("project/harp.toml", "python = '.venv/bin/python'\n");
    let scene = Scene::new(&[program, library, configuration], &[("project/.venv/bin/python", "/usr/bin/env")]);
    let said = scene.harp(&["check", "."]);
    assert!(said.text.contains("\"ours\"") && said.code == Some(1), "{}", said.text);
}

#[test]
fn settings_of_a_program_lie_in_the_project() {
    for path in ["../outside/settings.yaml", "OUTSIDE/settings.yaml", "linked.yaml", "folder/settings.yaml"] {
        let scene =
            Scene::new(&[], &[("project/linked.yaml", "OUTSIDE/settings.yaml"), ("project/folder", "../outside")]);
        let path = path.replace("OUTSIDE", &scene.outside("").display().to_string());
        let program = format!("import yaml\nsettings = yaml.safe_load(open('{path}'))\nreveal_type(settings['x'])\n");
        fs::write(scene.project().join("use.py"), program).expect("a file");
        scene.tells_nothing_but_the_error(&[]);
    }
}

#[test]
fn sources_and_imports_lie_in_the_project() {
    let program = (
        "project/use.py",
        "import module, folder.module\nreveal_type(module.secret)\nreveal_type(folder.module.secret)\n",
    );
    let scene = Scene::new(
        &[program],
        &[
            ("project/module.py", "OUTSIDE/module.py"),
            ("project/book.ipynb", "OUTSIDE/book.ipynb"),
            ("project/folder", "../outside"),
        ],
    );
    scene.tells_nothing_but_the_error(&["module.py: a symbolic link", "book.ipynb: a symbolic link"]);
    let said = scene.harp(&["check", "use.py"]);
    assert!(!said.text.contains(SECRET), "{}", said.text);
}

#[test]
fn a_file_that_is_named_imports_nothing_from_around_the_checkout() {
    let program = "import beside, outside.beside\nfrom .. import beside as again\nreveal_type(beside.secret)\n\
                   reveal_type(outside.beside.secret)\nreveal_type(again.secret)\n";
    let beside = format!("secret = '{SECRET}'\n");
    let files = [
        ("project/use.py", program),
        ("project/__init__.py", ""),
        ("beside.py", &beside),
        ("__init__.py", ""),
        ("outside/beside.py", &beside),
    ];
    let scene = Scene::new(&files, &[]);
    let above = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["check", "project/use.py"])
        .current_dir(scene.folder.path())
        .output()
        .expect("the program starts");
    for text in [scene.harp(&["check", "use.py"]).text, String::from_utf8_lossy(&above.stdout).into_owned()] {
        assert!(text.contains("reveal-type") && !text.contains(SECRET), "{text}");
    }
}

#[test]
fn whether_something_lies_outside_is_not_told() {
    let scene = Scene::new(&[], &[("project/a.py", "OUTSIDE/module.py"), ("project/b.py", "OUTSIDE/nothing.py")]);
    let said = scene.harp(&["check", "."]);
    assert_eq!(said.text.matches("a symbolic link out of the folder").count(), 2, "{}", said.text);
}

#[test]
fn no_link_of_the_project_leads_a_report_out_of_it() {
    let links = [
        ("project/report.json", "../outside/settings.yaml"),
        ("project/new.json", "OUTSIDE/new.json"),
        ("project/folder", "../outside"),
        ("project/own.json", "reports/own.json"),
    ];
    let scene = Scene::new(&[("project/reports/old.json", "")], &links);
    let before = fs::read(scene.outside("settings.yaml")).expect("a file");
    for output in ["report.json", "new.json", "folder/report.json", "own.json"] {
        let said = scene.harp(&["check", ".", "--format", "json", "--output", output]);
        assert!(said.text.contains("is a symbolic link"), "{output}: {}", said.text);
        assert_eq!(said.code, Some(2));
    }
    let said = scene.harp(&["facts", ".", "--output", "folder/facts"]);
    assert!(said.text.contains("`folder` is a symbolic link"), "{}", said.text);
    assert_eq!(fs::read(scene.outside("settings.yaml")).expect("a file"), before);
    assert!(!scene.outside("new.json").exists() && !scene.outside("facts").exists());
    assert!(!scene.project().join("reports/own.json").exists());
    assert_eq!(scene.harp(&["check", ".", "--format", "json", "--output", "reports/own.json"]).code, Some(1));
}

#[test]
fn ignore_rules_and_requirements_lie_in_the_project() {
    let scene = Scene::new(
        &[("project/use.py", "import torch\ntorch.linalg.solve(torch.rand(3, 3), torch.rand(3))\n")],
        &[
            ("project/.gitignore", "../outside/exclude"),
            ("project/.ignore", "OUTSIDE/exclude"),
            ("project/.git/info/exclude", "OUTSIDE/exclude"),
            ("project/requirements.txt", "../outside/requirements.txt"),
            ("project/setup.cfg", "OUTSIDE/requirements.txt"),
        ],
    );
    let said = scene.tells_nothing_but_the_error(&[".gitignore: a symbolic link"]);
    assert!(!said.text.contains("1.0"));
}

#[test]
fn what_the_user_names_may_lie_anywhere() {
    let scene = Scene::new(&[("elsewhere/harp.toml", "annotations = ['../api/a.yaml']\n")], &[]);
    let api = scene.folder.path().join("api");
    fs::create_dir(&api).expect("a folder");
    let entry =
        "library: acme\napis:\n  - function: acme.wide\n    parameters: \"n\"\n    signature: \"(n: int) -> [n, 3]\"\n";
    fs::write(api.join("a.yaml"), entry).expect("a file");
    fs::write(scene.project().join("use.py"), "import acme\nreveal_type(acme.wide(2))\n").expect("a file");
    symlink(&api, scene.folder.path().join("alias")).expect("a link");
    for arguments in [
        ["check", "use.py", "--annotations", "../api/a.yaml"],
        ["check", "use.py", "--annotations", "../alias"],
        ["check", "use.py", "--annotations", "../alias/a.yaml"],
        ["check", "use.py", "--config", "../elsewhere/harp.toml"],
    ] {
        let said = scene.harp(&arguments);
        assert!(said.text.contains("[2, 3]") && said.code == Some(0), "{arguments:?}: {}", said.text);
    }
    // A project that lies behind a link is the same project.
    symlink(scene.project(), scene.folder.path().join("again")).expect("a link");
    let alias = scene.folder.path().join("again");
    fs::write(scene.project().join("harp.toml"), "annotations = ['conf/a.yaml']\n").expect("a file");
    fs::create_dir(scene.project().join("conf")).expect("a folder");
    fs::copy(api.join("a.yaml"), scene.project().join("conf/a.yaml")).expect("a copy");
    let path = alias.join("use.py").display().to_string();
    let said = scene.harp(&["check", &path]);
    assert!(said.text.contains("[2, 3]") && said.code == Some(0), "{}", said.text);
    assert!(Path::new(&path).exists());
}
