//! What the settings of a file are in the program that reads them: a whole number is a variable that is named after its key, so that a finding
//! tells which setting it depends on.

use harp_interp::state::settings_in_files::NAMES;
use std::rc::Rc;

use crate::settings::Dialect;
use crate::settings::data_files::is_pointer;
use harp_corpus::{DataFile, FileId, Span};
use harp_interp::state::interpreter::{Interpreter, Speculation};
use harp_interp::values::value::Value;
use harp_settings::ini::IniForm;
use harp_settings::tree::{Kind, Node};
use harp_settings::{dotenv, ini, json, toml, yaml};
use harp_shape::{Dim, Var, VarInfo};
use harp_trace::answers::{Asked, Reply};
use harp_trace::assumption::{Assumption, AssumptionKind};

/// A file with more whole numbers than this is a table rather than a place for settings: they are what they are.
const MOST_VARIABLES: usize = 256;
/// Files that are read at all.
const MOST_FILES: usize = 1024;

/// In which form a text holds its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Yaml(Dialect),
    Json,
    Toml,
    Ini(IniForm),
    /// Variables of the environment.
    Env,
}

/// The file of settings that a value comes from.
#[derive(Clone, Debug)]
pub struct Source {
    /// As it is shown.
    pub file: Rc<str>,
    /// Where the program reads it.
    pub span: Span,
    /// Whether whole numbers become variables.
    pub is_variable: bool,
}

/// What a setting is called that has no key.
const UNNAMED: &str = "setting";

