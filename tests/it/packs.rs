//! Packs as a user meets them: written, tested, configured, and above all wrong. Each wrong pack gets a clear message and exit code 2,
//! and the findings of the other packs are there.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A program with a finding of the built-in packs, and a loop.
const PROGRAM: &str =
    "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\nfor i in range(100):\n    x = torch.zeros(3)\n";

const MANIFEST: &str = "name = 'acme'\nversion = '0.1.0'\nschema_version = 1\nlicence = 'MIT'\n";

/// A rule that finds each loop.
const RULE: &str = "/// A loop.\n/// @id acme/loop   @severity warning   @tags test\n/// @message \"a loop\"\n/// @at l\n\
                    .decl found(l: Loop)\nfound(l) :- loop(l, _).\n";

const PAGE: &str = "# acme/loop\n\n```python\nfor i in x:  # expect: loop\n    pass\ny = 1  # ok\n```\n";

fn harp(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .expect("the program starts")
}

/// Exit code, standard output, standard error.
fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn write(folder: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder can be made");
    fs::write(path, bytes).expect("a file can be written");
}

/// A folder with the program, and these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The configuration is searched no further than the root of a checkout.
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    write(folder.path(), "main.py", PROGRAM);
    files.iter().for_each(|(path, text)| write(folder.path(), path, text));
    folder
}

