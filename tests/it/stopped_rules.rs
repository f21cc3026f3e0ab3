//! Rules that are stopped for want of memory: others go on, and every form of the report says that something may be missing.

use std::fmt::Write as _;
use std::process::Command;

use tempfile::TempDir;

use crate::common::folder;

/// A training script; its copies differ in the size and the name of the model.
const SCRIPT: &str = r#"import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.first = nn.Linear(width, 4 * width)
        self.second = nn.Linear(4 * width, width)
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.heads = heads

    def attend(self, x):
        batch, length, width = x.shape
        size = width // self.heads
        query = self.query(x).view(batch, length, self.heads, size).transpose(1, 2)
        key = self.key(x).view(batch, length, self.heads, size).transpose(1, 2)
        weights = F.softmax(query @ key.transpose(2, 3) / size ** 0.5, dim=-1)
        return (weights @ query).transpose(1, 2).reshape(batch, length, width)

    def forward(self, x):
        x = x + self.attend(self.norm(x))
        return x + self.second(F.gelu(self.first(self.norm(x))))


class ModelNUMBER(nn.Module):
    def __init__(self, width, heads=4, depth=3, classes=10):
        super().__init__()
        self.embed = nn.Linear(16, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(depth)])
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


def accuracy(model, data):
    model.eval()
    right, count = 0, 0
    for x, y in data:
        right += (model(x).argmax(1) == y).sum().item()
        count += y.shape[0]
    return right / count


def train(arguments):
    model = ModelNUMBER(width=arguments.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=arguments.rate)
    data = DataLoader(TensorDataset(torch.randn(1000, 8, 16), torch.randint(0, 10, (1000,))), batch_size=32)
    losses = []
    for epoch in range(arguments.epochs):
        started = time.time()
        for x, y in data:
            mask = torch.ones(8, 8).tril()
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(epoch, accuracy(model, data), time.time() - started)
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=WIDTH)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rate", type=float, default=1e-3)
    train(parser.parse_args())
"#;

/// A project of so many near copies of one script.
fn copies(count: usize) -> TempDir {
    let text =
        |number: usize| SCRIPT.replace("NUMBER", &number.to_string()).replace("WIDTH", &(32 + 4 * number).to_string());
    let files: Vec<(String, String)> =
        (0..count).map(|number| (format!("train_{number:03}.py"), text(number))).collect();
    folder(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
}

struct Said {
    code: Option<i32>,
    out: String,
}

fn check(project: &TempDir, memory: u64, arguments: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harp"));
    command.args(["check", ".", "--threads", "1", "--color", "never", "--memory", &format!("{memory}MiB")]);
    let output = command.args(arguments).current_dir(project.path()).output().expect("the program starts");
    Said { code: output.status.code(), out: String::from_utf8(output.stdout).expect("UTF-8") }
}

/// How many rules are not complete.
fn incomplete(said: &Said) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(&said.out).expect("a report");
    let rules = report["summary"]["incomplete_rules"].as_array().expect("a list");
    rules.iter().map(|rule| rule.as_str().expect("an id").to_owned()).collect()
}

#[test]
fn rules_that_are_stopped_are_told_in_every_form() {
    let project = copies(20);
    let complete = check(&project, 2048, &["--format", "json"]);
    assert_eq!(incomplete(&complete), Vec::<String>::new());
    // How much memory is too little differs from allocator to allocator.
    let rules_at = |memory: &u64| incomplete(&check(&project, *memory, &["--format", "json"]));
    let few = |memory: &u64| (1..30).contains(&rules_at(memory).len());
    let memory = (34..80).step_by(2).find(few).expect("there is a ceiling at which some rules end");
    let rules = rules_at(&memory);
    assert_eq!(rules_at(&memory), rules, "what is stopped does not depend on chance");

    let count =
        if rules.len() == 1 { "1 rule incomplete".to_owned() } else { format!("{} rules incomplete", rules.len()) };
    let text = check(&project, memory, &[]);
    assert!(text.out.lines().any(|line| line.ends_with(&count)), "{}", text.out);
    let mut told = String::new();
    write!(told, "{} of ", rules.len()).expect("a text");
    for format in ["text", "concise", "json", "json-lines", "sarif", "markdown", "html", "github", "junit"] {
        let said = check(&project, memory, &["--format", format]);
        let notice = said.out.find("stopped before the end or not evaluated");
        assert!(notice.is_some_and(|at| said.out[..at].contains(&told)), "{format}: {}", said.out);
        assert!(said.out.contains(&rules[0]), "{format}");
    }
    assert_eq!(check(&project, memory, &["--fail-on", "error"]).code, Some(0));
    assert_eq!(check(&project, memory, &["--fail-on", "unknown"]).code, Some(1));
}
