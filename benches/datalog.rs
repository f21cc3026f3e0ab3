//! CPU time and peak memory of the rule engine beside `crepe`, which compiles the same rules, and of programs that budgets stop.
//!
//! `cargo bench --bench datalog` runs each case in a process of its own, so that peaks do not mix, and prints two tables. Facts
//! are generated before the clock starts; handing them to an engine counts. The engines take turns, so that a busy
//! machine disturbs them alike, and the least CPU time of each is shown. `crepe` runs with the hasher of `rustc-hash`, which is
//! several times faster for it than the standard library's. CPU time is that of the user and of the system, as memory
//! is paid for in the second.

#[allow(dead_code, reason = "the tests use the rest")]
mod rules;

use std::process::Command;
use std::time::{Duration, Instant};

use harp::datalog::{Database, Limits, NoFunctors, Program, Source};
use rules::{CLOSURE, Facts, INVARIANT, POINTS_TO};

const CASES: [&str; 3] = ["closure", "points-to", "invariant"];
const ENGINES: [&str; 3] = ["crepe", "harp", "harp with proofs"];
const REPEATS: usize = 7;

/// Programs without an end, or with one that is far away.
const RUNAWAYS: [(&str, &str); 5] = [
    ("endless counting", ".decl n(x: number)\nn(0).\nn(x + 1) :- n(x)."),
    ("product of 10^9", "r(x, y, z) :- a(x), a(y), a(z)."),
    ("product of 10^9, none kept", "r(x, y, z) :- a(x), a(y), a(z), x + y * z < 0."),
    ("product of 10^9, counted", "r(n, n, n) :- n = count : { a(x), a(y), a(z), x != y + z }."),
    ("growing texts", ".decl t(x: symbol)\nt(\"ab\").\nt(\"cd\").\nt(cat(x, y)) :- t(x), t(y)."),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--case") {
        let (case, engine) = (&arguments[at + 1], &arguments[at + 2]);
        let measured = if engine == "runaway" { runaway(case) } else { measure(case, engine) };
        println!("{} {} {} {}", measured.cpu.as_micros(), measured.peak_kib, measured.facts, measured.rows);
        return;
    }
    println!(
        "{:<10} {:<17} {:>8} {:>10} {:>8} {:>9} {:>10} {:>11}",
        "case", "engine", "facts", "rows", "CPU s", "peak MiB", "CPU ratio", "peak ratio"
    );
    for case in CASES {
        let mut best: [Option<Measured>; ENGINES.len()] = [None; ENGINES.len()];
        for _ in 0..REPEATS {
            for (engine, best) in ENGINES.into_iter().zip(&mut best) {
                let measured = in_own_process(case, engine);
                *best = [*best, measured].into_iter().flatten().min_by_key(|one| one.cpu);
            }
        }
        let base = best[0];
        for (engine, best) in ENGINES.into_iter().zip(best) {
            let (Some(base), Some(best)) = (base, best) else {
                println!("{case:<10} {engine:<17} failed");
                continue;
            };
            println!(
                "{case:<10} {engine:<17} {:>8} {:>10} {:>8.3} {:>9.1} {:>10.2} {:>11.2}",
                best.facts,
                best.rows,
                best.cpu.as_secs_f64(),
                best.peak_kib as f64 / 1024.0,
                best.cpu.as_secs_f64() / base.cpu.as_secs_f64(),
                best.peak_kib as f64 / base.peak_kib as f64
            );
        }
    }
    println!("\n{:<28} {:>10} {:>8} {:>9}", "stopped by its budget", "rows kept", "CPU s", "peak MiB");
    for (case, _) in RUNAWAYS {
        let Some(measured) = in_own_process(case, "runaway") else {
            println!("{case:<28} failed");
            continue;
        };
        let (cpu, peak) = (measured.cpu.as_secs_f64(), measured.peak_kib as f64 / 1024.0);
        println!("{case:<28} {:>10} {cpu:>8.2} {peak:>9.1}", measured.rows);
    }
}

#[derive(Clone, Copy)]
struct Measured {
    cpu: Duration,
    peak_kib: u64,
    facts: usize,
    rows: usize,
}

fn in_own_process(case: &str, engine: &str) -> Option<Measured> {
    let output = Command::new(std::env::current_exe().ok()?).args(["--case", case, engine]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut words = text.split_whitespace();
    let cpu = Duration::from_micros(words.next()?.parse().ok()?);
    let mut number = || words.next()?.parse::<u64>().ok();
    Some(Measured { cpu, peak_kib: number()?, facts: number()? as usize, rows: number()? as usize })
}

fn measure(case: &str, engine: &str) -> Measured {
    let (rules, facts): (&str, Facts) = match case {
        "closure" => (CLOSURE, rules::closure_facts(1960, 4000, 1)),
        "points-to" => (POINTS_TO, rules::points_to_facts(55_340, 2)),
        _ => (INVARIANT, rules::invariant_facts(58_000, 3)),
    };
    let started = cpu_time();
    let rows = if engine == "crepe" {
        match case {
            "closure" => rules::closure::run(&facts).len(),
            "points-to" => {
                let (points, heap) = rules::points_to::run(&facts);
                points.len() + heap.len()
            }
            _ => {
                let (within, varies, finding) = rules::invariant::run(&facts);
                within.len() + varies.len() + finding.len()
            }
        }
    } else {
        let database = rules::database(rules, &facts);
        let program = rules::compile(rules);
        let evaluation = program.evaluate(database, &rules::limits(engine != "harp"));
        let wanted = ["path", "points", "heap", "within", "varies", "finding"];
        wanted.iter().filter_map(|name| program.relation(name)).map(|relation| evaluation.row_count(relation)).sum()
    };
    let cpu = cpu_time().saturating_sub(started);
    Measured { cpu, peak_kib: peak_kib(), facts: facts.iter().map(|(_, rows)| rows.len()).sum(), rows }
}

/// A program that a budget has to stop, with the limits that users have.
fn runaway(case: &str) -> Measured {
    let rules = RUNAWAYS.iter().find(|(name, _)| *name == case).map_or("", |(_, rules)| *rules);
    let declarations = ".decl a(x: number)\n.input a\n.decl r(x: number, y: number, z: number)\n";
    let text = if rules.starts_with('r') { format!("{declarations}{rules}") } else { rules.to_owned() };
    let mut database = Database::new();
    let numbers = if rules.starts_with('r') { 1000 } else { 0 };
    for number in 0..numbers {
        let cell = database.number(number);
        database.insert("a", &[cell], &[]);
    }
    let started = cpu_time();
    let program = Program::compile(&[], &[Source::new("rules.dl", text)], &NoFunctors).expect("the rules are in order");
    let evaluation = program.evaluate(database, &Limits::default());
    assert!(evaluation.warnings.iter().any(|warning| warning.message.contains("was stopped")));
    let relations = ["n", "r", "t"].iter().filter_map(|name| program.relation(name));
    let rows = relations.map(|relation| evaluation.row_count(relation)).sum();
    Measured { cpu: cpu_time().saturating_sub(started), peak_kib: peak_kib(), facts: numbers as usize, rows }
}

/// CPU time of this process; where the system does not tell, time on the clock.
fn cpu_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    // The first number is the time on a processor in nanoseconds.
    let nanoseconds = std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