/// A folder with an orderly pack `acme`.
fn with_pack() -> TempDir {
    folder(&[("acme/harp-pack.toml", MANIFEST), ("acme/rules/loop.dl", RULE), ("acme/loop.md", PAGE)])
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

/// The pack is refused with these words; the built-in packs find what they find.
#[track_caller]
fn refused(folder: &TempDir, parts: &[&str]) {
    let (code, out, err) = told(&harp(folder.path(), &["check", "main.py", "--pack", "acme"]));
    assert_eq!(code, Some(2), "{out}\n{err}");
    parts.iter().for_each(|part| contains(&err, part));
    contains(&out, "error[shape/mismatch]");
    assert!(!out.contains("acme/"), "{out}");
    let control = |text: &str| text.chars().any(|character| character.is_control() && character != '\n');
    assert!(!control(&err), "{err:?}");
    let (code, _, _) = told(&harp(folder.path(), &["test", "acme"]));
    assert_eq!(code, Some(2));
}

/// The pack is used.
#[track_caller]
fn accepted(folder: &TempDir) {
    let (code, out, err) = told(&harp(folder.path(), &["check", "main.py", "--pack", "acme"]));
    assert_eq!((code, err.as_str()), (Some(1), ""), "{out}");
    contains(&out, "warning[acme/loop]");
}

#[test]
fn a_new_pack_passes_its_tests_at_once() {
    let folder = folder(&[]);
    let (code, out, err) = told(&harp(folder.path(), &["new-pack", "our-rules"]));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    contains(&out, "harp test our-rules");
    let (code, out, err) = told(&harp(folder.path(), &["test", "our-rules"]));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert_eq!(out, "our-rules: 1 page, 4 blocks, 5 statements, 0 failures\n");
    let (_, out, _) = told(&harp(folder.path(), &["check", "main.py", "--pack", "our-rules"]));
    contains(&out, "warning[our-rules/created-in-loop]");
    let (code, out, _) = told(&harp(folder.path(), &["new-pack", "acme", "--path", "lint/deep/pack"]));
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(told(&harp(folder.path(), &["test", "lint/deep/pack"])).0, Some(0));
    let hidden = fs::read_dir(folder.path().join("lint/deep")).expect("a folder").count();
    assert_eq!(hidden, 1, "nothing is left beside the pack");
}

#[test]
fn a_new_pack_takes_no_place_that_is_taken() {
    let folder = folder(&[("full/file.txt", "mine"), ("plain", "mine")]);
    for name in ["Acme", "1st", "a_b", "../up", "a/b", "", "-x", "answer"] {
        let (code, _, err) = told(&harp(folder.path(), &["new-pack", "--", name]));
        assert_eq!(code, Some(2), "{name}");
        contains(&err, "is not a valid pack name");
    }
    contains(&told(&harp(folder.path(), &["new-pack", "shape"])).2, "comes with Harp");
    for name in ["full", "plain"] {
        let (code, _, err) = told(&harp(folder.path(), &["new-pack", name]));
        assert_eq!(code, Some(2));
        contains(&err, "is there already");
    }
    assert_eq!(fs::read_to_string(folder.path().join("full/file.txt")).expect("the file is there"), "mine");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    assert_eq!(told(&harp(folder.path(), &["new-pack", "empty"])).0, Some(0));
    assert_eq!(told(&harp(folder.path(), &["test", "empty"])).0, Some(0));
}

#[test]
fn tests_of_a_pack_show_every_difference() {
    let folder = with_pack();
    assert_eq!(told(&harp(folder.path(), &["test", "acme"])).0, Some(0));
    let page = "# acme/loop\n\n```python\nfor i in x:\n    pass\ny = 1  # expect: loop \"a text\"\nfor i in y:  # ok: loop\n    z = 1\n```\n";
    write(folder.path(), "acme/loop.md", page);
    let (code, out, err) = told(&harp(folder.path(), &["test", "acme"]));
    assert_eq!((code, err.as_str()), (Some(1), ""));
    let expected = "\
acme/loop.md:4: for i in x:
  + found    warning: [acme/loop] \"a loop\"

acme/loop.md:6: y = 1  # expect: loop \"a text\"
  - expected expect: loop \"a text\"
  + found    nothing

acme/loop.md:7: for i in y:  # ok: loop
  - expected ok: loop
  + found    warning: [acme/loop] \"a loop\"

acme: 1 page, 1 block, 2 statements, 3 failures
";
    assert_eq!(out, expected);
    let (code, out, _) = told(&harp(folder.path(), &["test", "acme", "--format", "json"]));
    assert_eq!(code, Some(1));
    let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(report["summary"]["failures"], 3);
    let failure = &report["packs"][0]["pages"][0]["failures"][1];
    assert_eq!(failure["line"], 6);
    assert_eq!(failure["expected"][0], "expect: loop \"a text\"");
}

#[test]
fn rules_and_pages_without_each_other_are_told() {
    let folder = with_pack();
    let more = RULE.replace("acme/loop", "acme/other");
    write(folder.path(), "acme/rules/other.dl", more);
    fs::rename(folder.path().join("acme/loop.md"), folder.path().join("acme/lop.md")).expect("renamed");
    write(folder.path(), "acme/other.md", "# acme/other\n\nNothing is tested.\n");
    write(folder.path(), "acme/README.md", "# Our rules\n");
    let (code, out, _) = told(&harp(folder.path(), &["test", "acme"]));
    assert_eq!(code, Some(1));
    contains(&out, "failure: the rule `acme/loop` has no page `acme/loop.md`");
    contains(&out, "failure: no statement of its page expects the rule `acme/other`");
    contains(&out, "warning: no line of its page states that the rule `acme/other` is silent");
    contains(&out, "warning: the page acme/lop.md is of no rule");
    assert!(!out.contains("README.md is of"), "{out}");
}

#[test]
fn further_tests_are_run_where_the_manifest_names_them() {
    let folder = with_pack();
    write(folder.path(), "acme/harp-pack.toml", format!("{MANIFEST}tests = ['tests/**/*.md']\n"));
    write(folder.path(), "acme/tests/deep/more.md", "```python\nwhile x:\n    pass\n```\n");
    let (code, out, _) = told(&harp(folder.path(), &["test", "acme"]));
    assert_eq!(code, Some(1));
    contains(&out, "acme/tests/deep/more.md:2: while x:\n  + found    warning: [acme/loop]");
    write(folder.path(), "acme/harp-pack.toml", format!("{MANIFEST}tests = ['none/*.md']\n"));
    let (code, _, err) = told(&harp(folder.path(), &["test", "acme"]));
    assert_eq!(code, Some(2));
    contains(&err, "acme/harp-pack.toml:5:10");
}

#[test]
fn built_in_packs_are_tested_in_their_own_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (code, out, err) = told(&harp(root, &["test", "rules/python", "rules/shape"]));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    contains(&out, "python: ");
    contains(&out, "2 packs: ");
}

