//! What verdicts say of the inputs that they speak of: the forms of parameters, and what else must hold of them.

use std::process::Command;

use crate::common::folder;

/// The lines of the entries in the full report, without assumptions.
fn entries(program: &str) -> String {
    let folder = folder(&[("m.py", program)]);
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["check", "m.py", "--verbose", "--threads", "1"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("output is UTF-8");
    let of_entries = text.lines().filter(|line| line.starts_with("  m.py") || line.starts_with("    for "));
    of_entries.skip(1).map(|line| format!("{}\n", line.trim_start())).collect()
}

#[test]
fn parameters_are_what_operations_make_of_them() {
    let program = "\
import torch
from torch import nn

def rows(x: torch.Tensor):
    first, second = x
    return first + second

def last(boxes: torch.Tensor):
    a, b, c, d = boxes.unbind(-1)
    return a + d

def joined(one, other):
    return torch.cat((one, other), -1)

def product(x, y):
    return x @ y

def scaled(x):
    return nn.functional.linear(x * 2, torch.rand(5, 3))

class Own(nn.Linear):
    def forward(self, x):
        return super().forward(x).unsqueeze(0)
";
    assert_eq!(
        entries(program),
        "\
m.py:4:5: rows: no shape error possible
for x: [2]@x
m.py:8:5: last: no shape error possible
for boxes: boxes@[4]
m.py:12:5: joined: no shape error possible
for one: one@[one_last], other: one@[other_last]
m.py:15:5: product: no shape error possible when x_last == y_last2 and x and y broadcast
for x: x@[x_last2, x_last], y: y@[x_last, y_last]
m.py:18:5: scaled: no shape error possible
for x: x@[3]
m.py:21:7: Own.forward: no shape error possible when x_last == in_features
for x: x@[in_features]
"
    );
}

#[test]
fn what_is_taken_to_hold_is_stated() {
    let program = "\
import torch
from torch import nn

def sum_of(x: torch.Tensor, y: torch.Tensor):
    return x + y

def parts(x, n):
    b, c = x.shape
    return x.view(b, n, c // n)

class Scale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        b, c, h, w = x.shape
        return self.scale.view(1, -1, 1, 1).expand_as(x)
";
    assert_eq!(
        entries(program),
        "\
m.py:4:5: sum_of: no shape error possible when x and y broadcast
m.py:7:5: parts: no shape error possible when x_1 % n == 0
for x: [x_0, x_1]
m.py:11:7: Scale.forward: no shape error possible when width == x_1 or width == 1
for x: [x_0, x_1, x_2, x_3]
"
    );
}

#[test]
fn requirements_of_one_way_say_which() {
    let program = "\
import torch

def one_way(x: torch.Tensor, flag):
    if flag:
        return x @ torch.rand(3, 4)
    return x

def guarded(x, n):
    if x.size(0) != n:
        raise ValueError('as many rows')
    assert x.shape[1] == 15
    return x
";
    assert_eq!(
        entries(program),
        "\
m.py:3:5: one_way: no shape error possible when x_last == 3 where flag
m.py:8:5: guarded: no shape error possible when x.size(0) == n and x.shape[1] == 15
for x: [x_0, 15]@x
"
    );
}
