//! Decorators that document what they get are executed until that is plain; those that do more are executed each time.

use std::process::Command;

use serde_json::Value;

const MODULES: usize = 60;

/// A decorator that reads a text, word by word, and writes another.
const TOOLS: &str = "TEXT = '''
{text}
'''

KNOWN = {}


def words_of(text):
    found = []
    for line in text.strip().split('\\n'):
        for word in line.split(' '):
            if len(word) > 3:
                found.append(word.upper())
    return found


def documented(cls):
    cls.__doc__ = cls.__name__ + ': ' + ' '.join(words_of(TEXT))
    return cls


def known(cls):
    KNOWN[cls.__name__ + ''.join(words_of(TEXT))[:0]] = cls
    return cls
";

fn package(decorator: &str) -> Vec<(String, String)> {
    let text = vec!["each of these words is read before the class is given back"; 16].join("\n");
    let mut files = vec![("pack/tools.py".to_owned(), TOOLS.replace("{text}", &text))];
    let mut imports = String::new();
    for number in 0..MODULES {
        let module = format!(
            "from torch import nn\n\nfrom pack.tools import {decorator}\n\n\n@{decorator}\nclass Net{number}(nn.Module):\n    def __init__(self):\n        \
             super().__init__()\n        self.layer = nn.Linear({}, 4)\n\n    def forward(self, x):\n        return self.layer(x)\n",
            number + 1
        );
        files.push((format!("pack/net{number}.py"), module));
        imports += &format!("from pack.net{number} import Net{number}\n");
    }
    files.push(("pack/__init__.py".to_owned(), imports));
    files
}

/// What the report of a package says whose classes are decorated so, with a module that uses it.
fn check(decorator: &str, uses: &str) -> Value {
    let mut files = package(decorator);
    files.push(("pack/uses.py".to_owned(), uses.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let folder = crate::common::folder(&files);
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["check", "--format", "json", "--verbose", "."])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

/// Lines of `uses.py` that findings name.
fn lines(report: &Value) -> Vec<u64> {
    let labels = |finding: &Value| finding["labels"].as_array().expect("labels are a list").clone();
    let findings = report["findings"].as_array().expect("findings are a list");
    let places = findings.iter().flat_map(labels).map(|label| label["place"].clone());
    let mut lines: Vec<u64> = places
        .filter(|place| place["file"] == "pack/uses.py")
        .filter_map(|place| place["start"]["line"].as_u64())
        .collect();
    lines.dedup();
    lines
}

/// How many entries rest on that a decorator does what it did before.
fn rest_on_before(report: &Value) -> usize {
    let entries = report["summary"]["entries"].as_array().expect("entries are a list");
    entries.iter().filter(|entry| entry["assumptions"].to_string().contains("as-before")).count()
}

#[test]
fn what_is_documented_is_what_was_given() {
    let uses =
        "import torch\n\nfrom pack.net59 import Net59\n\nNet59()(torch.zeros(2, 60))\nNet59()(torch.zeros(2, 59))\n";
    let report = check("documented", uses);
    assert_eq!(lines(&report), [6], "{report:#}");
    assert!(rest_on_before(&report) > 0, "{report:#}");
}

#[test]
fn whoever_is_registered_is_known() {
    let uses = "import torch\n\nimport pack\nfrom pack.tools import KNOWN\n\nKNOWN['Net59']()(torch.zeros(2, 60))\n\
                KNOWN['Net59']()(torch.zeros(2, 59))\n";
    let report = check("known", uses);
    assert_eq!(lines(&report), [7], "{report:#}");
    assert_eq!(rest_on_before(&report), 0, "{report:#}");
}
