//! CPU time and peak memory of the rule engine beside `crepe`, which compiles the same rules.
//!
//! `cargo bench --bench datalog` runs each case in a process of its own, so that peaks do not mix, and prints a table. Facts are
//! generated in the process and loaded before the clock starts.

#[allow(dead_code, reason = "the tests use the rest")]
mod rules;

use std::process::Command;
use std::time::{Duration, Instant};

use rules::{CLOSURE, Facts, INVARIANT, POINTS_TO};

const CASES: [&str; 3] = ["closure", "points-to", "invariant"];
const ENGINES: [&str; 3] = ["crepe", "harp", "harp with proofs"];
const REPEATS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--case") {
        let (case, engine) = (&arguments[at + 1], &arguments[at + 2]);
        let measured = measure(case, engine);
        println!("{} {} {}", measured.cpu.as_millis(), measured.peak_kib, measured.rows);
        return;
    }
    println!(
        "{:<10} {:<17} {:>10} {:>8} {:>10} {:>12} {:>12}",
        "case", "engine", "rows", "CPU s", "peak MiB", "CPU ratio", "peak ratio"
    );
    for case in CASES {
        let mut first = None;
        for engine in ENGINES {
            let best = (0..REPEATS).filter_map(|_| in_own_process(case, engine)).min_by_key(|measured| measured.cpu);
            let Some(best) = best else {
                println!("{case:<10} {engine:<17} failed");
                continue;
            };
            let (cpu, peak) = (best.cpu.as_secs_f64(), best.peak_kib as f64 / 1024.0);
            let (base_cpu, base_peak) = *first.get_or_insert((cpu, peak));
            let (cpu_ratio, peak_ratio) = (cpu / base_cpu, peak / base_peak);
            println!(
                "{case:<10} {engine:<17} {:>10} {cpu:>8.2} {peak:>10.1} {cpu_ratio:>12.2} {peak_ratio:>12.2}",
                best.rows
            );
        }
    }
}

struct Measured {
    cpu: Duration,
    peak_kib: u64,
    rows: usize,
}

fn in_own_process(case: &str, engine: &str) -> Option<Measured> {
    let output = Command::new(std::env::current_exe().ok()?).args(["--case", case, engine]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut words = text.split_whitespace();
    let cpu = Duration::from_millis(words.next()?.parse().ok()?);
    Some(Measured { cpu, peak_kib: words.next()?.parse().ok()?, rows: words.next()?.parse().ok()? })
}

fn measure(case: &str, engine: &str) -> Measured {
    let (rules, facts): (&str, Facts) = match case {
        "closure" => (CLOSURE, rules::closure_facts(1960, 4000, 1)),
        "points-to" => (POINTS_TO, rules::points_to_facts(53_000, 2)),
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
    Measured { cpu: cpu_time().saturating_sub(started), peak_kib: peak_kib(), rows }
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

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
