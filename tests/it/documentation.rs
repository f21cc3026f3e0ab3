//! The pages hold together: links lead to what is there, the list of rules and the contents of the site have every rule, and the site every page that
//! a page of it links to. `HARP_WRITE_PAGES=1 cargo test --test it documentation` writes what is made from the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::Value;

const CONTENTS: &str = "docs/site/SUMMARY.md";
const LIST: &str = "docs/rules/list.md";
/// What stands before the rules in the contents.
const RULES: &str = "# Rules\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Markdown files of a folder, by their paths in the project. The programs under `tests/markdown/` and `tests/data/` are no pages.
fn pages_of(folder: &str) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for child in fs::read_dir(folder).expect("a folder") {
            let path = child.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|it| it == "md") => {
                    pages.push(path.strip_prefix(root()).expect("a page of the project").to_owned());
                }
                false => {}
            }
        }
    }
    pages
}

fn pages() -> Vec<PathBuf> {
    let folders = ["docs", "rules", "examples", "reports", "api_annotations", "tests/tools"];
    let further =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tests/data/README.md", "tests/data/schemas/README.md"];
    let mut pages: Vec<PathBuf> = folders.into_iter().flat_map(pages_of).chain(further.map(PathBuf::from)).collect();
    pages.sort();
    pages
}

/// The lines of a page that are prose: without blocks of code.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let marks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line.trim_end() == open => fence = None,
            Some(_) => {}
            None if marks.len() >= 3 => fence = Some(marks),
            None if line.starts_with("    ") => {}
            None => prose.extend([line, "\n"]),
        }
    }
    prose
}

/// Where the links of a page lead that are no addresses: the path and the anchor.
fn links(text: &str) -> Vec<(String, Option<String>)> {
    let code = Regex::new("``[^`].*?``|`[^`]*`").expect("a pattern");
    let link = Regex::new(r"\]\(([^()\s]+)\)").expect("a pattern");
    let prose = prose(text);
    let prose = code.replace_all(&prose, "");
    let targets = link.captures_iter(&prose).map(|found| found[1].to_owned());
    let own = targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
    own.map(|target| match target.split_once('#') {
        Some((path, anchor)) => (path.to_owned(), Some(anchor.to_owned())),
        None => (target, None),
    })
    .collect()
}

/// The names by which the headings of a page are linked to, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let link = Regex::new(r"\[([^\]]*)\]\([^)]*\)").expect("a pattern");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let prose = prose(text);
    let headings = prose
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    let anchor = |heading: &str| {
        let plain = link.replace_all(heading, "$1").to_lowercase();
        let kept = plain.trim().chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
        let slug: String = kept.map(|it| if it == ' ' { '-' } else { it }).collect();
        let count = counts.entry(slug.clone()).or_default();
        *count += 1;
        if *count == 1 { slug } else { format!("{slug}-{}", *count - 1) }
    };
    headings.map(anchor).collect()
}

