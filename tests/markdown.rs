//! Runs every Markdown file under `tests/markdown` and `rules`: the prose explains a behaviour, the blocks in it are its test.
//! `HARP_MARKDOWN=part` runs only files whose path contains `part`.

mod runner;

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

#[test]
fn markdown_files_state_what_harp_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/markdown", "rules"] {
        collect(&root.join(folder), &mut files);
    }
    let wanted = std::env::var("HARP_MARKDOWN").unwrap_or_default();
    files.retain(|path| path.to_string_lossy().contains(&wanted));
    files.sort();
    assert!(!files.is_empty(), "no Markdown file to run");

    let pool = rayon::ThreadPoolBuilder::new().stack_size(harp::cli::STACK_SIZE).build().expect("threads start");
    let results: Vec<(&PathBuf, usize, Vec<runner::Failure>)> = pool.install(|| {
        files
            .par_iter()
            .map(|path| {
                let text = fs::read_to_string(path).expect("the file is readable");
                let (blocks, failures) = runner::run(&text);
                (path, blocks, failures)
            })
            .collect()
    });
    let blocks: usize = results.iter().map(|(_, blocks, _)| blocks).sum();
    let mut failed = 0;
    for (path, _, failures) in &results {
        let name = path.strip_prefix(root).unwrap_or(path).display();
        for failure in failures {
            eprintln!("{name}:{}: {}", failure.line, failure.message);
        }
        failed += failures.len();
    }
    eprintln!("{blocks} blocks in {} Markdown files", results.len());
    assert_eq!(failed, 0, "{failed} statements do not hold; they are listed above");
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

/// The failures of a text, as `line: message`.
fn failures(markdown: &str) -> Vec<String> {
    runner::run(markdown).1.into_iter().map(|failure| format!("{}: {}", failure.line, failure.message)).collect()
}

#[test]
fn an_expected_finding_must_be_there() {
    let failures = failures("# A\n\n```python\nx = 1  # error: [syntax-error] \"text\"\n```\n");
    assert_eq!(failures.len(), 1);
    assert!(failures[0].starts_with("4: expected Finding"), "{failures:?}");
    assert!(failures[0].ends_with("found nothing"), "{failures:?}");
}

#[test]
fn a_finding_must_be_expected() {
    let failures = failures("```python\n\nx = )\n```\n");
    assert_eq!(failures.len(), 1);
    assert!(failures[0].starts_with("3: unexpected error: [syntax-error]"), "{failures:?}");
}

#[test]
fn rule_and_text_must_fit() {
    assert_eq!(failures("```python\nx = )  # error: [syntax-error]\n```\n"), Vec::<String>::new());
    assert_eq!(failures("```python\n# error: [other]\nx = )\n```\n").len(), 2);
    assert_eq!(failures("```python\nx = )  # error: \"no such text\"\n```\n").len(), 2);
    assert_eq!(failures("```python\nx = )  # warning: [syntax-error]\n```\n").len(), 2);
    assert_eq!(failures("```python\nx = )  # ok\n```\n").len(), 2);
}

#[test]
fn comments_that_state_nothing_are_failures() {
    assert_eq!(
        failures("```python\nx = 1\n# error: [syntax-error]\n```\n"),
        ["3: no line of code follows this comment"]
    );
    assert_eq!(failures("```python\nx = 1  # revealed:\n```\n"), ["2: `# revealed:` states nothing"]);
    assert_eq!(failures("```python\nx = )  # error: [syntax-error] text\n```\n").len(), 2);
}

#[test]
fn blocks_with_names_under_one_heading_are_one_project() {
    let text = "# A\n`a.py`:\n\n```python\nx = )  # error: [syntax-error]\n```\n\n```python b.py\ny = 1\n```\n\
                ```python\nz = )  # error: [syntax-error]\n```\n# B\n\n```python a.py\nx = 1\n```\n";
    let (cases, failures) = runner::cases::parse(text);
    assert_eq!(failures, []);
    let names: Vec<Vec<&str>> =
        cases.iter().map(|case| case.files.iter().map(|file| file.name.as_str()).collect()).collect();
    assert_eq!(names, [vec!["a.py", "b.py"], vec!["main.py"], vec!["a.py"]]);
    assert_eq!(runner::run(text), (4, vec![]));
}

#[test]
fn a_configuration_holds_for_its_section() {
    let text =
        "# A\n```toml harp.toml\nignore = ['syntax-error']\n```\n```python\nx = )\n```\n# B\n```python\nx = )\n```\n";
    assert_eq!(failures(text).len(), 1);
    let broken = "```toml harp.toml\nignored = 1\n```\n```python\nx = 1\n```\n";
    assert!(failures(broken)[0].starts_with("2: error: unknown key `ignored`"));
}
