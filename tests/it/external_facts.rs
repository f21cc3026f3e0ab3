//! `--facts`: rows from files beside the program meet the relations of the program; what is wrong with them is told with its place.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

const PROGRAM: &str = "import time\nfor i in range(100):\n    time.sleep(\n        1\n    )\n    print(i)\n";

const MANIFEST: &str = "name = 'acme'\nversion = '0.1.0'\nschema_version = 1\nlicence = 'MIT'\n";

const RULE: &str = "\
.decl line_time(file: File, line: number, ms: number)
.input line_time
/// A slow line in a loop.
/// @id acme/slow   @message \"{ms} ms\"   @at s
.decl slow(s: Stmt, ms: number)
slow(s, ms) :- on_line(s, file, line), line_time(file, line, ms), ms > 100, inside(s, _).
.decl not_filled(x: symbol)
not_filled(x) :- line_time(x, _, _).
";

/// The exit code, what was reported, and what was said of files and rules.
struct Said {
    code: Option<i32>,
    out: String,
    error: String,
}

fn harp(folder: &Path, arguments: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_harp")).args(arguments).current_dir(folder).output();
    let output = output.expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("output is UTF-8");
    Said { code: output.status.code(), out: text(&output.stdout), error: text(&output.stderr) }
}

/// A folder with a program, a pack, and files of facts.
fn folder(facts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = [("main.py", PROGRAM), ("acme/harp-pack.toml", MANIFEST), ("acme/rules/slow.dl", RULE)];
    let facts = facts.iter().map(|(name, text)| (format!("facts/{name}"), *text));
    for (name, text) in pack.map(|(name, text)| (name.to_owned(), text)).into_iter().chain(facts) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn check(facts: &[(&str, &str)]) -> Said {
    harp(folder(facts).path(), &["check", "main.py", "--pack", "acme", "--facts", "facts"])
}

/// What is said of files of facts, without what else a run says.
fn mistakes(facts: &[(&str, &str)]) -> String {
    let said = check(facts);
    assert_eq!(said.code, Some(2), "{}\n{}", said.out, said.error);
    assert!(!said.out.contains("acme/slow"), "a file with a mistake has no rows: {}", said.out);
    said.error
}

#[test]
fn the_example_reports_the_slow_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = "examples/profiled/train.py";
    let pack = ["--pack", "examples/profiled/pack"];
    let with = ["--facts", "examples/profiled/facts"];
    let said = harp(root, &[&["check", program][..], &pack, &with].concat());
    assert_eq!((said.code, said.error.as_str()), (Some(1), ""), "{}", said.out);
    assert_eq!(said.out.matches("profiled/slow-line").count(), 1, "{}", said.out);
    assert!(said.out.contains("75 % of the measured time"), "{}", said.out);
    assert!(said.out.contains("examples/profiled/train.py:16:5"), "{}", said.out);
    let without = harp(root, &[&["check", program][..], &pack].concat());
    assert_eq!((without.code, without.error.as_str()), (Some(0), ""), "{}", without.out);
    let tests = harp(root, &["test", "examples/profiled/pack"]);
    assert_eq!(tests.code, Some(0), "{}{}", tests.out, tests.error);
    let place = ["explain", "profiled/slow-line@examples/profiled/train.py:16", program];
    let explained = harp(root, &[&place[..], &pack, &with].concat());
    assert!(
        explained.out.contains("{ on_line(s, file, line), line_time(file, line, n) }, with t = 702600"),
        "{}",
        explained.out
    );
}

#[test]
fn both_forms_say_the_same() {
    let csv = "ms,line,file,other\r\n150,4,main.py,\"a, b\"\r\n\r\n\"200\",6,./main.py,x\r\n90,1,main.py,\r\n";
    let json = "{\"file\": \"main.py\", \"line\": 4, \"ms\": 150, \"other\": [1]}\n\n\
                {\"ms\": 200, \"line\": 6, \"file\": \"main.py\"}\n{\"ms\": 90, \"line\": 1, \"file\": \"main.py\"}";
    for (name, text) in
        [("line_time.csv", csv), ("line_time.jsonl", json), ("line_time.csv", &format!("\u{feff}{csv}"))]
    {
        let said = check(&[(name, text), ("README.md", "not looked at")]);
        assert_eq!((said.code, said.error.as_str()), (Some(1), ""), "{name}: {}", said.out);
        // The second line of a statement is the statement's, too.
        for finding in ["main.py:3:5", "150 ms", "main.py:6:5", "200 ms"] {
            assert!(said.out.contains(finding), "{name}: no {finding} in {}", said.out);
        }
        assert_eq!(said.out.matches("acme/slow").count(), 2, "{name}: {}", said.out);
    }
}

