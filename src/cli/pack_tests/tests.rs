use super::*;

fn run(markdown: &str) -> PageResult {
    let functors = crate::rule_findings::functors();
    let rules = Rules::load(&[], &functors);
    Bench::new(&rules, None, Counted::All).run(markdown)
}

/// The failures of a text, each as `line: - expected + found`.
fn failures(markdown: &str) -> Vec<String> {
    shown(&run(markdown))
}

fn shown(page: &PageResult) -> Vec<String> {
    let show = |failure: &Failure| {
        let message = failure.message.iter().cloned();
        let expected = failure.expected.iter().map(|it| format!("- {it}"));
        let found = failure.found.iter().map(|it| format!("+ {it}"));
        format!("{}: {}", failure.line, message.chain(expected).chain(found).collect::<Vec<_>>().join(" "))
    };
    page.failures.iter().map(show).collect()
}

#[test]
fn an_expected_finding_must_be_there() {
    assert_eq!(
        failures("# A\n\n```python\nx = 1  # error: [syntax-error] \"text\"\n```\n"),
        ["4: - error: [syntax-error] \"text\" + nothing"]
    );
}

#[test]
fn a_finding_must_be_expected() {
    let failures = failures("```python\n\nx = )\n```\n");
    assert_eq!(failures.len(), 1);
    assert!(failures[0].starts_with("3: + error: [syntax-error]"), "{failures:?}");
}

#[test]
fn rule_and_text_must_fit() {
    assert_eq!(failures("```python\nx = )  # error: [syntax-error]\n```\n"), Vec::<String>::new());
    for wrong in ["# error: \"no such text\"", "# warning: [syntax-error]", "# ok", "# ok: syntax-error"] {
        let failures = failures(&format!("```python\nx = )  {wrong}\n```\n"));
        assert_eq!(failures.len(), 1, "{wrong}");
        assert!(failures[0].starts_with(&format!("2: - {} + error: [syntax-error]", &wrong[2..])), "{failures:?}");
    }
}

#[test]
fn a_rule_may_be_expected_whatever_its_severity() {
    assert_eq!(failures("```python\nx = )  # expect: syntax-error\n```\n"), Vec::<String>::new());
    assert_eq!(failures("```python\nx = 1  # expect: syntax-error \"x\"\n```\n").len(), 1);
    assert_eq!(
        failures("```python\nx = 1  # expect: shape/mismatsh\n# ok: syntax-errer\ny = 1\n```\n"),
        ["2: there is no rule `shape/mismatsh`; did you mean `shape/mismatch`?", "3: there is no rule `syntax-errer`"]
    );
}

#[test]
fn comments_that_state_nothing_are_failures() {
    assert_eq!(
        failures("```python\nx = 1\n# error: [syntax-error]\n```\n"),
        ["3: no line of code follows this comment"]
    );
    assert_eq!(failures("```python\nx = 1  # revealed:\n```\n"), ["2: `# revealed:` states nothing"]);
    assert_eq!(failures("```python\nx = 1  # expect:\n```\n"), ["2: `# expect:` states nothing"]);
    assert_eq!(failures("```python\nx = )  # error: [syntax-error] text\n```\n").len(), 2);
    assert_eq!(failures("```python\nx = )  # expect: syntax-error text\n```\n").len(), 2);
}

#[test]
fn blocks_with_names_under_one_heading_are_one_project() {
    let text = "# A\n`a.py`:\n\n```python\nx = )  # error: [syntax-error]\n```\n\n```python b.py\ny = 1\n```\n\
                ```python\nz = )  # error: [syntax-error]\n```\n# B\n\n```python a.py\nx = 1\n```\n";
    let mut failures = Vec::new();
    let cases = cases::parse(text, &mut failures);
    assert_eq!(failures, []);
    let names: Vec<Vec<&str>> =
        cases.iter().map(|case| case.files.iter().map(|file| file.name.as_str()).collect()).collect();
    assert_eq!(names, [vec!["a.py", "b.py"], vec!["main.py"], vec!["a.py"]]);
    let page = run(text);
    assert_eq!((page.blocks, page.statements, page.failures), (4, 2, vec![]));
}

#[test]
fn a_configuration_holds_for_its_section() {
    let text =
        "# A\n```toml harp.toml\nignore = ['syntax-error']\n```\n```python\nx = )\n```\n# B\n```python\nx = )\n```\n";
    assert_eq!(failures(text).len(), 1);
    let broken = "```toml harp.toml\nignored = 1\n```\n```python\nx = 1\n```\n";
    assert!(failures(broken)[0].starts_with("2: error: unknown key `ignored`"));
}

#[test]
fn a_configuration_names_nothing_outside() {
    let packs = "```toml harp.toml\npacks = ['/']\n```\n```python\nx = 1\n```\n";
    assert_eq!(failures(packs), ["2: the configuration of a block cannot name packs"]);
    let annotations = "```toml harp.toml\nannotations = ['../a.yaml']\n```\n```python\nx = 1\n```\n";
    assert_eq!(failures(annotations), ["2: ./../a.yaml is not in the pack"]);
}

const PROGRAM: &str = "import torch\nx = torch.rand(512, 512)\nfor i in range(100):\n    y = x @ x";

#[test]
fn a_page_states_the_findings_of_its_own_pack() {
    let functors = crate::rule_findings::functors();
    let rules = Rules::load(&[], &functors);
    let run = |pack, comment: &str| {
        let page = Bench::new(&rules, Some(pack), Counted::OwnAndNamed)
            .run(&format!("```python\n{PROGRAM}  {comment}\n```\n"));
        shown(&page)
    };
    // Findings of other packs count only where the page names their rule.
    assert_eq!(run("shape", "# ok"), Vec::<String>::new());
    assert_eq!(run("harp", "").len(), 1);
    assert_eq!(run("harp", "# expect: loop-invariant"), Vec::<String>::new());
    assert_eq!(run("harp", "# expect: harp/loop-invariant # assumes: is not changed"), Vec::<String>::new());
    assert_eq!(run("shape", "# expect: harp/loop-invariant"), Vec::<String>::new());
    let silent = run("shape", "# ok: harp/loop-invariant");
    assert_eq!(silent.len(), 1);
    assert!(silent[0].starts_with("5: - ok: harp/loop-invariant + warning: [harp/loop-invariant]"), "{silent:?}");
    let assumes = run("harp", "# expect: loop-invariant # assumes: no such thing");
    assert!(assumes[0].starts_with("5: - assumes: no such thing + "), "{assumes:?}");
}
