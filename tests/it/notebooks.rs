//! What is particular to notebooks: the outputs that they keep.

use std::path::Path;

use harp::cli::config;
use harp::cli::pipeline::analyse_corpus;
use harp::cli::progress::Progress;
use harp::corpus::Corpus;
use harp::report::Severity;

/// A cell of code with its outputs.
fn cell(source: &str, outputs: &str) -> String {
    format!(r#"{{"cell_type": "code", "source": "{source}", "outputs": [{outputs}]}}"#)
}

#[test]
fn what_fails_on_purpose_is_a_note() {
    let shown = r#"{"output_type": "error", "ename": "IndexError"}"#;
    let cells = [
        cell(r"import torch\nx = torch.zeros(5)\ndef f(i):\n    return x[i]", ""),
        cell("x[5]", shown),
        cell("f(6)", shown),
        cell("x[7]", r#"{"output_type": "stream", "text": ["0"]}"#),
    ];
    let notebook = format!(r#"{{"nbformat": 4, "cells": [{}]}}"#, cells.join(", "));
    let options = config::parse("harp.toml", "", Path::new(".")).expect("the configuration is right").into();
    let corpus = Corpus::in_memory(vec![("a.ipynb".to_owned(), notebook)]);
    let analysis = analyse_corpus(corpus, &options, &Progress::hidden());
    let found = analysis.findings.iter().filter(|finding| finding.rule == "shape/mismatch");
    let mut severities: Vec<Severity> = found.map(|finding| finding.severity).collect();
    severities.sort();
    let mut expected = [Severity::Note, Severity::Note, Severity::Error];
    expected.sort();
    assert_eq!(severities, expected, "{:?}", analysis.findings);
}

#[test]
fn a_cell_that_is_indented_as_a_whole_is_run() {
    let cells =
        [cell(r"import torch\n", ""), cell(r"  # Sizes\n  x = torch.zeros(3, 4)", ""), cell(r" x @ x\n y = 1", "")];
    let notebook = format!(r#"{{"nbformat": 4, "cells": [{}]}}"#, cells.join(", "));
    let options = config::parse("harp.toml", "", Path::new(".")).expect("the configuration is right").into();
    let corpus = Corpus::in_memory(vec![("a.ipynb".to_owned(), notebook)]);
    let analysis = analyse_corpus(corpus, &options, &Progress::hidden());
    let errors: Vec<_> = analysis.findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].rule, "shape/mismatch");
    let file = analysis.corpus.file(errors[0].primary.span.file).expect("the notebook is read");
    let place = file.line_column(errors[0].primary.span.start);
    assert_eq!((place.cell, place.line, place.column), (Some(3), 1, 2));
}

/// The errors of a notebook with these cells.
fn errors_of(sources: &[&str]) -> Vec<String> {
    let cells: Vec<String> = sources.iter().map(|source| cell(source, "")).collect();
    let notebook = format!(r#"{{"nbformat": 4, "cells": [{}]}}"#, cells.join(", "));
    let options = config::parse("harp.toml", "", Path::new(".")).expect("the configuration is right").into();
    let corpus = Corpus::in_memory(vec![("a.ipynb".to_owned(), notebook)]);
    let analysis = analyse_corpus(corpus, &options, &Progress::hidden());
    let errors = analysis.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| format!("{}: {}", finding.rule, finding.message)).collect()
}

#[test]
fn names_that_commands_bind_are_defined() {
    for cells in [
        ["%time z = 3", "print(z)"],
        ["if 1:\\n    %time z = 5\\n    %prun y = z", "print(z, y)"],
        ["time z = 3", "print(z)"],
        ["%run other.py", "print(z)"],
        ["%macro z 1", "z"],
        ["%%bash --out z\\nls", "print(z)"],
        ["%%cython -a\\ndef z(): pass", "z()"],
        ["%%bigquery z\\nselect 1", "print(z)"],
        ["get_ipython().user_ns['z'] = 3", "print(z)"],
        ["get_ipython().run_line_magic('pylab', '')", "print(arange)"],
        ["3", "print(_, _1, _i, _ii, _i1, _oh, spark)"],
    ] {
        assert_eq!(errors_of(&cells), [""; 0], "{cells:?}");
    }
}

#[test]
fn names_are_judged_in_notebooks_with_other_commands() {
    let expected = ["python/undefined-name: `z` is not defined"];
    for cells in [
        ["%load_ext autoreload\\n%autoreload 2", "print(z)"],
        ["%%html\\n<b>z</b>", "%time print(z)"],
        ["raise ValueError()", "print(z)"],
        ["get_ipython().run_line_magic('matplotlib', 'inline')", "print(z)"],
    ] {
        assert_eq!(errors_of(&cells), expected, "{cells:?}");
    }
}

#[test]
fn a_cell_of_one_line_may_be_a_command_without_a_mark() {
    for line in ["pip install foo", "conda install x -y", "cat foo.txt", "cd ..", "ls -la", "ls"] {
        assert_eq!(errors_of(&[line, "import torch\\ntorch.rand(3)"]), [""; 0], "{line}");
    }
}
