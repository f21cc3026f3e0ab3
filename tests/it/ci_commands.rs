//! What is printed commands nobody: whatever names and texts are analysed or typed, no line of any output is a command to a CI system, and no
//! character changes a terminal. `src/report/guard.rs` says what these take for commands.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// What each system takes for a command, and what terminals obey.
const HOSTILE: [&str; 9] = [
    "::error file=a,line=1::owned",
    "##[error]owned",
    "##vso[task.setvariable variable=a]owned",
    "##teamcity[buildProblem description='owned']",
    "\n::stop-commands::owned",
    "\r \t\u{a0}\u{3000}::add-mask::owned",
    "\u{2028}::set-output name=a::owned",
    "section_start:1:owned\r\u{1b}[0K",
    "\u{1b}[31m\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\u{2066}\u{200b}",
];

/// How many lines of a text each system takes for a command, or characters that change a terminal.
fn harm(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    let lines = text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    let is_command = |line: &&str| {
        let marker = line.match_indices("##").any(|(at, _)| {
            let rest = line[at..].trim_start_matches('#').trim_start_matches(|word: char| word.is_alphanumeric());
            rest.starts_with('[')
        });
        marker || without_colours(line).trim_start().starts_with("::")
    };
    let commands = lines.filter(is_command).map(str::to_owned);
    let is_harmful = |it: &char| {
        (it.is_control() && !"\n\t".contains(*it))
            || matches!(it, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let harmful = without_colours(&text).chars().find(is_harmful).map(|it| format!("{it:?}"));
    commands.chain(harmful).collect()
}

/// Sequences such as `ESC [1m` are of Harp's own where there are colours; others are left in.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.trim_start_matches(|code: char| code.is_ascii_digit() || code == ';');
        match end.strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            None => plain.extend(["\u{1b}[", part]),
        }
    }
    plain
}

/// Runs `harp`, and gives its exit code and both streams, which do no harm.
#[track_caller]
fn harp(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .output()
        .expect("the program starts");
    let mut both = String::new();
    for stream in [output.stdout, output.stderr] {
        let text = String::from_utf8(stream).expect("output is UTF-8");
        assert_eq!(harm(&text), [""; 0], "{arguments:?}");
        assert!(arguments.contains(&"always") || !text.contains('\u{1b}'), "{arguments:?}");
        both.push_str(&text);
    }
    (output.status.code(), both)
}

/// A project in which everything that has a name has a hostile one.
fn project() -> TempDir {
    let folder = crate::common::folder::<&str>(&[]);
    let write = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    for hostile in HOSTILE {
        let literal: String = hostile.chars().filter(|it| !it.is_control() && *it != '\'').collect();
        let text = format!(
            "import argparse\nimport torch\n\
             parser = argparse.ArgumentParser('''{raw}''')\nparser.add_argument('--size', type=int, default=3, help='{literal}')\n\
             args = parser.parse_args()\nx = {{'{literal}': torch.rand(2, args.size)}}  {raw_line}\n\
             y = x['{literal}'] @ torch.rand(5, 6) # {raw_line}\nreveal_type(x['{literal}'])\nunknown('''{raw}''', y, x['''\n{raw}'''])\n\
             def f(a, b=3):\n    c = a.view(b, 4)\n    for i in range(10):\n        d = torch.eye(3)\n    return c @ d\n",
            raw = hostile.replace('\'', "\""),
            raw_line = hostile.replace(['\n', '\r', '\u{2028}'], " "),
        );
        write(&folder.path().join("src").join(format!("{hostile}.py")), &text);
        write(&folder.path().join("src").join(hostile).join("__init__.py"), "def broken(:\n");
        write(&folder.path().join("src").join(format!("{hostile}.ipynb")), hostile);
    }
    folder
}

#[test]
fn reports_command_nobody() {
    let folder = project();
    for color in ["never", "always"] {
        for options in
            [&[][..], &["--verbose", "--explain-path", "--profile"], &["--format", "json"], &["--format", "sarif"]]
        {
            let (code, out) = harp(folder.path(), &[&["check", "src", "--color", color], options].concat());
            assert_eq!(code, Some(1), "{out}");
            assert!(out.contains("shape/mismatch") && out.contains("owned"), "{out}");
        }
    }
    for form in ["text", "json", "pyi", "jaxtyping"] {
        let (code, out) = harp(folder.path(), &["infer", "src", "--all", "--format", form]);
        assert!(code == Some(0) && out.contains("owned"), "{out}");
    }
}

