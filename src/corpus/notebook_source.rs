//! The text of a notebook file with other code in some of its cells. The rest of its JSON stays as it is, byte for
//! byte, and so do the lines of a cell that do not change.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Notebook<'a> {
    #[serde(borrow)]
    cells: Option<Vec<RawCell<'a>>>,
    #[serde(borrow)]
    worksheets: Option<Vec<Worksheet<'a>>>,
}

#[derive(Deserialize)]
struct Worksheet<'a> {
    #[serde(borrow, default)]
    cells: Vec<RawCell<'a>>,
}

#[derive(Deserialize)]
struct RawCell<'a> {
    #[serde(borrow, alias = "input")]
    source: Option<&'a RawValue>,
}

/// The notebook in which cells have this code, by their numbers; `None` where it is no notebook or a cell is not there.
pub(super) fn replace(json: &str, code: &BTreeMap<u32, &str>) -> Option<String> {
    let notebook: Notebook<'_> = serde_json::from_str(json).ok()?;
    let cells = match (notebook.cells, notebook.worksheets) {
        (Some(cells), _) => cells,
        (None, worksheets) => worksheets?.into_iter().flat_map(|worksheet| worksheet.cells).collect(),
    };
    let mut replaced = String::with_capacity(json.len());
    let (mut copied, mut left) = (0, code.len());
    for (number, cell) in (1..).zip(cells) {
        let Some(code) = code.get(&number) else { continue };
        let raw = cell.source?;
        let range = range_within(raw.get(), json)?;
        replaced.push_str(json.get(copied..range.start)?);
        replaced.push_str(&source(raw.get(), code)?);
        copied = range.end;
        left -= 1;
    }
    replaced.push_str(json.get(copied..)?);
    (left == 0).then_some(replaced)
}

/// Where a text lies in the one that it is a part of.
fn range_within(part: &str, whole: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    whole.get(start..start + part.len()).filter(|found| *found == part)?;
    Some(start..start + part.len())
}

/// The value of a cell's `source` for this code, written as the former value `raw` is: as one string, or as a list of lines.
fn source(raw: &str, code: &str) -> Option<String> {
    let is_escaped = raw.is_ascii() && raw.contains("\\u");
    let string = |text: &str| string(text, is_escaped);
    if !raw.starts_with('[') {
        return Some(string(code));
    }
    let items: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    let old: Vec<String> = items.iter().map(|item| serde_json::from_str(item.get()).ok()).collect::<Option<_>>()?;
    let new: Vec<&str> = code.split_inclusive('\n').collect();
    let first = old.iter().zip(&new).take_while(|(old, new)| old == *new).count();
    let most = old.len().min(new.len()) - first;
    let last = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == *new).count();
    let changed = new[first..new.len() - last].iter().map(|line| string(line));
    let kept = |range: Range<usize>| items[range].iter().map(|item| item.get().to_owned());
    let lines: Vec<String> = kept(0..first).chain(changed).chain(kept(items.len() - last..items.len())).collect();
    let blanks = |text: &str| text.len() - text.trim_start().len();
    let inner = raw.strip_prefix('[')?.strip_suffix(']')?;
    let before = &inner[..blanks(inner)];
    let after = &inner[inner.trim_end().len().max(before.len())..];
    let between = match items.as_slice() {
        [one, two, ..] => raw.get(range_within(one.get(), raw)?.end..range_within(two.get(), raw)?.start)?.to_owned(),
        _ if before.is_empty() => ", ".to_owned(),
        _ => format!(",{before}"),
    };
    Some(format!("[{before}{}{after}]", lines.join(&between)))
}

fn string(text: &str, is_escaped: bool) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    if !is_escaped {
        return quoted;
    }
    let mut escaped = String::new();
    for character in quoted.chars() {
        if character.is_ascii() {
            escaped.push(character);
        } else {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::replace;
    use std::collections::BTreeMap;

    fn replaced(json: &str, number: u32, code: &str) -> Option<String> {
        replace(json, &BTreeMap::from([(number, code)]))
    }

    #[test]
    fn only_the_lines_that_change_are_written_anew() {
        let notebook = "{\n \"cells\": [\n  {\"source\": \"text\"},\n  {\n   \"source\": [\n    \"a\\u00e9 = 1\\n\",\n    \"b = 2\\n\",\n    \"c\"\n   ],\n   \"x\" : 1.50}]}";
        let new = replaced(notebook, 2, "aé = 1\nb = 'é'\nd\nc").expect("a notebook");
        let expected = notebook.replace("\"b = 2\\n\"", "\"b = '\\u00e9'\\n\",\n    \"d\\n\"");
        assert_eq!(new, expected);
        assert_eq!(replaced(notebook, 2, "aé = 1\nb = 2\nc").as_deref(), Some(notebook));
    }

    #[test]
    fn a_source_stays_a_string_or_a_list() {
        assert_eq!(
            replaced(r#"{"cells": [{"source" : "a\nb"}]}"#, 1, "é\n").as_deref(),
            Some(r#"{"cells": [{"source" : "é\n"}]}"#)
        );
        for (old, code, new) in [
            ("[]", "a\nb", r#"["a\n", "b"]"#),
            ("[ ]", "", "[ ]"),
            (r#"["a"]"#, "", "[]"),
            ("[\n  \"a\"\n]", "a\nb", "[\n  \"a\\n\",\n  \"b\"\n]"),
            (r#"["a\n","b\n","a"]"#, "a\na", r#"["a\n","a"]"#),
        ] {
            let json = format!(r#"{{"worksheets": [{{"cells": [{{"input": {old}}}]}}]}}"#);
            assert_eq!(replaced(&json, 1, code), Some(json.replace(old, new)), "{old}");
        }
    }

    #[test]
    fn what_is_no_notebook_is_refused() {
        for json in ["", "[]", "{}", r#"{"cells": [{}]}"#, r#"{"cells": [{"source": [1]}]}"#, r#"{"cells": []}"#] {
            assert_eq!(replaced(json, 1, "a"), None, "{json}");
        }
    }
}
