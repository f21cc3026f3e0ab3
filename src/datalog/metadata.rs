//! The `///` lines above a declaration: what a relation means, and what makes it a finding.

use serde::{Deserialize, Serialize};

use super::savings::{Quantity, SavesTemplate, floor_text, saves_text};
use super::source::{Place, Problem};
use super::syntax::{Declaration, DocLine};
use crate::did_you_mean::nearest;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// Surely wrong.
    Error,
    /// Possibly wrong, or wasteful.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word of `@severity`, and of reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Text with `{column}` placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Part {
    Text(String),
    Column(usize),
}

impl Template {
    /// The text with the values of the columns in it.
    pub fn render(&self, mut value: impl FnMut(usize) -> String) -> String {
        let parts = self.parts.iter();
        parts
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Column(column) => value(*column),
            })
            .collect()
    }

    /// The columns that occur.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().filter_map(|part| match part {
            Part::Column(column) => Some(*column),
            Part::Text(_) => None,
        })
    }
}

/// What an edit does at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EditKind {
    /// `@edit`: the text takes the place's place; an empty one leaves nothing of it.
    Replace,
    /// `@insert`: the text becomes lines of its own before the statement in which the place lies.
    InsertBefore,
    /// `@append`: the text becomes lines of its own behind the statement that is the place.
    InsertAfter,
    /// `@wrap`: the text, such as `with …:`, becomes a line before the statement that is the place, which is indented below it.
    Wrap,
}

/// `@edit`, `@insert`, `@append` or `@wrap`: a part of a rewrite that a program can apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditTemplate {
    /// What it does.
    pub kind: EditKind,
    /// The column that holds the place.
    pub place: usize,
    /// The text.
    pub text: Template,
}

/// What makes a relation a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// `@id`
    pub id: String,
    /// `@severity`
    pub severity: Severity,
    /// `@tags`
    pub tags: Vec<String>,
    /// `@on-request`: it is told only where somebody selects it by its id or a tag.
    pub on_request: bool,
    /// `@message`
    pub message: Template,
    /// The column that holds where the finding is.
    pub at: Option<usize>,
    /// Columns that hold further places, each with what it is.
    pub related: Vec<(usize, Template)>,
    /// `@help`
    pub help: Option<Template>,
    /// `@fix`
    pub fix: Option<Template>,
    /// `@edit`, `@insert`, `@append` and `@wrap`, which are one rewrite together.
    pub edits: Vec<EditTemplate>,
    /// `@unsafe`
    pub unsafe_because: Option<Template>,
    /// `@saves`: the work that the rewrite removes.
    pub saves: Vec<SavesTemplate>,
    /// `@floor`: a finding that is known to save less than all of these is not told.
    pub floor: Vec<(Quantity, i64)>,
}

/// Everything that a declaration's `///` lines say.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Documentation {
    /// The lines that are no metadata.
    pub text: String,
    /// Absence of a row is an assumption.
    pub open: bool,
    pub metadata: Option<Metadata>,
    /// Where `@id` stands.
    pub id_place: Option<Place>,
    /// The columns of `@at`, `@related`, `@edit`, `@insert`, `@append`, `@wrap` and `@saves`, with where they are named.
    pub place_columns: Vec<(usize, Place)>,
    /// The columns of `@words`, with what may stand in them.
    pub words: Vec<(usize, Vec<String>)>,
}

const KEYS: [&str; 18] = [
    "id",
    "severity",
    "tags",
    "on-request",
    "message",
    "at",
    "related",
    "help",
    "fix",
    "edit",
    "insert",
    "append",
    "wrap",
    "unsafe",
    "saves",
    "floor",
    "open",
    "words",
];

/// Keys with a column and a text, which may be given several times.
const WITH_PLACES: [&str; 7] = ["related", "edit", "insert", "append", "wrap", "saves", "words"];