#[test]
fn answers_command_nobody() {
    let folder = project();
    let place = "src/::error file=a,line=1::owned.py:7";
    for arguments in [
        &["explain", place, "src"][..],
        &["explain", place, "src", "--format", "json"],
        &["explain", "0000", "src"],
        &["explain", "src/##[error]owned.py:1", "src"],
        &["why-not", "shape/mismatch", place, "src"],
        &["why-not", "shape/mismatch", "src/##[error]owned.py:1", "src"],
        &["why-not", "shape/mismatch", "src/##[error]owned.py:1", "src", "--format", "json"],
        &["query", "shape(e, s)", "src"],
        &["query", "text(e, s)", "src"],
        &["query", "text(e, s)", "src", "--format", "json"],
        &["query", "text(e, s)", "src", "--format", "csv"],
        &["query", "text(e, \n::error::\n##[error]", "src"],
    ] {
        let (_, out) = harp(folder.path(), arguments);
        assert!(out.contains("owned") || out.contains("error"), "{arguments:?}: {out}");
    }
}

#[test]
fn facts_and_drawings_command_nobody_and_stay_what_they_are() {
    let folder = project();
    let (code, drawing) = harp(folder.path(), &["graph", "src"]);
    assert!(code == Some(0) && drawing.contains("##\\\\[error]owned"), "{drawing}");
    for (format, output) in [("souffle", "facts"), ("json", "json")] {
        let (code, out) = harp(folder.path(), &["facts", "src", "--output", output, "--format", format]);
        assert_eq!(code, Some(0), "{out}");
        for file in fs::read_dir(folder.path().join(output)).expect("a folder").flatten() {
            let text = fs::read_to_string(file.path()).expect("facts are UTF-8");
            assert_eq!(harm(&text), [""; 0], "{file:?}");
        }
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("facts");
    let json: serde_json::Value = serde_json::from_str(&read("json/facts.json")).expect("JSON");
    let relations = json["relations"].as_object().expect("relations");
    assert!(read("json/facts.json").contains("##\\u005berror]owned"), "the same text for a parser");
    for (name, rows) in relations {
        let width = rows[0].as_array().map(Vec::len);
        for line in read(&format!("facts/{name}.facts")).lines() {
            assert_eq!(Some(line.split('\t').count()), width.filter(|width| *width > 0).or(Some(1)), "{name}: {line}");
        }
    }
}

#[test]
fn what_is_typed_commands_nobody() {
    let folder = crate::common::folder(&[("a.py", "x = 1\n")]);
    let all = HOSTILE.join("\n");
    let broken = &format!("a\n{all}");
    let typed = |arguments: &[&str]| {
        let (code, out) = harp(folder.path(), arguments);
        assert!(code == Some(2) && !out.is_empty(), "{arguments:?}: {out}");
    };
    // Each command has all of them, and each of them is the beginning of what is typed in some commands.
    let beginning = |index: usize| format!("{}\n{all}", HOSTILE[index % HOSTILE.len()]);
    for (index, arguments) in TYPED.iter().enumerate() {
        for text in [broken, &beginning(index), &beginning(index + HOSTILE.len() / 2)] {
            let filled: Vec<String> = arguments.iter().map(|argument| argument.replace("HOSTILE", text)).collect();
            typed(&filled.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
    for hostile in HOSTILE {
        typed(&[hostile]);
        typed(&["check", "a.py", &format!("--{hostile}")]);
        typed(&["check", "a.py", &format!("--format={broken}")]);
    }
}

/// Where a user may type anything.
const TYPED: [&[&str]; 22] = [
    &["HOSTILE"],
    &["check", "HOSTILE"],
    &["check", "a.py", "--HOSTILE"],
    &["check", "a.py", "--format=HOSTILE"],
    &["check", "a.py", "--color", "always", "--config", "HOSTILE"],
    &["check", "a.py", "--annotations", "HOSTILE"],
    &["check", "a.py", "--pack", "HOSTILE"],
    &["check", "a.py", "--python", "HOSTILE"],
    &["check", "a.py", "--exclude", "!HOSTILE"],
    &["check", "a.py", "--args", "'HOSTILE"],
    &["check", "a.py", "--max-file-size", "HOSTILE"],
    &["check", "a.py", "--output", "HOSTILE/no/such"],
    &["explain", "HOSTILE", "a.py"],
    &["explain", "HOSTILE@a.py:1", "a.py"],
    &["why-not", "HOSTILE", "a.py:1"],
    &["why-not", "shape/mismatch", "HOSTILE:1", "a.py"],
    &["rules", "HOSTILE"],
    &["query", "HOSTILE", "a.py"],
    &["test", "HOSTILE"],
    &["new-pack", "HOSTILE"],
    &["graph", "HOSTILE"],
    &["infer", "HOSTILE", "--format", "HOSTILE"],
];

#[test]
fn configurations_and_packs_command_nobody() {
    for hostile in HOSTILE {
        let in_toml: String = hostile.chars().filter(|it| *it == '\t' || !it.is_control()).collect();
        let quoted = format!("{hostile:?}");
        let folder = crate::common::folder(&[
            ("a.py", "import torch\ntorch.rand(2, 3) @ torch.rand(4, 5)\n".to_owned()),
            ("key.toml", format!("\"{in_toml}\" = 1\n")),
            ("line.toml", format!("exclude = [ # {in_toml}\n{in_toml}\n")),
            ("rule.toml", format!("ignore = [\"\"\"\n{in_toml}\"\"\"]\n")),
            ("broken.yaml", format!("library: [\n{hostile}\n")),
            (
                "pack/harp-pack.toml",
                "name = \"pack\"\nversion = \"0.1.0\"\nschema_version = 1\nlicence = \"MIT\"\ndescription = \"x\"\n"
                    .to_owned(),
            ),
            ("pack/rules/found.dl", format!("// {in_toml}\n{quoted}\n")),
            ("pack/found.md", format!("# pack/found\n\n{hostile}\n\n```python\nx = 1  # error: \"{in_toml}\"\n```\n")),
        ]);
        for arguments in [
            &["check", "a.py", "--config", "key.toml"][..],
            &["check", "a.py", "--config", "line.toml"],
            &["check", "a.py", "--config", "rule.toml"],
            &["check", "a.py", "--annotations", "broken.yaml"],
            &["check", "a.py", "--pack", "pack", "--color", "always"],
            &["rules", "--pack", "pack"],
            &["test", "pack"],
            &["test", "pack", "--format", "json"],
        ] {
            let (code, out) = harp(folder.path(), arguments);
            assert_eq!(code, Some(2), "{arguments:?}: {out}");
        }
    }
}

/// A pack that works, whose texts are hostile.
#[test]
fn pages_and_findings_of_packs_command_nobody() {
    let folder = crate::common::folder(&[("a.py", "import torch\nfor i in range(10):\n    x = torch.zeros(3)\n")]);
    assert_eq!(harp(folder.path(), &["new-pack", "ours"]).0, Some(0));
    let edit = |path: &str, edit: &dyn Fn(String) -> String| {
        let path = folder.path().join("ours").join(path);
        fs::write(&path, edit(fs::read_to_string(&path).expect("a file"))).expect("a file");
    };
    edit("created-in-loop.md", &|page| format!("{page}\n{}\n", HOSTILE.join("\n")));
    edit("rules/created-in-loop.dl", &|rule| rule.replacen("@title", "@title ::error::owned ##[error]owned", 1));
    for arguments in [
        &["rules", "ours/created-in-loop", "--pack", "ours"][..],
        &["rules", "ours/created-in-loop", "--pack", "ours", "--format", "json"],
        &["rules", "--pack", "ours"],
        &["check", "a.py", "--pack", "ours"],
        &["test", "ours"],
    ] {
        let (_, out) = harp(folder.path(), arguments);
        assert!(out.contains("created-in-loop") || out.contains("ours"), "{arguments:?}: {out}");
    }
    let (_, page) = harp(folder.path(), &["rules", "ours/created-in-loop", "--pack", "ours"]);
    assert!(page.contains("\n:\\:error file=a,line=1::owned\n##\\[error]owned\n##vso\\[task"), "{page}");
}