#[test]
fn rules_are_listed_with_their_pages() {
    let folder = with_pack();
    let (code, out, err) = told(&harp(folder.path(), &["rules", "--pack", "acme"]));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    contains(&out, "acme/loop");
    let line = out.lines().find(|line| line.starts_with("shape/mismatch")).expect("the rule is listed");
    assert_eq!(line.split_whitespace().take(4).collect::<Vec<_>>(), ["shape/mismatch", "error", "shape", "An"]);
    let (_, out, _) = told(&harp(folder.path(), &["rules", "acme/loop", "--pack", "acme"]));
    assert_eq!(out, PAGE);
    let (_, out, _) = told(&harp(folder.path(), &["rules", "--pack", "acme", "--format", "json"]));
    let list: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(list["rules"][0]["id"], "acme/loop");
    assert_eq!(list["rules"][0]["tags"][0], "test");
    assert_eq!(list["rules"][0]["page"], PAGE);
    let (code, _, err) = told(&harp(folder.path(), &["rules", "acme/lop", "--pack", "acme"]));
    assert_eq!(code, Some(2));
    contains(&err, "did you mean `acme/loop`?");
}

#[test]
fn a_page_cannot_change_the_terminal() {
    let folder = with_pack();
    write(folder.path(), "acme/loop.md", "# acme/loop\n\n\u{1b}]0;title\u{7}\u{202e}text\u{9b}2J\n");
    write(folder.path(), "acme/rules/loop.dl", RULE.replace("/// A loop.", "/// A \u{1b}[31mloop."));
    for arguments in [
        &["rules", "--pack", "acme"][..],
        &["rules", "acme/loop", "--pack", "acme"],
        &["test", "acme"],
        &["check", "main.py", "--pack", "acme"],
        &["check", "main.py", "--pack", "acme", "--format", "sarif"],
        &["check", "main.py", "--pack", "acme", "--format", "json"],
        &["rules", "--pack", "acme", "--format", "json"],
    ] {
        let (_, out, err) = told(&harp(folder.path(), arguments));
        for text in [out, err] {
            assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{arguments:?}: {text:?}");
        }
    }
}

#[test]
fn packs_of_the_configuration_are_used_from_everywhere() {
    let folder = with_pack();
    write(folder.path(), "pyproject.toml", "[tool.harp]\npacks = ['acme']\n");
    write(folder.path(), "sub/other.py", "while x:\n    pass\n");
    let (code, out, err) = told(&harp(folder.path(), &["check", "main.py"]));
    assert_eq!((code, err.as_str()), (Some(1), ""));
    contains(&out, "warning[acme/loop]");
    let (_, out, _) = told(&harp(&folder.path().join("sub"), &["check", "other.py"]));
    contains(&out, "warning[acme/loop]");
    // A change of the pack holds at once.
    write(folder.path(), "acme/rules/loop.dl", RULE.replace("\"a loop\"", "\"another message\""));
    contains(&told(&harp(folder.path(), &["check", "main.py"])).1, "another message");
    // Given twice, it is one pack.
    let (code, out, err) = told(&harp(folder.path(), &["check", "main.py", "--pack", "./acme/"]));
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert_eq!(out.matches("warning[acme/loop]").count(), 1);
    write(folder.path(), "pyproject.toml", "[tool.harp]\npacks = ['acne']\n");
    let (code, out, err) = told(&harp(folder.path(), &["check", "main.py"]));
    assert_eq!(code, Some(2));
    contains(&err, "acne is not a rule pack: there is no such folder");
    contains(&out, "error[shape/mismatch]");
}

