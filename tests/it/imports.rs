//! Files given by name, and what they import from beside them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The report of `harp check` in a folder, as JSON.
fn check(folder: &Path, paths: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["check", "--format", "json", "--verbose"])
        .args(paths)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    serde_json::from_slice(&output.stdout).expect("the report is JSON")
}

/// `FILE:LINE: MESSAGE` of each finding.
fn findings(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().expect("findings are a list");
    let place = |finding: &Value| {
        let (file, line) = (finding["place"]["file"].as_str()?.to_owned(), finding["place"]["start"]["line"].as_u64()?);
        Some(format!("{file}:{line}: {}", finding["message"].as_str()?))
    };
    findings.iter().map(|finding| place(finding).expect("a finding has a place")).collect()
}

const LAYER: &str = "import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    def forward(self, x):
        return self.layer(x)

def never_called(x: torch.Tensor):
    return torch.zeros(2) + torch.zeros(3)
";

#[test]
fn a_script_is_checked_with_the_modules_beside_it() {
    let folder = crate::common::folder(&[
        ("train.py", "import torch\nfrom net import Net\nreveal_type(Net()(torch.zeros(2, 3)))\n"),
        ("wrong.py", "import torch\nfrom net import Net\nNet()(torch.zeros(2, 5))\n"),
        ("net.py", LAYER),
        ("other.py", "import torch\ntorch.zeros(2) + torch.zeros(3)\n"),
    ]);
    let report = check(folder.path(), &["train.py"]);
    assert_eq!(findings(&report), ["train.py:3: [2, 4] float32 on cpu"]);
    let summary = &report["summary"];
    assert_eq!((summary["files"].as_u64(), summary["lines"].as_u64()), (Some(1), Some(3)));
    assert_eq!(summary["imported"].as_u64(), Some(1));
    assert_eq!(summary["entries"].as_array().map(Vec::len), Some(1));
    // What fails there is reported there, once.
    let report = check(folder.path(), &["wrong.py", "train.py"]);
    let lines: Vec<String> = findings(&report).iter().map(|it| it.split(": ").next().unwrap().to_owned()).collect();
    assert_eq!(lines, ["net.py:10", "train.py:3"]);
    // What is given is checked, too, whoever imports it.
    let report = check(folder.path(), &["train.py", "net.py"]);
    assert_eq!(report["summary"]["imported"].as_u64(), Some(0));
    assert_eq!(findings(&report).len(), 2);
}

#[test]
fn imports_lead_on_through_packages_and_from_the_current_folder() {
    let folder = crate::common::folder(&[
        ("tools/train.py", "import torch\nfrom models.blocks import make\nreveal_type(make()(torch.zeros(2, 3)))\n"),
        ("models/__init__.py", "from .sizes import WIDTH\n"),
        (
            "models/blocks.py",
            "from . import WIDTH\nfrom .deep import layer as made\ndef make():\n    return made.layer(WIDTH)\n",
        ),
        ("models/sizes.py", "WIDTH = 7\n"),
        ("models/deep/layer.py", "from torch import nn\ndef layer(width):\n    return nn.Linear(3, width)\n"),
        ("models/unused.py", "x = (\n"),
    ]);
    let report = check(folder.path(), &["tools/train.py"]);
    assert_eq!(findings(&report), ["tools/train.py:3: [2, 7] float32 on cpu"]);
    assert_eq!(report["summary"]["imported"].as_u64(), Some(4));
    // A module within a package finds what is beside the package's outermost folder, wherever Harp is started.
    let report = check(&folder.path().join("models/deep"), &["../blocks.py"]);
    assert_eq!(report["summary"]["imported"].as_u64(), Some(3));
    assert_eq!(report["summary"]["not_understood"].as_array().map(Vec::len), Some(0));
}

#[test]
fn modules_beside_a_script_do_not_stand_for_libraries_and_broken_ones_are_told() {
    let folder = crate::common::folder(&[
        ("main.py", "import os, torch\nimport broken\nimport os.path\nreveal_type(torch.zeros(2))\n"),
        ("broken.py", "x = (\n"),
        ("torch.py", "def zeros(n):\n    return 5\n"),
    ]);
    let report = check(folder.path(), &["main.py"]);
    let found = findings(&report);
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("broken.py:"), "{found:?}");
    assert_eq!(found[1], "main.py:4: [2] float32 on cpu");
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_out_of_the_folder() {
    let outside = crate::common::folder(&[("secret.py", "WIDTH = 7\n"), ("far/net.py", "WIDTH = 7\n")]);
    let folder =
        crate::common::folder(&[("main.py", "from secret import WIDTH\nfrom far.net import WIDTH as other\n")]);
    std::os::unix::fs::symlink(outside.path().join("secret.py"), folder.path().join("secret.py")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("far"), folder.path().join("far")).unwrap();
    let report = check(folder.path(), &["main.py"]);
    assert_eq!(report["summary"]["imported"].as_u64(), Some(0));
}

#[test]
fn more_than_is_read_is_told() {
    let names: Vec<String> = (0..600).map(|number| format!("part{number}")).collect();
    let mut files: Vec<(String, String)> = names.iter().map(|it| (format!("{it}.py"), "x = 1\n".to_owned())).collect();
    files.push(("main.py".to_owned(), names.iter().map(|it| format!("import {it}\n")).collect()));
    files.push(("none.py".to_owned(), "import large\n".to_owned()));
    files.push(("large.py".to_owned(), "#".repeat(6 << 20)));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let folder = crate::common::folder(&files);
    let report = check(folder.path(), &["main.py"]);
    assert_eq!(report["summary"]["imported"].as_u64(), Some(512));
    let reason = report["summary"]["skipped"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, "above the limit of 512 files or 16 MiB");
    // So is a file that is too large to be read.
    let report = check(folder.path(), &["none.py"]);
    assert_eq!(report["summary"]["skipped"][0]["path"].as_str(), Some("large.py"));
}
