//! What a change leaves as it is: value numbers hold over changes of what an operation does not read.

use super::relations::Facts;

/// The numbers of the values of the operations at a place, in the order in which they run.
fn numbers(facts: &Facts, place: &str) -> Vec<String> {
    let rows = facts.with("value_number", &format!("{place}#"));
    rows.iter().filter_map(|row| row.split_once(' ')).map(|(_, number)| number.to_owned()).collect()
}

fn is_one_value(facts: &Facts, place: &str) -> bool {
    let numbers = numbers(facts, place);
    assert!(numbers.len() > 1, "{place}: {numbers:?}");
    numbers.iter().all(|number| *number == numbers[0])
}

#[test]
fn what_is_not_read_may_change() {
    let facts = Facts::of(
        "\
import torch
import torch.nn as nn

a = torch.rand(8, 8) * 2
counts, log, seen = torch.zeros(3), [], {}
lin = nn.Linear(8, 8)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
class Meter:
    pass
meter = Meter()
for i in range(3):
    b = a @ a
    counts[i] = 1.0
    log.append(i)
    seen[i] = b
    meter.last = b
    counts.add_(1.0)
    y = lin(a)
    y.sum().backward()
    opt.step()
",
    );
    assert!(is_one_value(&facts, "12:9-14"), "a product of what nothing writes to");
    assert!(!is_one_value(&facts, "18:9-15"), "the optimizer changes the layer's weights");
}

#[test]
fn what_is_read_is_followed_through_views_and_calls() {
    let facts = Facts::of(
        "\
import torch
import somewhere

a, b, c = torch.rand(8, 8) * 2, torch.rand(8, 8) * 2, torch.rand(8, 8) * 2
row = a[0]
def fill(t):
    t.fill_(1.0)
for i in range(3):
    x = a @ a
    y = b @ b
    z = c @ c
    row += 1.0
    somewhere.work(b)
    fill(c.T)
",
    );
    assert!(!is_one_value(&facts, "9:9-14"), "a view of it is written");
    assert!(!is_one_value(&facts, "10:9-14"), "code that is not followed gets it");
    assert!(!is_one_value(&facts, "11:9-14"), "a function writes to a view of it");
}

#[test]
fn calls_that_change_nothing_leave_one_value() {
    let facts = Facts::of(
        "\
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
    def forward(self, x):
        return self.body(x)

net = Net()
x = torch.rand(4, 8) * 2
history = []
for i in range(4):
    history.append(net(x).sum())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def step():
    loss = net(x).sum()
    opt.step()
    return loss
for i in range(4):
    step()
",
    );
    let operations = numbers(&facts, "9:16-28");
    // Three operations in each of eight calls: those of the first four are equal, those after a step are not.
    let calls: Vec<&[String]> = operations.chunks(3).collect();
    assert_eq!(calls.len(), 8, "{operations:?}");
    assert_eq!(calls[0], calls[3], "{operations:?}");
    assert_eq!(calls[0], calls[4], "{operations:?}");
    assert!(calls[5..].iter().all(|call| call[0] != calls[0][0]), "{operations:?}");
}