/// Reads the `///` lines of a declaration.
pub(super) fn documentation(declaration: &Declaration, problems: &mut Vec<Problem>) -> Documentation {
    let before = problems.len();
    let mut reader =
        Reader { declaration, problems, before, entries: Vec::new(), text: Vec::new(), place_columns: Vec::new() };
    for line in &declaration.documentation {
        if line.text.trim_start().starts_with('@') {
            reader.keys(line);
        } else {
            reader.text.push(line.text.trim().to_owned());
        }
    }
    reader.finish()
}

struct Reader<'a> {
    declaration: &'a Declaration,
    problems: &'a mut Vec<Problem>,
    /// How many problems there were before this declaration's.
    before: usize,
    entries: Vec<Entry>,
    text: Vec<String>,
    place_columns: Vec<(usize, Place)>,
}

/// One `@key value`; `@related`, `@edit`, `@insert`, `@append`, `@wrap` and `@saves` have a column and a text.
struct Entry {
    key: &'static str,
    place: Place,
    word: Option<(String, Place)>,
    value: Option<(String, Place)>,
}

impl Reader<'_> {
    fn keys(&mut self, line: &DocLine) {
        let mut rest = Rest { line, at: 0 };
        rest.skip_space();
        while !rest.is_empty() {
            let start = rest.at;
            if !rest.text().starts_with('@') {
                let end = rest.text().find(" @").map_or(line.text.len(), |offset| start + offset);
                let problem = Problem::error(rest.place(start, end), "this belongs to no key", "expected `@key`")
                    .hint("a value with spaces is written in quotes");
                self.problems.push(problem);
                return;
            }
            rest.at += 1;
            let name = rest.word();
            let place = rest.place(start, rest.at);
            let Some(key) = KEYS.iter().copied().find(|key| *key == name) else {
                let hint = nearest(name, KEYS).map(|key| format!("did you mean `@{key}`?"));
                self.problems.push(Problem::error(place, format!("unknown key `@{name}`"), "unknown").maybe_hint(hint));
                rest.skip_to_known_key();
                continue;
            };
            rest.skip_space();
            let mut entry = Entry { key, place, word: None, value: None };
            match key {
                "open" | "on-request" => {}
                "id" | "severity" | "at" => entry.word = rest.spaced_word(),
                _ if WITH_PLACES.contains(&key) => {
                    entry.word = rest.spaced_word();
                    entry.value = self.quoted_or_line(&mut rest);
                }
                _ => entry.value = self.quoted_or_line(&mut rest),
            }
            self.add(entry);
            rest.skip_space();
        }
    }

    fn add(&mut self, entry: Entry) {
        let key = entry.key;
        let missing = match key {
            "open" | "on-request" => false,
            "id" | "severity" | "at" => entry.word.is_none(),
            _ if WITH_PLACES.contains(&key) => entry.word.is_none() || entry.value.is_none(),
            _ => entry.value.is_none(),
        };
        if missing {
            let example = match key {
                "id" => "@id pack/rule-name",
                "severity" => "@severity warning",
                "at" => "@at column",
                "related" => "@related column \"what it is\"",
                "words" => "@words column first, second",
                "edit" => "@edit column \"what stands there instead\"",
                "insert" => "@insert column \"the lines before it\"",
                "append" => "@append column \"the lines behind it\"",
                "wrap" => "@wrap column \"the line that it is indented below\"",
                "saves" => "@saves column repeats in loop",
                "floor" => "@floor calls 10, bytes 4096",
                "tags" => "@tags performance, hoist",
                _ => "\"a text\" after the key",
            };
            let problem = Problem::error(entry.place, format!("`@{key}` has no value"), "value missing");
            self.problems.push(problem.hint(format!("for example `{example}`")));
            return;
        }
        if !WITH_PLACES.contains(&key) && self.entries.iter().any(|other| other.key == key) {
            self.problems.push(Problem::error(entry.place, format!("`@{key}` is given twice"), "second"));
            return;
        }
        self.entries.push(entry);
    }

    /// A text in quotes, or the rest of the line up to the next known key.
    fn quoted_or_line(&mut self, rest: &mut Rest) -> Option<(String, Place)> {
        let start = rest.at;
        if !rest.text().starts_with('"') {
            let text = rest.text();
            let end = next_known_key(text).unwrap_or(text.len());
            let value = text[..end].trim_end();
            rest.at += end;
            return (!value.is_empty()).then(|| (value.to_owned(), rest.place(start, start + value.len())));
        }
        let mut value = String::new();
        let mut escaped = false;
        for (offset, character) in rest.text().char_indices().skip(1) {
            match character {
                _ if escaped => {
                    value.push(character);
                    escaped = false;
                }
                '\\' => escaped = true,
                '"' => {
                    rest.at = start + offset + 1;
                    return Some((value, rest.place(start + 1, start + offset)));
                }
                _ => value.push(character),
            }
        }
        let end = rest.line.text.len();
        self.problems.push(
            Problem::error(rest.place(start, end), "the text does not end", "starts here")
                .hint("a text in metadata ends with `\"` on the line where it began"),
        );
        rest.at = end;
        Some((value, rest.place(start, end)))
    }

    fn finish(mut self) -> Documentation {
        let entries = std::mem::take(&mut self.entries);
        let open = entries.iter().any(|entry| entry.key == "open");
        let text = std::mem::take(&mut self.text).join("\n").trim().to_owned();
        let id = entries.iter().find(|entry| entry.key == "id");
        let id_place = id.and_then(|entry| entry.word.as_ref()).map(|(_, place)| *place);
        let words = self.words(&entries);
        let of_finding = |entry: &&Entry| !matches!(entry.key, "open" | "words");
        let metadata = match (id, entries.iter().find(of_finding)) {
            (None, Some(other)) => {
                let problem =
                    Problem::error(other.place, format!("`@{}` without `@id`", other.key), "of which finding?")
                        .hint("a finding's metadata begins with `@id pack/rule-name`");
                self.problems.push(problem);
                None
            }
            (None, None) => None,
            (Some(id), _) => self.metadata(id, &entries),
        };
        Documentation { text, open, metadata, id_place, place_columns: self.place_columns, words }
    }

    /// The lists of words; a column may have several lines.
    fn words(&mut self, entries: &[Entry]) -> Vec<(usize, Vec<String>)> {
        let mut all = Vec::new();
        for entry in entries.iter().filter(|entry| entry.key == "words") {
            let (Some((name, place)), Some((list, _))) = (&entry.word, &entry.value) else { continue };
            let Some(column) = self.column(name, *place) else { continue };
            if self.declaration.columns[column].1.text == "number" {
                let message = format!("`{name}` is a number, which has no words");
                self.problems.push(Problem::error(*place, message, "no text"));
                continue;
            }
            let words = list.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty());
            all.push((column, words.collect()));
        }
        all
    }

    fn metadata(&mut self, id: &Entry, entries: &[Entry]) -> Option<Metadata> {
        let (id_text, id_place) = id.word.clone()?;
        let allowed = |character: char| character.is_ascii_alphanumeric() || "-_/.".contains(character);
        if !id_text.chars().all(allowed) {
            let problem = Problem::error(id_place, format!("`{id_text}` is not a rule id"), "odd character")
                .hint("an id has letters, digits, `-`, `_`, `.` and `/`");
            self.problems.push(problem);
        }
        let mut metadata = Metadata {
            id: id_text,
            severity: Severity::Warning,
            tags: Vec::new(),
            on_request: false,
            message: Template::default(),
            at: None,
            related: Vec::new(),
            help: None,
            fix: None,
            edits: Vec::new(),
            unsafe_because: None,
            saves: Vec::new(),
            floor: Vec::new(),
        };
        let mut has_message = false;
        for entry in entries {
            match (entry.key, &entry.word, &entry.value) {
                ("severity", Some((word, place)), _) => metadata.severity = self.severity(word, *place),
                ("tags", _, Some((value, _))) => {
                    metadata.tags =
                        value.split(',').map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
                }
                ("on-request", ..) => metadata.on_request = true,
                ("message", _, Some((value, place))) => {
                    has_message = true;
                    metadata.message = self.template(value, *place);
                }
                ("at", Some((word, place)), _) => metadata.at = self.place_column(word, *place),
                ("related", Some((word, place)), Some((value, value_place))) => {
                    let text = self.template(value, *value_place);
                    if let Some(column) = self.place_column(word, *place) {
                        metadata.related.push((column, text));
                    }
                }
                (key @ ("edit" | "insert" | "append" | "wrap"), Some((word, place)), Some((value, value_place))) => {
                    let text = self.template(value, *value_place);
                    let kind = match key {
                        "edit" => EditKind::Replace,
                        "insert" => EditKind::InsertBefore,
                        "wrap" => EditKind::Wrap,
                        _ => EditKind::InsertAfter,
                    };
                    if let Some(place) = self.place_column(word, *place) {
                        metadata.edits.push(EditTemplate { kind, place, text });
                    }
                }
                ("unsafe", _, Some((value, place))) => metadata.unsafe_because = Some(self.template(value, *place)),
                ("saves", Some(column), Some(text)) => metadata.saves.extend(self.saves(column, text)),
                ("floor", _, Some((value, place))) => match floor_text(value) {
                    Ok(floor) => metadata.floor = floor,
                    Err(message) => self.odd_saving(message, *place, "`@floor calls 10, bytes 4096`"),
                },
                ("help", _, Some((value, place))) => metadata.help = Some(self.template(value, *place)),
                ("fix", _, Some((value, place))) => metadata.fix = Some(self.template(value, *place)),
                _ => {}
            }
        }
        // After another problem the message may just have been misspelt.
        if !has_message && self.problems.len() == self.before {
            let problem =
                Problem::error(id_place, format!("the finding `{}` has no message", metadata.id), "needs `@message`")
                    .hint("add a line `/// @message \"what is wrong with `{column}`\"`");
            self.problems.push(problem);
        }
        Some(metadata)
    }

    /// A column of a place, and which of its executions are saved.
    fn saves(
        &mut self,
        (column, place): &(String, Place),
        (text, text_place): &(String, Place),
    ) -> Option<SavesTemplate> {
        let column = self.place_column(column, *place)?;
        match saves_text(text) {
            Ok((removed, in_loop, only)) => {
                let in_loop = match in_loop {
                    Some(name) => Some(self.place_column(name, *text_place)?),
                    None => None,
                };
                let only = match only {
                    Some(only) => {
                        let mut listed = Vec::new();
                        for (quantity, name) in only {
                            let number = match name {
                                Some(name) => Some(self.number_column(name, *text_place)?),
                                None => None,
                            };
                            listed.push((quantity, number));
                        }
                        Some(listed)
                    }
                    None => None,
                };
                Some(SavesTemplate { place: column, removed, in_loop, only })
            }
            Err(message) => {
                self.odd_saving(message, *text_place, "`each`, `repeats in loop` or `growth in loop: calls, bytes`");
                None
            }
        }
    }

    /// A column of numbers; `None` is a problem that was told.
    fn number_column(&mut self, name: &str, place: Place) -> Option<usize> {
        let column = self.column(name, place)?;
        if self.declaration.columns[column].1.text != "number" {
            self.problems.push(Problem::error(place, format!("`{name}` is not a number"), "no amount"));
            return None;
        }
        Some(column)
    }

    fn odd_saving(&mut self, message: String, place: Place, example: &str) {
        self.problems.push(Problem::error(place, message, "not understood").hint(format!("for example {example}")));
    }

    fn severity(&mut self, word: &str, place: Place) -> Severity {
        match word {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            "note" => Severity::Note,
            _ => {
                let problem = Problem::error(place, format!("`{word}` is not a severity"), "unknown")
                    .hint("severities are `error`, `warning` and `note`");
                self.problems.push(problem);
                Severity::Warning
            }
        }
    }

    /// A column that holds places, so that it is a symbol.
    fn place_column(&mut self, name: &str, place: Place) -> Option<usize> {
        let column = self.column(name, place)?;
        if self.declaration.columns[column].1.text == "number" {
            let problem = Problem::error(place, format!("`{name}` is a number, not a place in code"), "not a place");
            self.problems.push(problem);
            return None;
        }
        self.place_columns.push((column, place));
        Some(column)
    }

    fn column(&mut self, name: &str, place: Place) -> Option<usize> {
        let columns = &self.declaration.columns;
        let found = columns.iter().position(|(column, _)| column.text == name);
        if found.is_none() {
            let relation = &self.declaration.name;
            let hint = match nearest(name, columns.iter().map(|(column, _)| column.text.as_str())) {
                Some(column) => format!("did you mean `{column}`?"),
                None => {
                    let names: Vec<String> = columns.iter().map(|(column, _)| format!("`{}`", column.text)).collect();
                    format!("its columns are {}", names.join(", "))
                }
            };
            let problem =
                Problem::error(place, format!("`{}` has no column `{name}`", relation.text), "no such column")
                    .hint(hint)
                    .note(relation.place, "declared here");
            self.problems.push(problem);
        }
        found
    }

    /// Placeholders are `{column}`; a brace itself is doubled.
    fn template(&mut self, text: &str, place: Place) -> Template {
        if text.chars().any(char::is_control) {
            self.problems.push(Problem::error(place, "control characters are not allowed in metadata", "has one"));
        }
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut characters = text.char_indices().peekable();
        while let Some((start, character)) = characters.next() {
            match character {
                '{' | '}' if characters.peek().is_some_and(|(_, next)| *next == character) => {
                    characters.next();
                    plain.push(character);
                }
                '{' => {
                    let name: String = characters
                        .by_ref()
                        .map(|(_, character)| character)
                        .take_while(|character| *character != '}')
                        .collect();
                    // Escapes before the placeholder shift it; then the caret is at the text's beginning.
                    let from = place.start + start as u32;
                    let end = (from + name.len() as u32 + 2).min(place.end);
                    let here = if from < end { Place { start: from, end, ..place } } else { place };
                    if let Some(column) = self.column(name.trim(), here) {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                        parts.push(Part::Column(column));
                    }
                }
                _ => plain.push(character),
            }
        }
        parts.push(Part::Text(plain));
        parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
        Template { parts }
    }
}

