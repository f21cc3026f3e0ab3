//! What is found does not depend on how a program is written. `tests/tools/same_meaning.py` makes more such changes, of more programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::{folder, report_of};

/// Programs of `tests/data/programs`, each with a text, and what makes a mistake of it.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("mixup_multitask.py", "nn.Linear(40, n)", "nn.Linear(n, 40)"),
    ("hetero_mtl.py", "[self.backbone.out_dim, 8, 1]", "[width, 8, 1]"),
    ("bert_pairs.py", "self.h, self.d).permute", "self.d, self.d).permute"),
];

/// Lines, each with the number that it had at first.
type Lines = Vec<(String, Option<u64>)>;

fn lines_of(program: &str) -> Lines {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/programs").join(program);
    let text = fs::read_to_string(path).expect("a program");
    let (_, old, new) = PROGRAMS.iter().find(|(name, ..)| *name == program).expect("one of the programs");
    let plain = text.split('\n').map(|line| line.find("#!").map_or(line, |mark| line[..mark].trim_end()));
    plain.zip(1..).map(|(line, number)| (line.replace(old, new), Some(number))).collect()
}

/// Rule, severity, certainty and message of all that is found, with the line that it had at first.
fn findings(lines: &Lines, aliases: &[(&str, &str)]) -> BTreeMap<String, usize> {
    let text: Vec<&str> = lines.iter().map(|(line, _)| line.as_str()).collect();
    let folder = folder(&[("main.py", text.join("\n"))]);
    let report = report_of(folder.path(), &[]);
    let mut found = BTreeMap::new();
    for finding in report["findings"].as_array().expect("a list of findings") {
        let line = finding["place"]["start"]["line"].as_u64().expect("a line");
        let origin = usize::try_from(line).ok().and_then(|line| lines[line - 1].1);
        let mut message = finding["message"].as_str().expect("a message").to_owned();
        for (alias, name) in aliases {
            message = message.replace(alias, name);
        }
        let said = format!("{} {} {} {origin:?} {message}", finding["rule"], finding["severity"], finding["certain"]);
        *found.entry(said).or_insert(0) += 1;
    }
    found
}

fn with_blank_lines(lines: &Lines) -> Lines {
    let begins = |line: &str| line.starts_with("def ") || line.starts_with("class ");
    let added =
        |line: &str| if begins(line) { vec![(String::new(), None), ("# next".to_owned(), None)] } else { Vec::new() };
    lines.iter().flat_map(|line| added(&line.0).into_iter().chain([line.clone()])).collect()
}

fn within_if(lines: &Lines) -> Lines {
    let indented = |(line, number): &(String, Option<u64>)| {
        (if line.is_empty() { String::new() } else { format!("    {line}") }, *number)
    };
    [("if True:".to_owned(), None)].into_iter().chain(lines.iter().map(indented)).collect()
}

fn with_other_imports(lines: &Lines) -> Lines {
    let renamed = |(line, number): &(String, Option<u64>)| {
        let line = line
            .replace("torch.", "torch_.")
            .replace("@dataclass", "@record")
            .replace("import torch_.", "import torch.");
        let line = if line == "import torch" { "import torch as torch_".to_owned() } else { line };
        let line =
            line.replace("from torch_.", "from torch.").replace("import dataclass", "import dataclass as record");
        (line, *number)
    };
    lines.iter().map(renamed).collect()
}

#[test]
fn the_same_is_found_however_a_program_is_written() {
    for (program, ..) in PROGRAMS {
        let lines = lines_of(program);
        let expected = findings(&lines, &[]);
        assert!(!expected.is_empty(), "{program} says nothing");
        assert_eq!(findings(&with_blank_lines(&lines), &[]), expected, "{program} with blank lines");
        assert_eq!(findings(&within_if(&lines), &[]), expected, "{program} within `if True:`");
        let aliases = [("torch_.", "torch."), ("record", "dataclass")];
        assert_eq!(findings(&with_other_imports(&lines), &aliases), expected, "{program} with other names");
    }
}
