//! What the relations say of calls: the arguments of all kinds of them, what runs in each iteration through calls, which files are tests.

use std::fs;
use std::process::Command;

use super::relations::Facts;

#[test]
fn arguments_are_told_of_every_call() {
    let facts = Facts::of(
        "\
import numpy as np
from nowhere import work

def scaled(x, factor=2.0):
    return x * factor

class Store:
    def __init__(self):
        self.items = []
    def add(self, item, weight=1):
        self.items.append((item, weight))
    @staticmethod
    def twice(x):
        return x * 2

store = Store()
a = np.ones(3)
store.add(scaled(a, factor=3.0), 5)
store.twice(a)
work(a, 7, mode='fast')
",
    );
    assert_eq!(facts.with("argument", "18:11-32 "), ["18:11-32 0 x 18:18-19", "18:11-32 1 factor 18:28-31"]);
    let add = facts.with("argument", "18:1-36 ");
    assert_eq!(add, ["18:1-36 0 self 18:1-6", "18:1-36 1 item 18:11-32", "18:1-36 2 weight 18:34-35"]);
    assert_eq!(facts.with("argument", "19:1-15 "), ["19:1-15 0 x 19:13-14"]);
    let unresolved = facts.with("argument", "20:1-24 ");
    assert_eq!(unresolved, ["20:1-24 0  20:6-7", "20:1-24 1  20:9-10", "20:1-24 -1 mode 20:17-23"]);
}

#[test]
fn operations_of_each_iteration_are_found_through_calls() {
    let facts = Facts::of(
        "\
import torch

def step(x, flag):
    y = x @ x
    if flag:
        y = y @ y
    return y

class Runner:
    def run(self, x, flag):
        return step(x, flag)

def loop(x, flag, n):
    runner = Runner()
    for i in range(n):
        z = runner.run(x, flag)
        if i % 10 == 0:
            z = z @ z
        try:
            w = z.sum()
        except RuntimeError:
            w = z.mean()
    return z

def main(x: torch.Tensor, flag, n):
    for epoch in range(3):
        loop(x, flag, n)

main(torch.rand(8, 8), bool(input()), int(input()))
",
    );
    let in_each = |place: &str| -> Vec<String> {
        let rows = facts.with("every_iteration", &format!("{place}#"));
        let mut loops: Vec<String> = rows.iter().filter_map(|row| Some(row.rsplit_once(' ')?.1.to_owned())).collect();
        loops.sort();
        loops.dedup();
        loops
    };
    assert_eq!(in_each("4:9-14"), ["15:5", "26:5"], "a product in a function that a method calls");
    assert!(in_each("6:13-18").is_empty(), "a branch of the function decides");
    assert!(in_each("18:17-22").is_empty(), "a branch of the loop decides");
    assert_eq!(in_each("20:17-24"), ["15:5", "26:5"], "a `try` decides on nothing");
}

#[test]
fn arguments_are_followed_to_what_made_them() {
    let facts = Facts::of(
        "\
import torch
import torch.nn as nn

class Run:
    def __init__(self):
        self.net = nn.Linear(8, 1)
        self.log = {}
        self.kept = []
    @property
    def loss(self):
        return self.log['loss']
    def step(self, x):
        self.log['loss'] = self.net(x).mean()
        return x, self.loss

def keep(run, value):
    run.kept.append(value)

run = Run()
opt = torch.optim.SGD(run.net.parameters(), lr=0.1)
params = (opt, 1)
for i in range(3):
    _, total = run.step(torch.rand(4, 8))
    keep(run, total)
    print(params[0])
",
    );
    let made = facts.with("operation", "13:28-46#");
    assert!(!made.is_empty());
    assert_eq!(facts.with("value_from", "17:21-26 "), ["17:21-26 13:28-46"]);
    assert_eq!(facts.with("value_from", "24:15-20 "), ["24:15-20 13:28-46"]);
    assert_eq!(facts.with("value_from", "25:11-20 "), ["25:11-20 20:7-52"]);
}

#[test]
fn files_of_tests_are_known_by_their_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in ["train.py", "latest.py", "tests/helpers.py", "pkg/test_net.py", "pkg/net_test.py", "conftest.py"] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "def f():\n    pass\n").expect("a file");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    let output = command.args(["query", "in_tests(f)", "."]).current_dir(folder.path()).output().expect("harp runs");
    let text = String::from_utf8_lossy(&output.stdout);
    for file in ["tests/helpers.py", "pkg/test_net.py", "pkg/net_test.py", "conftest.py"] {
        assert!(text.contains(file), "{file}: {text}");
    }
    assert!(!text.contains("train.py") && !text.contains("latest.py"), "{text}");
}
