//! Lines per CPU second of the analysis, on generated projects of several sizes.
//!
//! `cargo bench --bench check` prints a table, from 10,000 to 1,000,000 lines. The ratio is the speed beside that of the smallest project: what
//! grows faster than the lines shows as a ratio that falls. The clock runs from reading the files to the findings. Memory is the greatest
//! so far.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use harp::cli::pipeline::{self, AnalysisOptions};
use harp::cli::progress::Progress;

/// Modules of the generated projects.
const SIZES: [usize; 5] = [140, 420, 1_400, 4_200, 14_000];
/// A project of so many modules is measured once; smaller ones three times.
const LARGE: usize = 1_000;

fn main() {
    println!(
        "{:>8} {:>9} {:>8} {:>8} {:>8} {:>12} {:>7}",
        "modules", "lines", "entries", "MB", "CPU s", "lines/CPU s", "ratio"
    );
    let mut first = None;
    for modules in SIZES {
        let best = (0..if modules < LARGE { 3 } else { 1 })
            .filter_map(|_| measure(modules))
            .min_by_key(|measured| measured.cpu);
        let Some(best) = best else {
            println!("{modules:>8} failed");
            continue;
        };
        let speed = best.lines as f64 / best.cpu.as_secs_f64().max(0.001);
        let ratio = speed / *first.get_or_insert(speed);
        println!(
            "{modules:>8} {:>9} {:>8} {:>8} {:>8.2} {speed:>12.0} {ratio:>7.2}",
            best.lines,
            best.entries,
            most_memory().unwrap_or_default(),
            best.cpu.as_secs_f64()
        );
    }
}

struct Measured {
    cpu: Duration,
    lines: usize,
    entries: usize,
}

fn measure(modules: usize) -> Option<Measured> {
    let folder = tempfile::tempdir().ok()?;
    generate(folder.path(), modules).ok()?;
    let options =
        AnalysisOptions { paths: vec![folder.path().to_path_buf()], threads: 1, ..AnalysisOptions::default() };
    let started = cpu_time();
    // It runs on a thread of its own, with which all goes that the solver remembers.
    let analysis = pipeline::analyse(&options, &Progress::hidden());
    let cpu = cpu_time().saturating_sub(started);
    Some(Measured { cpu, lines: analysis.summary.lines, entries: analysis.summary.entries.len() })
}

/// The greatest resident set of this process so far, in MB.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// A package of modules, each with a network, its blocks, a training step and helpers; every module uses the one before it.
fn generate(folder: &Path, modules: usize) -> std::io::Result<()> {
    let package = folder.join("package");
    std::fs::create_dir(&package)?;
    std::fs::write(package.join("__init__.py"), "")?;
    for number in 0..modules {
        std::fs::write(package.join(format!("part{number}.py")), module(number))?;
    }
    Ok(())
}

fn module(number: usize) -> String {
    let width = 16 << (number % 4);
    let mut text = String::from("import torch\nfrom torch import nn\nimport torch.nn.functional as F\n");
    if number > 0 {
        let _ = writeln!(text, "from .part{} import scale{} as inherited", number - 1, number - 1);
    } else {
        text.push_str("inherited = 1.0\n");
    }
    let _ = write!(
        text,
        "

def scale{number}(x, factor=2.0):
    return x * factor


class Block{number}(nn.Module):
    def __init__(self, channels, hidden={width}):
        super().__init__()
        self.first = nn.Conv2d(channels, hidden, 3, padding=1)
        self.norm = nn.BatchNorm2d(hidden)
        self.second = nn.Conv2d(hidden, channels, 1)

    def forward(self, x):
        y = F.relu(self.norm(self.first(x)))
        return x + self.second(y)


class Network{number}(nn.Module):
    def __init__(self, classes=10, depth=3):
        super().__init__()
        self.stem = nn.Conv2d(3, {width}, 7, stride=2, padding=3)
        self.blocks = nn.ModuleList([Block{number}({width}) for _ in range(depth)])
        self.head = nn.Linear({width}, classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        x = x.mean(dim=(2, 3))
        return self.head(x)


def train{number}(loader, model, optimizer, epochs=2):
    criterion = nn.CrossEntropyLoss()
    total = 0.0
    for epoch in range(epochs):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
    return total


def evaluate{number}(size=8):
    model = Network{number}()
    images = torch.randn(size, 3, 64, 64)
    scores = model(images)
    probabilities = F.softmax(scores, dim=1)
    best = probabilities.argmax(dim=1)
    return best.float().mean()


def attention{number}(query, key, value, heads=4):
    batch, length, width = query.shape
    query = query.view(batch, length, heads, width // heads).transpose(1, 2)
    key = key.view(batch, length, heads, width // heads).transpose(1, 2)
    value = value.view(batch, length, heads, width // heads).transpose(1, 2)
    weights = torch.softmax(query @ key.transpose(-2, -1) / width ** 0.5, dim=-1)
    mixed = (weights @ value).transpose(1, 2).reshape(batch, length, width)
    return mixed * inherited if isinstance(inherited, float) else mixed
"
    );
    text
}

/// User time of this process; where the system does not tell, time on the clock.
fn cpu_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    let ticks = std::fs::read_to_string("/proc/self/stat").ok().and_then(|text| {
        // The fields after the name, which may hold spaces; user time is the 14th field, in hundredths of a second.
        let (_, rest) = text.rsplit_once(')')?;
        rest.split_whitespace().nth(11)?.parse::<u64>().ok()
    });
    ticks.map_or_else(|| start.elapsed(), |ticks| Duration::from_millis(ticks * 10))
}
