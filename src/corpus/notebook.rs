//! Jupyter notebooks: the Python cells as one text, with the place of each cell in it.

use std::path::Path;

use serde::Deserialize;

use crate::{Cell, SkipReason, may_bind_names};

/// The format's versions 3 (`worksheets`) and 4 (`cells`), as far as they are needed.
#[derive(Deserialize)]
struct Notebook {
    cells: Option<Vec<RawCell>>,
    worksheets: Option<Vec<Worksheet>>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<RawCell>,
}

#[derive(Deserialize)]
struct RawCell {
    cell_type: String,
    #[serde(alias = "input")]
    source: Option<Text>,
    outputs: Option<Vec<Output>>,
}

#[derive(Deserialize)]
struct Output {
    /// `error` in version 4 of the format, `pyerr` in version 3.
    output_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "the source of a cell has to be a text or a list of texts")]
enum Text {
    Whole(String),
    Lines(Vec<String>),
}

#[derive(Default, Deserialize)]
struct Metadata {
    language_info: Option<LanguageInfo>,
    kernelspec: Option<Kernel>,
}

#[derive(Deserialize)]
struct LanguageInfo {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Kernel {
    language: Option<String>,
}

/// Cell magics whose cell is Python all the same.
const PYTHON_MAGICS: [&str; 6] = ["time", "timeit", "capture", "prun", "python", "python3"];

/// What makes a block of a cell that is indented as a whole, so that all places in it stay. It is no part of the cell.
const AROUND_INDENTED: &str = "if 1:\n";

pub(super) fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ipynb")
}

/// The text of a notebook's Python cells, each followed by a line break, and where they are in it.
pub(super) fn read(json: &str) -> Result<(String, Option<Vec<Cell>>), SkipReason> {
    let notebook: Notebook =
        serde_json::from_str(json).map_err(|error| SkipReason::MalformedNotebook(what_is_wrong(&error)))?;
    let Metadata { language_info, kernelspec } = notebook.metadata;
    let language = language_info.and_then(|info| info.name).or_else(|| kernelspec.and_then(|kernel| kernel.language));
    if let Some(language) = language.filter(|language| !language.to_ascii_lowercase().contains("python")) {
        return Err(SkipReason::ForeignNotebook(language));
    }
    let raw_cells = match (notebook.cells, notebook.worksheets) {
        (Some(cells), _) => cells,
        (None, Some(worksheets)) => worksheets.into_iter().flat_map(|worksheet| worksheet.cells).collect(),
        (None, None) => return Err(SkipReason::MalformedNotebook("it has no cells".to_owned())),
    };
    Ok(concatenate(raw_cells))
}

/// Why a text is no notebook: because it is no JSON, or JSON of something else.
fn what_is_wrong(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Data => format!("it is JSON, but not of a notebook: {error}"),
        _ => format!("it is not JSON: {error}"),
    }
}

fn concatenate(raw_cells: Vec<RawCell>) -> (String, Option<Vec<Cell>>) {
    let mut text = String::new();
    let mut cells = Vec::new();
    for (number, cell) in (1..).zip(raw_cells) {
        let kinds = cell.outputs.iter().flatten().filter_map(|output| output.output_type.as_deref());
        let shows_error = kinds.into_iter().any(|kind| matches!(kind, "error" | "pyerr"));
        let Some(source) = cell.source.filter(|_| cell.cell_type == "code") else { continue };
        let source = match source {
            Text::Whole(text) => text,
            Text::Lines(lines) => lines.concat(),
        };
        let source = match is_python(&source) {
            true => source,
            false => match command_of_other_language(&source) {
                Some(command) => command.to_owned(),
                None => continue,
            },
        };
        if is_indented(&source) {
            text.push_str(AROUND_INDENTED);
        }
        let start = text.len() as u32;
        text.push_str(&source);
        cells.push(Cell { number, start, end: text.len() as u32, shows_error });
        text.push('\n');
    }
    (text, Some(cells))
}

/// Whether a cell is indented as a whole, which IPython takes back before it runs it: its first line is, and so is its first statement.
fn is_indented(source: &str) -> bool {
    let starts_indented = |line: &str| line.starts_with([' ', '\t']);
    let mut lines = source.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some_and(|line| starts_indented(line))
        && lines.find(|line| !line.trim_start().starts_with('#')).is_some_and(starts_indented)
}

/// A cell that starts with `%%bash` and its like is in another language.
fn is_python(source: &str) -> bool {
    let Some(magic) = source.trim_start().strip_prefix("%%") else { return true };
    let end = magic.find(|character: char| !character.is_alphanumeric()).unwrap_or(magic.len());
    PYTHON_MAGICS.contains(&&magic[..end])
}

