//! Runs every Markdown file under `tests/markdown`, `rules` and `api_annotations`: the prose explains a behaviour, the blocks in it are its test.
//! `HARP_MARKDOWN=part` runs only files whose path contains `part`.

use std::fs;
use std::path::{Path, PathBuf};

use harp::cli::pack_tests::{Bench, Counted, PageResult};
use harp::cli::pipeline::Rules;
use harp::cli::rule_findings::functors;
use rayon::prelude::*;

#[test]
fn markdown_files_state_what_harp_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/markdown", "rules", "api_annotations"] {
        collect(&root.join(folder), &mut files);
    }
    let wanted = std::env::var("HARP_MARKDOWN").unwrap_or_default();
    files.retain(|path| path.to_string_lossy().contains(&wanted));
    files.sort();
    assert!(!files.is_empty(), "no Markdown file to run");

    let functors = functors();
    let rules = Rules::load(&[], &functors);
    assert_eq!(rules.errors, []);
    let pool = rayon::ThreadPoolBuilder::new().stack_size(harp::cli::STACK_SIZE).build().expect("threads start");
    let run = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("the file is readable");
        let pack = path.strip_prefix(root.join("rules")).ok().and_then(|path| path.iter().next()?.to_str());
        Bench::new(&rules, pack, Counted::All).run(&text)
    };
    let results: Vec<PageResult> = pool.install(|| files.par_iter().map(run).collect());
    for (path, page) in files.iter().zip(&results) {
        let name = path.strip_prefix(root).unwrap_or(path).display();
        for failure in &page.failures {
            eprintln!("{name}:{}: {}", failure.line, failure.message.as_deref().unwrap_or(""));
            failure.expected.iter().for_each(|expected| eprintln!("  - expected {expected}"));
            failure.found.iter().for_each(|found| eprintln!("  + found    {found}"));
        }
    }
    let sum = |count: fn(&PageResult) -> usize| results.iter().map(count).sum::<usize>();
    let (blocks, statements, failed) =
        (sum(|page| page.blocks), sum(|page| page.statements), sum(|page| page.failures.len()));
    eprintln!("{} Markdown files, {blocks} blocks, {statements} statements", results.len());
    assert_eq!(failed, 0, "{failed} lines are not as stated; they are listed above");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}
