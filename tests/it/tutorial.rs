//! Does what a reader of the tutorials does: saves the blocks that have a file's name, runs the commands, and compares what
//! they say. `HARP_TUTORIAL=write cargo test --test it tutorial` puts what they say into the pages.

use std::fs;
use std::path::Path;
use std::process::Command;

const FIRST_CHECK: &str = "docs/first-check.md";
const RULES: &str = "docs/rules/tutorial.md";
const LIBRARIES: &str = "docs/libraries.md";

#[test]
fn the_first_check_can_be_followed() {
    can_be_followed(FIRST_CHECK);
}

#[test]
fn the_tutorial_of_rules_can_be_followed() {
    can_be_followed(RULES);
}

#[test]
fn the_tutorial_of_libraries_can_be_followed() {
    can_be_followed(LIBRARIES);
}

#[track_caller]
fn can_be_followed(name: &str) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let text = fs::read_to_string(&page).expect("the tutorial is there");
    let folder = tempfile::tempdir().expect("a folder");
    let followed = follow(&text, folder.path());
    if std::env::var("HARP_TUTORIAL").is_ok_and(|mode| mode == "write") {
        fs::write(&page, &followed).expect("the tutorial is written");
        return;
    }
    let differing = text.lines().zip(followed.lines()).position(|(stated, said)| !is_same(stated, said));
    if let Some(line) = differing {
        let part = |text: &str| text.lines().skip(line).take(30).collect::<Vec<_>>().join("\n");
        panic!("{name}:{}: the page says\n{}\n\nbut Harp says\n{}", line + 1, part(&text), part(&followed));
    }
    assert_eq!(text.lines().count(), followed.lines().count());
}

/// Whether two lines say the same. The schema grows, and with it the numbers of its lines.
fn is_same(stated: &str, said: &str) -> bool {
    let parts = |line: &str| -> Vec<String> {
        let mut parts = line.split("schema.dl:").map(str::to_owned);
        let first = parts.next();
        let rest = parts.map(|part| part.trim_start_matches(|digit: char| digit.is_ascii_digit()).to_owned());
        first.into_iter().chain(rest).collect()
    };
    stated == said || parts(stated) == parts(said)
}

/// The rules, pages and program of the tutorial are the reader's whole work, so they must be there.
#[test]
fn the_tutorial_has_three_rules_with_their_pages() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(RULES)).expect("the tutorial is there");
    for rule in ["unaligned-product", "created-on-cpu", "file-in-step"] {
        assert!(text.contains(&format!("```prolog acme/rules/{rule}.dl")), "{rule}");
        assert!(text.contains(&format!("````markdown acme/{rule}.md")), "{rule}");
    }
}

/// A pack with a class, a function with a rule of its own, and their pages.
#[test]
fn the_tutorial_of_libraries_has_a_whole_pack() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(LIBRARIES);
    let text = fs::read_to_string(page).expect("the tutorial is there");
    for block in
        ["yaml sonagram/harp-library.yaml", "yaml sonagram/functions.yaml", "python sonagram/python/sonagram.py"]
    {
        assert!(text.contains(&format!("```{block}\n")), "{block}");
    }
    for part in
        ["class Sonagram:", "def mix(", "$ harp test sonagram\nsonagram: 2 pages", "````markdown sonagram/tests/mix.md"]
    {
        assert!(text.contains(part), "{part}");
    }
}

/// The page with what the commands say when its steps are done in a folder.
fn follow(text: &str, folder: &Path) -> String {
    let mut followed = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        followed.push_str(line);
        followed.push('\n');
        let marks = line.len() - line.trim_start_matches('`').len();
        if marks < 3 {
            continue;
        }
        let (fence, info) = line.split_at(marks);
        let block: Vec<&str> = lines.by_ref().take_while(|inner| *inner != fence).collect();
        match info.split_once(' ') {
            Some((_, name)) => {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().expect("a folder of the tutorial")).expect("a folder can be made");
                fs::write(path, block.join("\n") + "\n").expect("a file of the tutorial");
                followed.push_str(&(block.join("\n") + "\n"));
            }
            None if info == "console" => {
                for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                    followed.push_str(&format!("$ {command}\n{}", run(command, folder)));
                }
            }
            None => followed.push_str(&(block.join("\n") + "\n")),
        }
        followed.push_str(fence);
        followed.push('\n');
    }
    followed
}

/// What a command says, without blanks at the ends of lines.
fn run(command: &str, folder: &Path) -> String {
    let mut words = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        // Every second part stands between quotes.
        if index % 2 == 1 { words.push(part) } else { words.extend(part.split_whitespace()) }
    }
    if words.first() == Some(&"rm") {
        words[1..].iter().for_each(|name| fs::remove_file(folder.join(name)).expect("the file is there"));
        return String::new();
    }
    assert_eq!(words.first(), Some(&"harp"), "the tutorial runs Harp alone: {command}");
    let output = Command::new(env!("CARGO_BIN_EXE_harp")).args(&words[1..]).current_dir(folder).output();
    let output = output.expect("harp runs");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).expect("UTF-8");
    said.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