#[easy_ext::ext(ValuesMethods)]
pub impl Interpreter<'_> {
    /// The file of settings at a path, as the running code names it.
    fn settings_file(&mut self, path: &str) -> Option<Rc<DataFile>> {
        let script = self.frames.first().map_or(FileId(0), |frame| frame.file);
        let key = (script, self.file(), path.to_owned());
        if let Some(known) = self.model_state.settings.files.get(&key) {
            return known.clone();
        }
        if self.model_state.settings.files.len() >= MOST_FILES {
            return None;
        }
        // The one that runs may lie elsewhere than the script whose settings it reads.
        let mut from: Vec<FileId> = Vec::new();
        for frame in self.frames.iter().rev() {
            if !from.contains(&frame.file) {
                from.push(frame.file);
            }
        }
        let found = from.into_iter().rev().find_map(|file| self.corpus.data_file(file, path)).map(Rc::new);
        self.model_state.settings.files.insert(key, found.clone());
        found
    }

    /// What the program gets that reads a file as a text.
    fn settings_text(&mut self, file: &DataFile) -> Value {
        let text: Rc<str> = Rc::from(file.text.as_str());
        self.model_state.settings.texts.insert(Rc::clone(&text), Rc::from(file.display_path.as_str()));
        Value::Str(Some(text))
    }

    /// The settings in a text that the program has, plain dictionaries and lists; `None` where the text is malformed.
    fn settings_of_text(&mut self, text: &Rc<str>, format: Format, span: Span) -> Option<Value> {
        let node = parse(text, format)?;
        match self.model_state.settings.texts.get(text).cloned() {
            Some(file) => self.settings_of_node(&node, &file, "", span),
            None => {
                let source = Source { file: Rc::from(""), span, is_variable: false };
                Some(self.setting(&node, &source, ""))
            }
        }
    }

    /// The settings in a file, which are known by `key` and their own; `None` where it is malformed, or nothing may rest on it.
    fn settings_of_file(&mut self, file: &DataFile, format: Format, key: &str, span: Span) -> Option<Value> {
        let node = parse(&file.text, format)?;
        let shown: Rc<str> = Rc::from(file.display_path.as_str());
        self.settings_of_node(&node, &shown, key, span)
    }

    fn settings_of_node(&mut self, node: &Node, file: &Rc<str>, key: &str, span: Span) -> Option<Value> {
        let source = self.settings_source(node, file, span)?;
        Some(self.setting(node, &source, key))
    }

    /// That a file holds what it holds now is an assumption; `None` where it is denied.
    fn settings_source(&mut self, node: &Node, file: &Rc<str>, span: Span) -> Option<Source> {
        let text = format!("`{file}` holds the settings that it holds now");
        let kind = AssumptionKind::DefaultValue;
        let speculation = self.speculate(kind, file, text, "the program reads it".to_owned(), span);
        let is_variable = speculation != Speculation::Confirmed && node.integers() <= MOST_VARIABLES;
        let source = Source { file: Rc::clone(file), span, is_variable };
        (speculation != Speculation::Denied).then_some(source)
    }

    /// The value of a setting; `key` leads to it.
    fn setting(&mut self, node: &Node, source: &Source, key: &str) -> Value {
        match &node.kind {
            Kind::Null => Value::None,
            Kind::Bool(truth) => Value::Bool(*truth),
            Kind::Int(number) if source.is_variable => self.setting_number(*number, node.line, source, key),
            Kind::Int(number) => Value::int(*number),
            Kind::Float(number) => Value::Float(Some(*number)),
            Kind::Text(text) => Value::Str(Some(Rc::clone(text))),
            Kind::List(items) => {
                let item = |(index, item): (usize, &Node)| self.setting(item, source, &numbered(key, index));
                let items = items.iter().enumerate().map(item).collect();
                Value::List(self.heap.allocate_list(items))
            }
            Kind::Map(entries) => {
                let plain = Source { is_variable: false, ..source.clone() };
                let mut known = Vec::with_capacity(entries.len());
                for (name, value) in entries {
                    let below = match &name.kind {
                        Kind::Text(name) => joined(key, name),
                        Kind::Int(number) => numbered(key, number),
                        Kind::Float(number) => numbered(key, format_args!("{number:?}")),
                        Kind::Bool(truth) => numbered(key, if *truth { "True" } else { "False" }),
                        Kind::Null => numbered(key, "None"),
                        Kind::Other | Kind::List(_) | Kind::Map(_) => key.to_owned(),
                    };
                    let name = self.setting(name, &plain, "");
                    known.push((name, self.setting(value, source, &below)));
                }
                Value::Dict(self.heap.allocate_dict(known))
            }
            Kind::Other => self.data_from_outside(key, source.span),
        }
    }

    /// A number that a name says: one that is given by an option stands for others.
    fn number_in_name(&mut self, name: &Rc<str>, number: i64) -> Value {
        if !self.entry.defaults.others.holds(name) {
            return Value::int(number);
        }
        let known = (Rc::from(NAMES), name.to_string(), number);
        let variables = &mut self.model_state.settings.variables;
        let variable = *variables.entry(known).or_insert_with(|| Var::fresh(VarInfo::config("dim", number)));
        Value::Int(Dim::var(variable))
    }

    fn setting_number(&mut self, number: i64, line: usize, source: &Source, key: &str) -> Value {
        let name = if key.is_empty() { UNNAMED } else { key };
        let place = if line == 0 { source.file.to_string() } else { format!("{}:{line}", source.file) };
        let asked = Asked {
            span: Some(source.span),
            kind: AssumptionKind::DefaultValue.as_str().to_owned(),
            subject: name.to_owned(),
            text: format!("`{name}` is {number}, as {place} says"),
            evidence: "the program reads the file".to_owned(),
        };
        match self.trace.answers.reply(&asked, self.corpus) {
            Some(Reply::Confirmed) => return Value::int(number),
            Some(Reply::Denied) => return Value::Int(Dim::var(Var::fresh(VarInfo::fixed(name)))),
            None => {}
        }
        if self.is_at_default(source.span.file, name, number) {
            return Value::int(number);
        }
        let known = (Rc::clone(&source.file), name.to_owned(), number);
        if let Some(variable) = self.model_state.settings.variables.get(&known) {
            return Value::Int(Dim::var(*variable));
        }
        let Asked { subject, text, evidence, .. } = asked;
        let assumption = Assumption { kind: AssumptionKind::DefaultValue, subject, text, evidence, span: source.span };
        let id = self.trace.assumptions.add(assumption);
        let variable = Var::fresh(VarInfo::config(name, number));
        self.rests_on(variable, id);
        self.model_state.settings.variables.insert(known, variable);
        Value::Int(Dim::var(variable))
    }
}

fn parse(text: &str, format: Format) -> Option<Node> {
    match format {
        _ if is_pointer(text) => None,
        Format::Yaml(dialect) => yaml::parse(text, dialect),
        Format::Json => json::parse(text),
        Format::Toml => toml::parse(text),
        Format::Ini(form) => ini::parse(text, form),
        Format::Env => dotenv::parse(text),
    }
}

/// Of longer keys the beginning is shown.
const LONGEST_KEY: usize = 64;

/// What lies under a key. In a shape, a name that begins like a number would be taken for one, and several words for several names.
fn joined(key: &str, name: &str) -> String {
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/'));
    if !is_name || name.chars().nth(LONGEST_KEY).is_some() {
        let shown: String = name.chars().take(LONGEST_KEY).collect();
        let rest = if shown.len() < name.len() { "…" } else { "" };
        return numbered(key, format_args!("'{shown}{rest}'"));
    }
    if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") }
}

/// What lies under a key that is a number, or at a place of a list.
fn numbered(key: &str, number: impl std::fmt::Display) -> String {
    format!("{}[{number}]", if key.is_empty() { UNNAMED } else { key })
}
