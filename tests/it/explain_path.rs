//! `harp check --explain-path` in all forms of the output, on programs with each kind of step.

use std::process::Command;

/// A network whose constructor decides sizes, and a training script that makes it.
const FILES: [(&str, &[u8]); 2] = [
    (
        "model.py",
        br#"from torch import nn


class Net(nn.Module):
    def __init__(self, wide, depth):
        super().__init__()
        width = 96 if wide else 48
        self.first = nn.Linear(20, width)
        self.rest = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.last = nn.Linear(50, 3)

    def forward(self, x):
        if x.dim() != 2:
            raise ValueError("one row for each example")
        x = self.first(x)
        for layer in self.rest:
            x = layer(x)
        return self.last(x)
"#,
    ),
    (
        "train.py",
        br#"import argparse

import torch
from torch.utils.data import DataLoader, TensorDataset

from model import Net


def read(path):
    lengths = [int(line) for line in open(path)]
    if len(lengths) > 3:
        table = torch.rand(6, 4)
    else:
        table = torch.rand(7, 4)
    return table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    net = Net(args.wide, depth=2)
    examples = TensorDataset(torch.rand(100, 20), torch.rand(100))
    for epoch in range(args.epochs):
        for x, y in DataLoader(examples, batch_size=32):
            if args.epochs > 1 and not args.wide:
                net(x)
            if torch.rand(1).item() > 0.5:
                x = x * 2
            x.view(32, 20)
    read("table.txt") @ torch.rand(5, 2)


if __name__ == "__main__":
    main()
"#,
    ),
];

fn check(arguments: &[&str]) -> String {
    let folder = crate::common::folder(&FILES);
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["check", "."])
        .args(arguments)
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

#[test]
fn text_shows_the_way_below_each_finding() {
    let shown = check(&["--explain-path"]);
    let ways: Vec<&str> = shown
        .split("\nerror")
        .flat_map(|finding| finding.find("path to this finding:").map(|at| &finding[at..]))
        .collect();
    insta::assert_snapshot!(ways.join("\n"));
}

#[test]
fn json_has_the_steps_one_by_one() {
    let document: serde_json::Value =
        serde_json::from_str(&check(&["--explain-path", "--format", "json"])).expect("JSON");
    let finding = &document["findings"][0];
    insta::assert_snapshot!(serde_json::to_string_pretty(&finding["path"]).expect("JSON"));
    let plain: serde_json::Value = serde_json::from_str(&check(&["--format", "json"])).expect("JSON");
    assert_eq!(plain["findings"][0].get("path"), None, "nobody asked");
    assert_eq!(plain["findings"][0]["message"], finding["message"]);
}

#[test]
fn sarif_has_a_code_flow() {
    let document: serde_json::Value =
        serde_json::from_str(&check(&["--explain-path", "--format", "sarif"])).expect("JSON");
    let flows = &document["runs"][0]["results"][0]["codeFlows"];
    assert_eq!(flows.as_array().map(Vec::len), Some(1));
    let locations = flows[0]["threadFlows"][0]["locations"].as_array().expect("locations");
    assert!(locations.len() > 5);
    insta::assert_snapshot!(serde_json::to_string_pretty(&locations[0]).expect("JSON"));
}

#[test]
fn long_ways_are_cut_and_escaped() {
    let mut source = String::from("import torch\n\n\ndef f(x, n):\n");
    for index in 0..300 {
        source.push_str(&format!("    if n == {index} or x == '\u{202e}':\n        n += 1\n"));
    }
    source.push_str("    torch.rand(2, 3) @ torch.rand(4, 5)\n");
    let folder = crate::common::folder(&[("long.py", source.as_bytes())]);
    let run = || {
        let output = Command::new(env!("CARGO_BIN_EXE_harp"))
            .args(["check", "--explain-path", "long.py"])
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .output()
            .expect("the program starts");
        String::from_utf8(output.stdout).expect("output is UTF-8")
    };
    let shown = run();
    let way = shown.find("path to this finding:").map(|at| &shown[at..]).expect("a way");
    assert!(way.contains("more steps, which are repeated or matter least, are not shown"), "{way}");
    assert!(way.lines().count() < 60, "{way}");
    assert!(!shown.contains('\u{202e}'));
    assert_eq!(shown, run());
}