#[test]
fn folders_that_are_no_packs_are_refused() {
    let empty = folder(&[]);
    fs::create_dir(empty.path().join("acme")).expect("a folder");
    refused(&empty, &["acme is not a rule pack: it has no harp-pack.toml", "harp new-pack"]);
    refused(&folder(&[]), &["acme is not a rule pack: there is no such folder"]);
    refused(&folder(&[("acme", "a file")]), &["acme is not a rule pack: it is not a folder"]);
    let folder_as_manifest = folder(&[("acme/harp-pack.toml/file", "")]);
    refused(&folder_as_manifest, &["harp-pack.toml is a folder, not a file"]);
    refused(&folder(&[("acme/harp-pack.toml", MANIFEST)]), &["no file fits its `rules`"]);
}

#[test]
fn binary_files_are_refused() {
    let binary: Vec<u8> = (0..=255).cycle().take(4096).collect();
    let folder = with_pack();
    write(folder.path(), "acme/rules/b.dl", &binary);
    refused(&folder, &["`rules/b.dl` is not UTF-8 text"]);
    let folder = with_pack();
    write(folder.path(), "acme/harp-pack.toml", &binary);
    refused(&folder, &["acme/harp-pack.toml is not UTF-8 text"]);
    let folder = with_pack();
    write(folder.path(), "acme/loop.md", &binary);
    refused(&folder, &["acme/loop.md", "is not UTF-8 text"]);
}

#[test]
fn long_lines_and_large_files_are_bounded() {
    let folder = with_pack();
    write(folder.path(), "acme/rules/b.dl", format!("// {}\n", "x".repeat(1 << 20)));
    accepted(&folder);
    write(folder.path(), "acme/rules/b.dl", format!("found(l) :- {}loop(l, _).\n", "loop(l, _), ".repeat(1 << 17)));
    refused(&folder, &["rules/b.dl:1:"]);
    write(folder.path(), "acme/rules/b.dl", "x".repeat(1 << 20));
    refused(&folder, &["rules/b.dl:1:"]);
    let file = fs::File::create(folder.path().join("acme/rules/b.dl")).expect("a file");
    file.set_len(100 << 20).expect("a large file");
    refused(&folder, &["`rules/b.dl` is too large: a file of a pack may have 4 MiB"]);
}

#[test]
fn many_files_and_deep_folders_are_bounded() {
    let folder = with_pack();
    (0..1500).for_each(|index| write(folder.path(), &format!("acme/rules/{index}.dl"), ""));
    refused(&folder, &["1000 files"]);
    let folder = with_pack();
    write(folder.path(), &format!("acme/rules/{}a.dl", "d/".repeat(100)), "");
    refused(&folder, &["nested more than 16 deep"]);
}

#[test]
fn rules_that_do_not_end_are_stopped() {
    let endless = ".decl n(x: number)\nn(0).\nn(x + 1) :- n(x).\n";
    stopped(endless, "n(3)", "n (acme/rules/b.dl:3)");
}

#[test]
fn a_product_of_a_milliard_is_stopped() {
    let thousand = "9, 1, 2, 3, 4, 5, 6, 7, 8, 0".split(", ").map(|digit| format!("d({digit}).\n")).collect::<String>();
    let product = format!(
        ".decl d(x: number)\n{thousand}.decl t(x: number)\nt(x * 100 + y * 10 + z) :- d(x), d(y), d(z).\n\
         .decl p(x: number, y: number, z: number)\np(x, y, z) :- t(x), t(y), t(z).\n"
    );
    stopped(&product, "p(1, 2, 3)", "p (acme/rules/b.dl:");
}

/// The rule that a finding asks is stopped with a warning that names it; the others find what they find.
#[track_caller]
fn stopped(rules: &str, asked: &str, name: &str) {
    let folder = with_pack();
    let finding = RULE.replace("acme/loop", "acme/other").replace("loop(l, _)", &format!("loop(l, _), {asked}"));
    write(folder.path(), "acme/rules/b.dl", format!("{rules}{finding}"));
    let (code, out, err) = told(&harp(folder.path(), &["check", "main.py", "--pack", "acme"]));
    assert_eq!(code, Some(1), "{out}\n{err}");
    contains(&err, &format!("the rule {name}"));
    contains(&err, "was stopped");
    contains(&out, "error[shape/mismatch]");
    contains(&out, "warning[acme/loop]");
}

