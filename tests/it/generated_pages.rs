//! Reference pages that are written from what the program itself says: its help, the schema of the configuration, the library packs.
//! `HARP_WRITE_PAGES=1 cargo test --test it generated_pages` writes them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const COMMANDS: [&str; 17] = [
    "check",
    "audit",
    "review",
    "suppress",
    "infer",
    "explain",
    "why-not",
    "rules",
    "query",
    "facts",
    "graph",
    "schema",
    "new-pack",
    "test",
    "clean",
    "completions",
    "man",
];
const WRITTEN: &str = "<!-- HARP_WRITE_PAGES=1 cargo test --test it generated_pages -->\n\n";

#[track_caller]
fn is_up_to_date(page: &str, expected: &str) {
    if std::env::var_os("HARP_WRITE_PAGES").is_some() {
        fs::write(page, expected).expect("the page can be written");
    }
    assert_eq!(fs::read_to_string(page).unwrap_or_default(), expected, "write {page} with HARP_WRITE_PAGES=1");
}

// The help of a program without tables lacks a command.
#[cfg(feature = "tables")]
#[test]
fn the_options_are_those_of_the_help() {
    let mut page = format!(
        "# Options\n\n{WRITTEN}What `harp help COMMAND` prints. [commands.md](commands.md) describes what the commands are for.\n"
    );
    for command in COMMANDS {
        let output = Command::new(env!("CARGO_BIN_EXE_harp"))
            .args([command, "--help"])
            .env("NO_COLOR", "1")
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{command}");
        let help = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        page.push_str(&format!("\n## harp {command}\n\n```text\n{}\n```\n", lines.join("\n")));
    }
    is_up_to_date("docs/options.md", &page);
}

/// What a value of the configuration is.
fn kind(schema: &Value) -> String {
    if let Some(choices) = schema["enum"].as_array() {
        let choices: Vec<String> =
            choices.iter().filter_map(Value::as_str).map(|choice| format!("`{choice}`")).collect();
        return choices.join(", ");
    }
    if let Some(ways) = schema["anyOf"].as_array() {
        return ways.iter().map(kind).collect::<Vec<_>>().join(", or ");
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", kind(&schema["items"])),
        Some("object") => "table".to_owned(),
        Some(other) => other.to_owned(),
        None => "any".to_owned(),
    }
}

fn add_keys(schema: &Value, prefix: &str, rows: &mut String) {
    let Some(keys) = schema["properties"].as_object() else { return };
    for (key, described) in keys {
        let name = format!("{prefix}{key}");
        let text = described["description"].as_str().unwrap_or_default().replace('|', "\\|");
        rows.push_str(&format!("| `{name}` | {} | {text} |\n", kind(described)));
        add_keys(described, &format!("{name}."), rows);
        add_keys(&described["items"], &format!("{name}[]."), rows);
    }
}

#[test]
fn the_settings_are_those_of_the_schema() {
    let schema = fs::read_to_string("docs/harp.schema.json").expect("the schema is there");
    let schema: Value = serde_json::from_str(&schema).expect("it is JSON");
    let mut page = format!(
        "# Settings\n\n{WRITTEN}Keys of `harp.toml`, and of `[tool.harp]` in `pyproject.toml`, as [their schema](harp.schema.json) has them; \
         [configuration.md](configuration.md) describes them.\n\n| key | value | meaning |\n|---|---|---|\n"
    );
    add_keys(&schema, "", &mut page);
    is_up_to_date("docs/configuration-keys.md", &page);
}

/// The value of a key in the first column of a manifest, on one line.
fn manifest_value(manifest: &str, key: &str) -> String {
    let line = manifest.lines().find_map(|line| line.strip_prefix(&format!("{key}:")));
    line.unwrap_or_default().trim().trim_matches(['"', '[', ']']).to_owned()
}

/// The modules whose names a pack says in Python, and how many entries its files have.
fn contents(pack: &Path) -> (Vec<String>, usize) {
    let (mut modules, mut entries) = (Vec::new(), 0);
    let mut waiting = vec![pack.to_owned()];
    while let Some(folder) = waiting.pop() {
        for item in fs::read_dir(&folder).expect("the folder can be read").flatten() {
            let (path, name) = (item.path(), item.file_name().to_string_lossy().into_owned());
            match (path.is_dir(), path.extension().and_then(|it| it.to_str())) {
                (true, _) if name != "tests" => waiting.push(path),
                (false, Some("py")) if !name.split('.').any(|part| part.starts_with('_')) => {
                    modules.push(name.trim_end_matches(".py").to_owned());
                }
                (false, Some("yaml")) if folder.file_name().is_some_and(|it| it != "python") => {
                    let text = fs::read_to_string(&path).expect("the file can be read");
                    let begins = ["  - function:", "  - method:", "  - class:", "  - property:", "  - constant:"];
                    entries += text.lines().filter(|line| begins.iter().any(|begin| line.starts_with(begin))).count();
                }
                _ => {}
            }
        }
    }
    modules.sort();
    (modules, entries)
}

#[test]
fn the_libraries_are_those_of_the_packs() {
    let mut page = format!(
        "# Supported libraries\n\n{WRITTEN}What Harp knows of libraries lies in [library packs](libraries.md); these come with it. An entry describes one or more functions, \
         methods or classes, and a source in Python a module. What a pack does not describe gives unknown values, which `harp check --verbose` counts. \
         [Your own packs](libraries.md) have the same form.\n\n| pack | what | entries | sources in Python |\n|---|---|---:|---|\n"
    );
    let mut packs: Vec<_> = fs::read_dir("api_annotations").expect("the packs are there").flatten().collect();
    packs.sort_by_key(std::fs::DirEntry::file_name);
    for pack in packs {
        let manifest = fs::read_to_string(pack.path().join("harp-library.yaml")).expect("each pack has a manifest");
        let (modules, entries) = contents(&pack.path());
        let shown: Vec<String> = modules.iter().take(6).map(|module| format!("`{module}`")).collect();
        let more = modules.len().saturating_sub(shown.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let name = pack.file_name().to_string_lossy().into_owned();
        page.push_str(&format!(
            "| `{name}` | {} | {entries} | {}{more} |\n",
            manifest_value(&manifest, "description"),
            shown.join(", ")
        ));
    }
    is_up_to_date("docs/supported-libraries.md", &page);
}