#[test]
fn queries_see_the_rows_and_may_declare_inputs() {
    let folder =
        folder(&[("line_time.csv", "file,line,ms\nmain.py,3,7\n"), ("owner.csv", "file,team\nmain.py,core\n")]);
    let whole = folder.path().canonicalize().expect("a folder").join("main.py");
    fs::write(folder.path().join("other.csv"), "").expect("a file");
    let query = |text: &str| {
        harp(folder.path(), &["query", text, "main.py", "--pack", "acme", "--facts", "facts", "--format", "csv"])
    };
    let declared = ".decl owner(file: File, team: symbol)\n.input owner\nq(s, t) :- on_line(s, f, 3), owner(f, t).";
    let said = query(declared);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "s,t\r\nmain.py:3:5,core\r\n"), "{}", said.error);
    // Without the declaration, the file is a mistake.
    let said = query("line_time(_, line, ms)");
    assert_eq!((said.code, said.out.as_str()), (Some(2), "line,ms\r\n3,7\r\n"), "{}", said.error);
    assert!(said.error.contains("facts/owner.csv: no rule pack has an input `owner`"), "{}", said.error);
    // Other tools name files by absolute paths.
    let text = format!("file,team\n{},core\n", whole.display());
    fs::write(folder.path().join("facts/owner.csv"), text).expect("a file");
    assert!(query(declared).out.contains("main.py:3:5,core"));
}

#[test]
fn what_has_no_rows_or_no_file_is_told() {
    let said = check(&[]);
    assert!(said.error.contains("facts: cannot read facts: there is no such folder"), "{}", said.error);
    assert_eq!(said.code, Some(2));
    let said = check(&[("notes.txt", "")]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(said.error.contains("warning: `line_time` has no rows: there is no facts/line_time.csv"), "{}", said.error);
    let said = check(&[("line_time.csv", "file,line,ms\nelse.py,3,700\n")]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    insta::assert_snapshot!(said.error);
}

#[test]
fn names_of_files_that_mean_no_input_are_mistakes() {
    let shown = mistakes(&[
        ("line_tiem.csv", ""),
        ("loop.csv", ""),
        ("not_filled.csv", ""),
        ("owner.csv", ""),
        ("line_time.csv", "file,line,ms\n"),
        ("line_time.jsonl", ""),
        ("times.parquet", "PAR1"),
    ]);
    insta::assert_snapshot!(shown);
}

#[test]
fn mistakes_in_csv_are_shown_in_their_place() {
    let shown: Vec<String> = [
        "",
        "file,lin,ms\nmain.py,3,700\n",
        "file,line,ms,line\nmain.py,3,700,3\n",
        "file,line,ms\nmain.py,3\nmain.py,3,0.5\n\nmain.py,\"three\",700\nmain.py,3,x\n",
        "file,line,ms\nmain.py,3,99999999999999999999\n\"main.py,3,700\nmain.py,3,700\n",
    ]
    .iter()
    .map(|text| mistakes(&[("line_time.csv", text)]))
    .collect();
    insta::assert_snapshot!(shown.join("\n----\n"));
}

#[test]
fn mistakes_in_json_are_shown_in_their_place() {
    let shown = mistakes(&[(
        "line_time.jsonl",
        "{\"file\": \"main.py\", \"line\": 3, \"ms\": 700}\n[1]\n{\"file\": \"é\", \"line\": é}\n",
    )]);
    let types = mistakes(&[(
        "line_time.jsonl",
        "{\"file\": 3, \"line\": 3, \"ms\": 7}\n{\"file\": \"m\", \"line\": 1.5, \"ms\": 7}\n{\"file\": \"m\", \"Line\": 1, \"ms\": 7}\n",
    )]);
    insta::assert_snapshot!([shown, types].join("\n----\n"));
}

#[test]
fn bytes_that_are_no_rows_do_no_harm() {
    let folder = folder(&[("line_time.csv", "")]);
    let long = format!("file,line,ms\n{}", "\"".repeat(100_001));
    let deep = format!("{}{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    let wide = format!("file,line,ms\n{}\n", ",".repeat(300_000));
    for (name, bytes) in [
        ("line_time.csv", &b"\xff\xfe"[..]),
        ("line_time.csv", b"file,line,ms\n\x00,\x1b[31m,\x07\n"),
        ("line_time.csv", b"\r\r\n\n,\"\r"),
        ("line_time.csv", long.as_bytes()),
        ("line_time.csv", wide.as_bytes()),
        ("line_time.jsonl", deep.as_bytes()),
        ("line_time.jsonl", format!("\"{}\"", "é".repeat(300_000)).as_bytes()),
        ("line_time.jsonl", "{\"file\": \"\u{2028}\\ud800\"}\u{85}é".as_bytes()),
    ] {
        let _ = fs::remove_file(folder.path().join("facts/line_time.csv"));
        fs::write(folder.path().join("facts").join(name), bytes).expect("a file");
        let said = harp(folder.path(), &["check", "main.py", "--pack", "acme", "--facts", "facts"]);
        assert_eq!(said.code, Some(2), "{name}: {}", said.error);
        assert!(!said.error.contains("panicked") && !said.error.contains('\u{1b}'), "{name}: {}", said.error);
        assert!(said.error.len() < 20_000, "{name}: {} bytes", said.error.len());
        let _ = fs::remove_file(folder.path().join("facts").join(name));
    }
}

#[test]
fn files_have_bounds() {
    let folder = folder(&[("line_time.csv", "")]);
    let file = fs::File::create(folder.path().join("facts/line_time.csv")).expect("a file");
    file.set_len((16 << 20) + 1).expect("a length");
    let said = harp(folder.path(), &["check", "main.py", "--pack", "acme", "--facts", "facts"]);
    assert!(said.error.contains("facts/line_time.csv: cannot read facts: it is larger than 16 MiB"), "{}", said.error);
    assert_eq!(said.code, Some(2));
}