#[test]
fn ids_are_unique_and_a_packs_own() {
    let folder = with_pack();
    write(folder.path(), "acme/rules/b.dl", RULE);
    refused(&folder, &["the rule id `acme/loop` is taken", "acme/rules/loop.dl:2:9"]);
    let folder = with_pack();
    write(folder.path(), "acme/rules/b.dl", RULE.replace("acme/loop", "shape/mismatch"));
    refused(&folder, &["`shape/mismatch` does not begin with the pack's name", "acme/rules/b.dl:2:9"]);
    // Another pack with the same name and id: the first is kept.
    let folder = with_pack();
    write(folder.path(), "two/harp-pack.toml", MANIFEST);
    write(folder.path(), "two/rules/loop.dl", RULE);
    let (code, out, err) = told(&harp(folder.path(), &["check", "main.py", "--pack", "acme", "--pack", "two"]));
    assert_eq!(code, Some(2));
    contains(&err, "there are two packs of the name `acme`");
    contains(&err, "two/harp-pack.toml:1:8");
    contains(&out, "warning[acme/loop]");
}

#[test]
fn messages_are_checked() {
    let folder = with_pack();
    write(folder.path(), "acme/rules/loop.dl", RULE.replace("\"a loop\"", "\"a \u{1b}[31mloop\u{7}\""));
    refused(&folder, &["control characters are not allowed", "loop.dl:3:"]);
    let folder = with_pack();
    write(folder.path(), "acme/rules/loop.dl", RULE.replace("\"a loop\"", "\"a loop {lop}\""));
    refused(&folder, &["`found` has no column `lop`", "loop.dl:3:"]);
}

#[test]
fn manifests_are_checked() {
    let with = |manifest: &str, parts: &[&str]| {
        let folder = with_pack();
        write(folder.path(), "acme/harp-pack.toml", manifest);
        refused(&folder, parts);
    };
    with(
        &format!("{MANIFEST}licens = 'x'\n"),
        &["unknown key `licens`", "acme/harp-pack.toml:5:1", "did you mean `licence`?"],
    );
    with(&MANIFEST.replace("acme", "a/b"), &["`a/b` is not a valid pack name"]);
    with(&MANIFEST.replace("acme", "answer"), &["`answer` is not a valid pack name", "choose another name"]);
    with(&MANIFEST.replace("0.1.0", "one"), &["`one` is not a version"]);
    with(&MANIFEST.replace("version = 1", "version = 7"), &["version 7 of the relations", "newer Harp"]);
    with(&MANIFEST.replace("version = 1", "version = 0"), &["version 0 of the relations", "older Harp"]);
    with(&format!("{MANIFEST}rules = ['../x.dl']\n"), &["acme/harp-pack.toml:5:10", "the path leaves the pack"]);
    with(&format!("{MANIFEST}rules = ['/etc/*.dl']\n"), &["acme/harp-pack.toml:5:10", "absolute"]);
    with(&format!("{MANIFEST}rules = {}\n", "[".repeat(100_000)), &["harp-pack.toml is not valid"]);
    with("", &["has no `name`"]);
}

#[test]
fn includes_stay_in_the_pack() {
    let folder = with_pack();
    write(folder.path(), "outside.dl", ".decl outside(l: Loop)\noutside(l) :- loop(l, _).\n");
    write(folder.path(), "acme/rules/loop.dl", format!(".include \"../../outside.dl\"\n{RULE}"));
    refused(&folder, &["`../../outside.dl` cannot be included", "the path leaves the pack", "loop.dl:1:10"]);
}