/// The path that a link names, in the project.
fn target(page: &Path, link: &str) -> PathBuf {
    // The contents lie beside the pages where the site is made.
    let folder = if page == Path::new(CONTENTS) { Path::new("") } else { page.parent().expect("a folder") };
    let mut path = PathBuf::new();
    for part in folder.join(link).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{}: {link} leaves the project", page.display()),
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

#[test]
fn links_lead_to_what_is_there() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = read(&page);
        for (link, anchor) in links(&text) {
            let target = if link.is_empty() { page.clone() } else { target(&page, &link) };
            let is_there = root().join(&target).exists();
            let has_anchor = |anchor: &String| is_there && anchors(&read(&target)).contains(anchor);
            if !is_there || anchor.as_ref().is_some_and(|anchor| !has_anchor(anchor)) {
                wrong.push(format!("{}: {link}#{}", page.display(), anchor.unwrap_or_default()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_site_has_what_its_pages_link_to() {
    let contents = links(&read(Path::new(CONTENTS))).into_iter().map(|(link, _)| PathBuf::from(link));
    let contents: BTreeSet<PathBuf> = contents.collect();
    let copied = fs::read_to_string(root().join(".ci/site")).expect("the command is there");
    let is_copied = |path: &Path| copied.contains(path.to_str().expect("names are UTF-8"));
    let mut missing = Vec::new();
    for page in &contents {
        for (link, _) in links(&read(page)).into_iter().filter(|(link, _)| !link.is_empty()) {
            let target = target(page, &link);
            if !contents.contains(&target) && !is_copied(&target) {
                missing.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{CONTENTS} has no\n{}", missing.join("\n"));
    let guides: Vec<PathBuf> = pages_of("docs").into_iter().filter(|page| page != Path::new(CONTENTS)).collect();
    let left_out: Vec<&PathBuf> = guides.iter().filter(|page| !contents.contains(*page)).collect();
    assert!(left_out.is_empty(), "{CONTENTS} has no {left_out:?}");
}

/// The built-in rules with their pages, as `harp rules` tells them.
fn rules() -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_harp")).args(["rules", "--format", "json"]).output();
    let output = output.expect("the program starts");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    document["rules"].as_array().expect("rules").clone()
}

fn text<'v>(rule: &'v Value, member: &str) -> &'v str {
    rule[member].as_str().unwrap_or_else(|| panic!("{rule} has no {member}"))
}

/// A page of the site is the page that the program prints.
#[test]
fn the_page_of_a_rule_is_the_one_that_the_program_prints() {
    for rule in rules() {
        let id = text(&rule, "id");
        assert_eq!(read(Path::new(&format!("rules/{id}.md"))), text(&rule, "page"), "{id}");
    }
}

/// The rules, a table a pack.
fn list() -> String {
    let mut list = String::from(
        "# All rules\n\n\
         <!-- Written from the packs: HARP_WRITE_PAGES=1 cargo test --test it documentation -->\n\n\
         What Harp finds, by the pack whose rules find it. `harp rules RULE` prints a rule's page, [configuration.md](../configuration.md) tells how to select, ignore and\n\
         silence rules, and [packs.md](../packs.md) how to write some of your own.\n",
    );
    let mut pack = String::new();
    for rule in rules() {
        let (id, title) = (text(&rule, "id"), text(&rule, "title").replace('|', "\\|"));
        let (of_pack, _) = id.split_once('/').expect("a rule of a pack");
        if pack != of_pack {
            write!(list, "\n## {of_pack}\n\n| rule | severity | finds |\n|---|---|---|\n")
                .expect("memory takes everything");
            of_pack.clone_into(&mut pack);
        }
        writeln!(list, "| [{id}](../../rules/{id}.md) | {} | {title} |", text(&rule, "severity"))
            .expect("memory takes everything");
    }
    list
}

/// The contents of the site with a line for each rule.
fn contents() -> String {
    let written = read(Path::new(CONTENTS));
    let (guides, _) = written.split_once(RULES).expect("the rules come last");
    let lines = rules().into_iter().map(|rule| format!("- [{0}](rules/{0}.md)\n", text(&rule, "id")));
    format!("{guides}{RULES}\n{}", lines.collect::<String>())
}

#[test]
fn every_rule_is_in_the_list_and_in_the_contents() {
    for (page, expected) in [(LIST, list()), (CONTENTS, contents())] {
        if std::env::var_os("HARP_WRITE_PAGES").is_some() {
            fs::write(root().join(page), &expected).expect("the page can be written");
        }
        let written = fs::read_to_string(root().join(page)).unwrap_or_default();
        assert_eq!(written, expected, "{page}: write it with HARP_WRITE_PAGES=1");
    }
}

#[test]
fn anchors_are_those_of_code_hosts() {
    let page = "# A `b.c` (d)\n\n## A `b.c` (d)\n\n```\n# code\n```\n### Ärger: [x](y.md) & z\n\nsee `[a](b)`, [c](#d) and [e](f.md#g)\n";
    assert_eq!(anchors(page), ["a-bc-d", "a-bc-d-1", "ärger-x--z"].map(str::to_owned).into());
    let found = links(page);
    let expected = [("y.md", None), ("", Some("d")), ("f.md", Some("g"))];
    assert_eq!(found, expected.map(|(path, anchor)| (path.to_owned(), anchor.map(str::to_owned))));
}