/// What is left of a line.
struct Rest<'a> {
    line: &'a DocLine,
    at: usize,
}

impl<'a> Rest<'a> {
    fn text(&self) -> &'a str {
        &self.line.text[self.at..]
    }

    fn is_empty(&self) -> bool {
        self.at >= self.line.text.len()
    }

    fn place(&self, start: usize, end: usize) -> Place {
        let base = self.line.place.start;
        Place { start: base + start as u32, end: base + end as u32, ..self.line.place }
    }

    fn skip_space(&mut self) {
        self.at += self.text().len() - self.text().trim_start().len();
    }

    fn word(&mut self) -> &'a str {
        let text = self.text();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        self.at += end;
        &text[..end]
    }

    /// A word that is not the next key, and the space after it.
    fn spaced_word(&mut self) -> Option<(String, Place)> {
        if self.is_empty() || self.text().starts_with('@') {
            return None;
        }
        let start = self.at;
        let word = self.word().to_owned();
        let place = self.place(start, self.at);
        self.skip_space();
        Some((word, place))
    }

    fn skip_to_known_key(&mut self) {
        self.at += next_known_key(self.text()).unwrap_or(self.text().len());
        self.skip_space();
    }
}

/// Where ` @key` begins in a text, for a known key.
fn next_known_key(text: &str) -> Option<usize> {
    text.char_indices().find_map(|(offset, character)| {
        if character != '@' || !text[..offset].ends_with(char::is_whitespace) {
            return None;
        }
        let word =
            text[offset + 1..].split(|character: char| !character.is_ascii_alphabetic() && character != '-').next()?;
        KEYS.contains(&word).then_some(offset)
    })
}