#[test]
fn rules_of_packs_can_be_asked_with_what_they_include() {
    let folder = with_pack();
    write(folder.path(), "acme/library/often.dl", ".decl often(l: Loop)\noften(l) :- runs_often(l).\n");
    let rule = RULE.replace("loop(l, _)", "often(l)");
    write(folder.path(), "acme/rules/loop.dl", format!(".include \"../library/often.dl\"\n{rule}"));
    accepted(&folder);
    let (code, out, err) = told(&harp(folder.path(), &["query", "acme/loop.found(l)", "main.py", "--pack", "acme"]));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    contains(&out, "main.py:3");
}

#[cfg(unix)]
mod on_unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_out_of_the_pack_are_not_followed() {
        let folder = with_pack();
        write(folder.path(), "outside.dl", ".decl outside(l: Loop)\noutside(l) :- loop(l, _).\n");
        symlink(folder.path().join("outside.dl"), folder.path().join("acme/rules/linked.dl")).expect("a link");
        refused(&folder, &["`rules/linked.dl` is a link out of the pack"]);
        write(folder.path(), "acme/harp-pack.toml", format!("{MANIFEST}rules = ['rules/linked.dl']\n"));
        refused(&folder, &["`rules/linked.dl` is a link out of the pack", "acme/harp-pack.toml:5:10"]);
        write(folder.path(), "acme/harp-pack.toml", format!("{MANIFEST}rules = ['rules/loop.dl']\n"));
        accepted(&folder);
        write(folder.path(), "acme/rules/loop.dl", format!(".include \"linked.dl\"\n{RULE}"));
        refused(&folder, &["`rules/linked.dl` is a link out of the pack", "loop.dl:1:10"]);
    }

    #[test]
    fn linked_folders_are_not_followed_out() {
        let folder = with_pack();
        write(folder.path(), "outside/x.dl", RULE);
        symlink(folder.path().join("outside"), folder.path().join("acme/rules/more")).expect("a link");
        refused(&folder, &["`rules/more` is a link out of the pack"]);
        // A circle within the pack does no harm.
        fs::remove_file(folder.path().join("acme/rules/more")).expect("removed");
        symlink(folder.path().join("acme"), folder.path().join("acme/rules/more")).expect("a link");
        accepted(&folder);
    }

    #[test]
    fn the_packs_folder_itself_may_be_a_link() {
        let folder = with_pack();
        fs::rename(folder.path().join("acme"), folder.path().join("elsewhere")).expect("renamed");
        symlink(folder.path().join("elsewhere"), folder.path().join("acme")).expect("a link");
        accepted(&folder);
        let (code, out, _) = told(&harp(folder.path(), &["test", "acme"]));
        assert_eq!(code, Some(0), "{out}");
    }

    /// Opening a pipe that nobody writes to would wait for ever.
    #[test]
    fn pipes_and_devices_are_not_opened() {
        for path in ["acme/rules/pipe.dl", "acme/pipe.md", "acme/harp-pack.toml"] {
            let folder = with_pack();
            let pipe = folder.path().join(path);
            let _ = fs::remove_file(&pipe);
            let made = Command::new("mkfifo").arg(&pipe).status();
            assert!(made.is_ok_and(|status| status.success()), "mkfifo is there");
            refused(&folder, &["is not a regular file"]);
        }
        let folder = with_pack();
        symlink("/dev/zero", folder.path().join("acme/rules/zero.dl")).expect("a link");
        refused(&folder, &["`rules/zero.dl` is a link out of the pack"]);
    }

    #[test]
    fn names_with_escapes_are_shown_harmless() {
        let folder = with_pack();
        write(folder.path(), "acme/rules/a\u{1b}[31m\nb.dl", ".decl wrong(");
        refused(&folder, &["a\\u{1b}[31m b.dl:1:"]);
        let folder = with_pack();
        let name = std::ffi::OsStr::from_bytes(b"acme/rules/\xff.dl");
        fs::write(folder.path().join(name), RULE).expect("a file");
        refused(&folder, &["acme"]);
    }

    #[test]
    fn an_unreadable_file_is_told() {
        let folder = with_pack();
        let path = folder.path().join("acme/rules/loop.dl");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("permissions can be set");
        // Some users may read everything.
        if fs::read(&path).is_err() {
            refused(&folder, &["`rules/loop.dl` cannot be read"]);
        }
    }
}

