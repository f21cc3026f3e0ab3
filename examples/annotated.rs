//! How many call sites of libraries have annotations: reads `count name` lines, as `tests/tools/call_sites.py` writes them, prints for each
//! library the covered share of its call sites, and the most frequent names without an annotation.

use std::collections::BTreeMap;
use std::io::BufRead;

/// Names that occur more rarely count, but are not listed.
const WORTH_LISTING: usize = 20;

#[derive(Default)]
struct Coverage {
    sites: usize,
    covered: usize,
    missing: Vec<(usize, String)>,
}

fn main() {
    let library = harp::builtin::library();
    let mut libraries: BTreeMap<String, Coverage> = BTreeMap::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some((count, name)) = line.split_once(' ') else { continue };
        let Ok(count) = count.parse::<usize>() else { continue };
        let top_level = name.split('.').next().unwrap_or(name);
        let coverage = libraries.entry(top_level.to_owned()).or_default();
        coverage.sites += count;
        if is_annotated(library, name) {
            coverage.covered += count;
        } else {
            coverage.missing.push((count, name.to_owned()));
        }
    }
    for (name, coverage) in &libraries {
        let share = 100.0 * coverage.covered as f64 / coverage.sites.max(1) as f64;
        println!("{name}: {} of {} call sites, {share:.1} %", coverage.covered, coverage.sites);
    }
    for (_, coverage) in libraries {
        for (count, name) in coverage.missing.into_iter().filter(|(count, _)| *count >= WORTH_LISTING) {
            println!("{count:6} {name}");
        }
    }
}

/// The entry itself, or a member of a class (`torch.Tensor.add`).
fn is_annotated(library: &harp::annotations::Library, name: &str) -> bool {
    let is_member = || {
        name.rsplit_once('.').is_some_and(|(class, member)| {
            library.method(class, member).is_some() || library.property(class, member).is_some()
        })
    };
    library.entry(name).is_some() || is_member()
}
