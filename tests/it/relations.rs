//! What the relations say of programs: contexts, hot paths, phases, devices, chains of calls, input and output.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The relations of a program.
pub(super) struct Facts(tempfile::TempDir);

impl Facts {
    pub(super) fn of(program: &str) -> Facts {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.py"), program).expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        let output = command
            .args(["facts", "a.py", "--output", "facts"])
            .current_dir(folder.path())
            .output()
            .expect("harp runs");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        Facts(folder)
    }

    /// The rows with a text in them, columns separated by blanks.
    pub(super) fn with(&self, relation: &str, part: &str) -> Vec<String> {
        let path = self.0.path().join(format!("facts/{relation}.facts"));
        let text = fs::read_to_string(path).expect("the relation is there");
        let rows = text.lines().map(|row| row.replace("a.py:", "").replace('\t', " "));
        rows.filter(|row| row.contains(part)).collect()
    }

    pub(super) fn all(&self, relation: &str) -> Vec<String> {
        self.with(relation, "")
    }

    /// How many assumptions the only answer to a question rests on.
    pub(super) fn assumptions(&self, question: &str) -> usize {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
        let command = command.args(["query", question, "a.py", "--assumptions"]).current_dir(self.0.path());
        let output = command.output().expect("harp runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("1 answer"), "{question}: {text}");
        text.lines().filter(|line| line.trim_start().starts_with("assumes ")).count()
    }
}

#[test]
fn contexts_reach_through_calls_and_decorators() {
    let facts = Facts::of(
        "\
import torch
from torch.cuda.amp import autocast as cast

def product(x):
    return x @ x

def step(x):
    with cast():
        y = product(x)
    with torch.autocast('cuda'):
        with torch.autocast('cuda', enabled=False):
            z = x @ x
    return y + z

@torch.no_grad()
def evaluate(x):
    step(x)
    with torch.enable_grad():
        return x @ x
evaluate(torch.rand(3, 3))
",
    );
    assert_eq!(facts.with("context", "9:9 torch.cuda"), ["9:9 torch.cuda.amp.autocast"]);
    assert_eq!(facts.with("enters", "no_grad"), ["15:1 15:2-17 torch.no_grad"]);
    assert_eq!(facts.all("decorator"), ["15:1 15:2-17 torch.no_grad"]);
    // In the function that `with` calls, and in those that the decorated one calls.
    assert_eq!(facts.with("in_context", "5:5 "), ["5:5 torch.cuda.amp.autocast 8:10-16", "5:5 torch.no_grad 15:2-17"]);
    // The inner one switches off.
    assert_eq!(facts.with("in_context", "12:13 "), ["12:13 torch.no_grad 15:2-17"]);
    assert_eq!(facts.with("in_context", "13:5 "), ["13:5 torch.no_grad 15:2-17"]);
    assert_eq!(facts.with("in_context", "19:9 "), ["19:9 torch.enable_grad 18:10-29"]);
    assert!(facts.with("argument", "11:14-51").contains(&"11:14-51 2 enabled 11:45-50".to_owned()));
}

#[test]
fn code_is_hot_in_loops_and_in_what_they_call() {
    let facts = Facts::of(
        "\
def inner():
    pass

def outer():
    inner()

def again(n):
    if n:
        again(n - 1)

def run(n):
    for i in range(100):
        outer()
    for i in range(3):
        again(2)
    for i in range(n):
        again(2)
    for i in range(n):
        break
",
    );
    assert_eq!(facts.with("hot", " 12:5"), ["2:5 12:5", "5:5 12:5", "13:9 12:5"]);
    assert_eq!(facts.with("hot", " 14:5"), Vec::<String>::new());
    assert_eq!(facts.with("hot", " 16:5"), ["8:5 16:5", "9:9 16:5", "17:9 16:5"]);
    assert_eq!(facts.with("hot", " 18:5"), Vec::<String>::new());
}

const TRAINING: &str = "\
import json
import torch

class Log:
    def __init__(self, path):
        self.path = path
    def write(self, values):
        if values:
            self.dump(values)
    def dump(self, values):
        with open(self.path, 'a') as file:
            json.dump(values, file)

def step(model, x, optimizer):
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    return loss

def evaluate(model, batches):
    model.eval()
    with torch.no_grad():
        for x in batches:
            model(x)

def main():
    model = torch.nn.Linear(3, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    log = Log('log')
    batches = [torch.rand(2, 3)] * 100
    for epoch in range(10):
        model.train()
        for x in batches:
            loss = step(model, x, optimizer)
            log.dump(loss.item())
        scheduler.step()
        evaluate(model, batches)
        log.write(epoch)
        print(epoch)
main()
";

#[test]
fn phases_follow_steps_modes_and_calls() {
    let facts = Facts::of(TRAINING);
    assert_eq!(facts.with("phase", "15:5 "), ["15:5 train"]);
    assert_eq!(facts.with("phase", "35:13 "), ["35:13 train"]);
    assert_eq!(facts.with("phase", "24:13 "), ["24:13 eval"]);
    // Before the mode is set.
    assert_eq!(facts.with("phase", "27:5 "), Vec::<String>::new());
}

#[test]
fn chains_of_calls_lead_to_input_and_output() {
    let facts = Facts::of(TRAINING);
    assert!(facts.all("calls_function").contains(&"26:1 10:5 36:13-34".to_owned()));
    let chains = facts.with("reaches_effect", "files");
    assert!(chains.contains(&"10:5 files always 11:14-34 Log.dump → open".to_owned()), "{chains:?}");
    assert!(chains.contains(&"7:5 files sometimes 12:13-36 Log.write → Log.dump → json.dump".to_owned()), "{chains:?}");
    assert!(chains.contains(&"26:1 files always 11:14-34 main → Log.dump → open".to_owned()), "{chains:?}");
    assert_eq!(
        facts.with("reaches_effect", "logging"),
        ["26:1 logging always 40:9-21 main → print", "a.py logging always 40:9-21 a → main → print"]
    );
    assert_eq!(facts.with("effect", "open"), ["open io", "open files"]);
    assert_eq!(facts.with("effect", "print"), ["print io", "print logging"]);
}

#[test]
fn calls_name_builtins_and_objects_have_a_relation_of_their_own() {
    let facts = Facts::of(
        "\
import torch.nn as nn
import wandb
layer = nn.Linear(3, 4)
total = sum([1, 2])
wandb.log({'a': 1})
wandb.Table([])
unknown(total)
",
    );
    assert_eq!(facts.with("constructs", "Linear"), ["3:9-24 3:1 torch.nn.Linear"]);
    assert_eq!(facts.with("call", "Linear"), Vec::<String>::new());
    assert_eq!(facts.with("constructs", "wandb"), ["6:1-16 6:1 wandb.Table"]);
    assert_eq!(facts.with("call", "4:"), ["4:9-20 4:1 sum"]);
    assert_eq!(facts.with("call", "wandb"), ["5:1-20 5:1 wandb.log"]);
    assert_eq!(facts.with("unresolved_call", "7:"), ["7:1-15 7:1 unknown"]);
    assert_eq!(facts.with("unresolved_call", "3:"), Vec::<String>::new());
    assert!(facts.with("argument", "3:9-24").contains(&"3:9-24 0 in_features 3:19-20".to_owned()));
    assert_eq!(facts.with("api_parameter", "wandb.log"), ["wandb.log 0 args", "wandb.log 1 kwargs"]);
}

#[test]
fn tensors_lie_on_devices() {
    let facts = Facts::of(
        "\
import torch
device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
a = torch.zeros(3)
b = a.to(device)
c = a.cuda()
d = a.to(torch.float16)
e = torch.zeros(3, device='cuda:1')
f = torch.cat([c, e])
net = torch.nn.Linear(3, 4).to(device)
g = torch.zeros_like(c)
h = c.cpu()
def later(x, device, dtype):
    i = torch.zeros(3).to(device=device)
    j = torch.zeros(3).to(dtype)
    return torch.relu(x)
",
    );
    let device = |place: &str| facts.with("expr_device", place).concat();
    assert_eq!(device("3:5-19"), "3:5-19 cpu");
    assert_eq!(device("4:5-17"), "4:5-17 chosen");
    assert_eq!(device("5:5-13"), "5:5-13 accelerator");
    assert_eq!(device("6:5-24"), "6:5-24 cpu");
    assert_eq!(device("7:5-36"), "7:5-36 accelerator");
    assert_eq!(device("8:5-22"), "8:5-22 accelerator");
    assert_eq!(device("10:5-24"), "10:5-24 accelerator");
    assert_eq!(device("15:12-25"), "15:12-25 unknown");
    let transfers: Vec<String> = facts
        .all("transfer")
        .iter()
        .map(|row| format!("{}{}", row.split(':').next().unwrap_or(""), &row[row.find(' ').unwrap_or(0)..]))
        .collect();
    assert_eq!(transfers, ["4 cpu chosen", "5 cpu accelerator", "11 accelerator cpu", "13 cpu unknown"]);
    assert!(facts.with("input_device", "8:5-22").iter().all(|row| row.ends_with(" tensors accelerator")));
}

#[test]
fn a_default_device_counts() {
    let facts = Facts::of("import torch\ntorch.set_default_device('cuda')\na = torch.zeros(3)\n");
    assert_eq!(facts.all("expr_device"), ["3:5-19 accelerator"]);
}

#[test]
fn operations_know_what_goes_in_and_what_is_default() {
    let facts = Facts::of(
        "\
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument('--hidden', type=int, default=200)
args = parser.parse_args()
layer = torch.nn.Linear(args.hidden, 10)
y = layer(torch.rand(32, args.hidden))
",
    );
    let inputs = facts.with("input_shape", "7:5-39");
    assert!(inputs.iter().any(|row| row.ends_with(" input [32, hidden]")), "{inputs:?}");
    assert_eq!(facts.with("default_size", "hidden"), ["hidden 200"]);
    assert_eq!(facts.with("default_size", "10"), ["10 10"]);
}

#[test]
fn columns_with_words_have_no_others() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/programs");
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths: Vec<_> = fs::read_dir(programs).expect("a folder").flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    for path in paths.iter().step_by(40) {
        fs::copy(path, folder.path().join(path.file_name().expect("a name"))).expect("a copy");
    }
    let harp = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_harp")).args(arguments).current_dir(folder.path()).output();
        output.expect("harp runs")
    };
    let schema: serde_json::Value =
        serde_json::from_slice(&harp(&["schema", "--format", "json"]).stdout).expect("the schema is JSON");
    harp(&["facts", ".", "--output", "facts"]);
    let mut seen = 0;
    for relation in schema["relations"].as_array().expect("a list") {
        let path = format!("facts/{}.facts", relation["name"].as_str().expect("a name"));
        let rows = fs::read_to_string(folder.path().join(&path)).expect("the relation is there");
        for (index, column) in relation["columns"].as_array().expect("a list").iter().enumerate() {
            let Some(words) = column["words"].as_array() else { continue };
            let words: Vec<&str> = words.iter().filter_map(|word| word.as_str()).collect();
            for row in rows.lines() {
                let cell = row.split('\t').nth(index).expect("a cell");
                let is_word = |word: &&str| word.strip_suffix('…').map_or(*word == cell, |it| cell.starts_with(it));
                assert!(words.iter().any(is_word), "{path}: {row}");
                seen += 1;
            }
        }
    }
    assert!(seen > 1000, "{seen} cells");
}