/// The blocks of `docs/packs.md` in this language.
fn documented(fence: &str, language: &str) -> String {
    let text = include_str!("../../docs/packs.md");
    let opening = format!("\n{fence}{language}\n");
    let start = text.find(&opening).expect("the block is there") + opening.len();
    let end = text[start..].find(&format!("\n{fence}\n")).expect("the block ends");
    text[start..start + end + 1].to_owned()
}

#[test]
fn the_documented_pack_works() {
    let folder = folder(&[
        ("acme/harp-pack.toml", &documented("```", "toml")),
        ("acme/rules/created-in-loop.dl", &documented("```", "prolog")),
        ("acme/created-in-loop.md", &documented("````", "markdown")),
        ("acme/tests/more.md", "# More\n"),
    ]);
    let (code, out, err) = told(&harp(folder.path(), &["test", "acme"]));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert_eq!(out, "acme: 2 pages, 1 block, 2 statements, 0 failures\n");
}

#[test]
fn names_of_apis_that_are_misspelt_are_told() {
    let folder = with_pack();
    let rule = "/// Products.\n/// @id acme/loop   @message \"a product\"   @at s\n.decl found(s: Stmt)\n\
                found(s) :- call(_, s, \"torch.matmull\"); call(_, s, api), match(\"torch\\\\.Tensor\\\\.clon\", api);\n\
                call(_, s, api), api != \"numpy.concatinate\"; call(_, s, \"torch.my_own_function\").\n";
    write(folder.path(), "acme/rules/loop.dl", rule);
    let output = harp(folder.path(), &["check", "main.py", "--pack", "acme"]);
    let (_, _, error) = told(&output);
    insta::assert_snapshot!(error);
}

#[test]
fn a_note_names_the_line_of_the_schema() {
    let folder = with_pack();
    write(folder.path(), "acme/rules/loop.dl", RULE.replace("loop(l, _)", "loop(l)"));
    let (code, _, error) = told(&harp(folder.path(), &["check", "main.py", "--pack", "acme"]));
    let schema = String::from_utf8(harp(folder.path(), &["schema"]).stdout).expect("text");
    let line = schema.lines().position(|line| line.starts_with(".decl loop(")).expect("it is declared") + 1;
    assert_eq!(code, Some(2));
    contains(&error, &format!("schema.dl:{line}: declared here"));
}

#[test]
fn a_rule_on_request_speaks_where_its_id_or_tag_is_selected() {
    let rule = RULE.replace("@tags test", "@tags test, rare   @on-request");
    let project = folder(&[
        ("acme/harp-pack.toml", MANIFEST),
        ("acme/rules/loop.dl", &rule),
        ("acme/loop.md", PAGE),
        ("main.py", "for i in range(3):\n    print(i)\n"),
        ("harp.toml", "packs = ['acme']\n"),
    ]);
    let found = |arguments: &[&str]| {
        let (code, out, err) =
            told(&harp(project.path(), &[&["check", "main.py", "--format", "json-lines"], arguments].concat()));
        assert_ne!(code, Some(2), "{err}");
        out.matches("acme/loop").count()
    };
    assert_eq!(found(&[]), 0);
    assert_eq!(found(&["--select", "acme"]), 0);
    assert_eq!(found(&["--extend-select", "rare"]), 1);
    assert_eq!(found(&["--select", "acme/loop"]), 1);
    assert_eq!(found(&["--extend-select", "rare", "--ignore", "test"]), 0);
    // Its page is tested all the same.
    let (code, out, err) = told(&harp(project.path(), &["test", "acme"]));
    assert_eq!(code, Some(0), "{out}{err}");
    write(project.path(), "harp.toml", "packs = ['acme']\nextend-select = ['rare']\n");
    assert_eq!(found(&[]), 1);
    let (_, out, _) = told(&harp(project.path(), &["rules", "--pack", "acme"]));
    contains(&out, "test, rare, on request");
}