/// What stays of a cell in another language: its command, where that may bind names that other cells use.
fn command_of_other_language(source: &str) -> Option<&str> {
    source.trim_start().lines().next().filter(|command| may_bind_names(command))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::{Cell, SkipReason};

    #[test]
    fn cells_keep_their_numbers() {
        let (text, cells) = read(
            r##"{"nbformat": 4, "metadata": {"kernelspec": {"language": "python"}}, "cells": [
                {"cell_type": "markdown", "source": ["# Title"]},
                {"cell_type": "code", "source": ["x = 1\n", "y = 2"], "outputs": [{"data": {"a": 1}}]},
                {"cell_type": "code", "source": "%%bash\nls"},
                {"cell_type": "code", "source": "%%time\nz = 3"}]}"##,
        )
        .unwrap();
        assert_eq!(text, "x = 1\ny = 2\n%%time\nz = 3\n");
        let expected = vec![
            Cell { number: 2, start: 0, end: 11, shows_error: false },
            Cell { number: 4, start: 12, end: 24, shows_error: false },
        ];
        assert_eq!(cells, Some(expected));
    }

    #[test]
    fn a_cell_that_is_indented_as_a_whole_is_a_block() {
        let read_cell =
            |source: &str| read(&format!(r#"{{"cells": [{{"cell_type": "code", "source": "{source}"}}]}}"#)).unwrap();
        let (text, cells) = read_cell(r"\n  # Sizes\n  n = 3\n  n");
        assert_eq!(text, "if 1:\n\n  # Sizes\n  n = 3\n  n\n");
        assert_eq!(cells.unwrap()[0].start, 6);
        for source in [r"  # Only a comment", r"  # Sizes\nn = 3", r"n = 3\n  m = 4", ""] {
            assert!(!read_cell(source).0.starts_with("if"), "{source}");
        }
    }

    #[test]
    fn of_a_cell_in_another_language_its_command_stays_where_it_may_bind_names() {
        let read_cell =
            |source: &str| read(&format!(r#"{{"cells": [{{"cell_type": "code", "source": "{source}"}}]}}"#)).unwrap();
        assert_eq!(read_cell(r"%%bash --out files\nls").0, "%%bash --out files\n");
        assert_eq!(read_cell(r"\n%%cython -a\ndef f(int x): pass").0, "%%cython -a\n");
        assert_eq!(read_cell(r"%%html\n<b>").0, "");
    }

    #[test]
    fn cells_that_show_an_error_are_told() {
        let (_, cells) = read(
            r##"{"nbformat": 4, "cells": [
                {"cell_type": "code", "source": "x[5]", "outputs": [{"output_type": "stream"}, {"output_type": "error"}]},
                {"cell_type": "code", "source": "x[1]", "outputs": [{"output_type": "stream", "text": ["error"]}]},
                {"cell_type": "code", "source": "x[2]", "outputs": null}]}"##,
        )
        .unwrap();
        let shown: Vec<bool> = cells.unwrap().iter().map(|cell| cell.shows_error).collect();
        assert_eq!(shown, [true, false, false]);
        let (_, cells) = read(
            r#"{"nbformat": 3, "worksheets": [{"cells": [
                {"cell_type": "code", "input": "x", "outputs": [{"output_type": "pyerr"}]}]}]}"#,
        )
        .unwrap();
        assert!(cells.unwrap()[0].shows_error);
    }

    #[test]
    fn the_older_format_is_read() {
        let (text, _) =
            read(r#"{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["x\n", "y"]}]}]}"#)
                .unwrap();
        assert_eq!(text, "x\ny\n");
    }

    #[test]
    fn what_is_no_python_notebook_has_a_reason() {
        for text in ["", "{", "[]", "{}", "{\"cells\": 1}", "{\"cells\": [1]}"] {
            assert!(matches!(read(text), Err(SkipReason::MalformedNotebook(_))), "{text}");
        }
        let reason = |text: &str| match read(text) {
            Err(SkipReason::MalformedNotebook(reason)) => reason,
            _ => String::new(),
        };
        assert!(reason("<html>").starts_with("it is not JSON: "), "{}", reason("<html>"));
        let source = reason(r#"{"cells": [{"cell_type": "code", "source": 5}]}"#);
        assert!(source.contains("the source of a cell has to be a text or a list of texts"), "{source}");
        let julia = r#"{"cells": [], "metadata": {"language_info": {"name": "julia"}}}"#;
        assert_eq!(read(julia), Err(SkipReason::ForeignNotebook("julia".to_owned())));
    }
}
