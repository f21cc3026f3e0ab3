//! How Hydra puts a configuration together: the defaults list names configurations of groups, each of which has its place in the whole; the
//! words of the command line choose others and set values.

use crate::methods::*;
use std::rc::Rc;

use crate::settings::{Dialect, Format};
use harp_corpus::Span;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_limits::light_tick;
use harp_python::name::Name;

/// How deep defaults lists lead into each other, and how many configurations a whole has.
const DEEPEST: usize = 16;
const MOST: usize = 256;
/// Where the registry keeps what the program stores in `ConfigStore`, by path.
pub const STORED: &str = "#stored";

/// The configurations of a folder.
pub struct Composition {
    folder: String,
    /// The chosen option of a group, by the group's path; the command line's choices cannot be changed by others.
    choices: Vec<(String, Option<String>, bool)>,
    /// Trees with the keys under which they lie, in the order in which they are merged.
    parts: Vec<(Value, String)>,
    span: Span,
}

/// An entry of a defaults list.
enum Entry {
    Itself,
    /// A configuration at a path of groups, and the key under which it lies where the list says that.
    Config {
        path: String,
        package: Option<String>,
        is_optional: bool,
    },
    /// The choice of a group's option.
    Choice {
        group: String,
        option: Option<String>,
        package: Option<String>,
        is_override: bool,
        is_optional: bool,
    },
}

#[easy_ext::ext(HydraComposeMethods)]
pub impl Interpreter<'_> {
    /// The configuration `name` of a folder after the words; `None` where a file of it is not there or not understood.
    fn composed(&mut self, folder: &str, name: &str, words: &[String], span: Span) -> Eval<Option<Value>> {
        let name = name.strip_suffix(".yaml").unwrap_or(name);
        let mut composition = Composition { folder: folder.to_owned(), choices: Vec::new(), parts: Vec::new(), span };
        let (mut values, mut groups) = (Vec::new(), Vec::new());
        for word in words {
            match word.trim_start_matches(['+', '~']).split_once('=') {
                Some((key, option)) if composition.has(self, &format!("{}/{option}", group_of(key))) => {
                    let package = key.split_once('@').map(|(_, package)| package.to_owned());
                    composition.choices.push((group_of(key), Some(option.to_owned()), true));
                    if word.starts_with('+') {
                        groups.push((
                            format!("{}/{option}", group_of(key)),
                            package.unwrap_or_else(|| dotted(&group_of(key))),
                        ));
                    }
                }
                _ => values.push(word),
            }
        }
        // An `override` may stand behind what it changes: the list is gone through until nothing changes any more.
        for _ in 0..4 {
            let before = composition.choices.len();
            composition.parts.clear();
            if !composition.add(self, name, "", 0)? {
                return Ok(None);
            }
            if composition.choices.len() == before {
                break;
            }
        }
        for (path, package) in groups {
            if !composition.add(self, &path, &package, 0)? {
                return Ok(None);
            }
        }
        let mut whole = Value::Dict(self.heap.allocate_dict(Vec::new()));
        for (tree, package) in std::mem::take(&mut composition.parts) {
            let placed = self.placed(tree, &package);
            whole = self.merged(&whole, &placed, DEEPEST);
        }
        for word in values {
            whole = self.overridden(&whole, word, span);
        }
        Ok(Some(whole))
    }

    /// A tree under the keys of a package.
    fn placed(&mut self, tree: Value, package: &str) -> Value {
        package
            .split('.')
            .filter(|part| !part.is_empty())
            .rev()
            .fold(tree, |tree, part| Value::Dict(self.heap.allocate_dict(vec![(Value::str(part), tree)])))
    }
}

impl Composition {
    fn has(&self, interpreter: &mut Interpreter<'_>, path: &str) -> bool {
        stored(interpreter, path).is_some()
            || interpreter.settings_file(&format!("{}/{path}.yaml", self.folder)).is_some()
    }

    /// The tree at a path, and the keys under which it lies: those of `package`, unless its first lines name others.
    fn tree(&self, interpreter: &mut Interpreter<'_>, path: &str, package: &str) -> Option<(Value, String)> {
        light_tick();
        if let Some(node) = stored(interpreter, path) {
            return Some((interpreter.tree(&node, DEEPEST), package.to_owned()));
        }
        let file = interpreter.settings_file(&format!("{}/{path}.yaml", self.folder))?;
        let mut heads = file.text.lines().take_while(|line| line.starts_with('#') || line.trim().is_empty());
        let header = heads.find_map(|line| line.trim_start_matches('#').trim().strip_prefix("@package"));
        let package = match header.map(str::trim) {
            Some("_global_") => "",
            Some("_group_") | None => package,
            Some(named) => named,
        };
        let format = Format::Yaml(Dialect::OmegaConf);
        let tree = interpreter.settings_of_file(&file, format, package, self.span)?;
        // An empty file is an empty configuration.
        let tree = if tree.is_none() { Value::Dict(interpreter.heap.allocate_dict(Vec::new())) } else { tree };
        Some((tree, package.to_owned()))
    }

    /// Adds the configuration at a path and those that its defaults list names; whether all are there.
    fn add(&mut self, interpreter: &mut Interpreter<'_>, path: &str, package: &str, depth: usize) -> Eval<bool> {
        interpreter.step()?;
        if depth > DEEPEST || self.parts.len() > MOST {
            return Ok(false);
        }
        let Some((tree, package)) = self.tree(interpreter, path, package) else { return Ok(false) };
        let group = path.rsplit_once('/').map_or("", |(group, _)| group).to_owned();
        let mut list = Vec::new();
        if let Some(Value::List(defaults)) = interpreter.at_path(&tree, "defaults") {
            let items = interpreter.heap.list(defaults).map(|data| data.items.clone()).unwrap_or_default();
            list = items.iter().flat_map(|item| entries(interpreter, item)).collect();
            if let Value::Dict(id) = &tree {
                interpreter.heap.change_dict(*id, |data| {
                    data.entries.retain(|(key, _)| key.as_text() != Some("defaults"));
                });
            }
        }
        // Without `_self_` what a configuration says itself comes last.
        if !list.iter().any(|entry| matches!(entry, Entry::Itself)) {
            list.push(Entry::Itself);
        }
        for entry in list {
            match entry {
                Entry::Itself => self.parts.push((tree.clone(), package.clone())),
                Entry::Config { path, package: own, is_optional } => {
                    let path = within(&group, &path);
                    let package = own.map_or_else(|| package.clone(), |own| joined(&package, &own));
                    if !self.add(interpreter, &path, &package, depth + 1)? && !is_optional {
                        return Ok(false);
                    }
                }
                Entry::Choice { group: name, option, is_override: true, .. } => {
                    // What is overridden is named from the top.
                    self.choose(name.trim_start_matches('/'), option, false);
                }
                Entry::Choice { group: name, option, package: own, is_optional, .. } => {
                    let whole = within(&group, &name);
                    let chosen =
                        self.choices.iter().find(|(known, ..)| *known == whole).map(|(_, option, _)| option.clone());
                    let Some(option) = chosen.unwrap_or(option).filter(|option| option != "???") else { continue };
                    let below = own.unwrap_or_else(|| dotted(&name));
                    // Also a group that is named from the top lies below the one whose list names it.
                    let package = joined(&package, &below);
                    let path = format!("{whole}/{option}");
                    if !self.add(interpreter, &path, &package, depth + 1)? && !is_optional {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn choose(&mut self, group: &str, option: Option<String>, is_given: bool) {
        let group = group.split('@').next().unwrap_or(group);
        if !self.choices.iter().any(|(known, ..)| known == group) {
            self.choices.push((group.to_owned(), option, is_given));
        }
    }
}

/// What an item of a defaults list says.
fn entries(interpreter: &Interpreter<'_>, item: &Value) -> Vec<Entry> {
    match interpreter.read(item) {
        Value::Str(Some(text)) if &*text == "_self_" => vec![Entry::Itself],
        Value::Str(Some(text)) => {
            let (path, package) = with_package(&text);
            vec![Entry::Config { path, package, is_optional: false }]
        }
        Value::Dict(id) => {
            let entries = interpreter.heap.dict(id).map(|data| data.entries.clone()).unwrap_or_default();
            entries.iter().flat_map(|(key, value)| choices(interpreter, key, value)).collect()
        }
        _ => Vec::new(),
    }
}

fn choices(interpreter: &Interpreter<'_>, key: &Value, value: &Value) -> Vec<Entry> {
    let Some(key) = key.as_text() else { return Vec::new() };
    let mut words: Vec<&str> = key.split_whitespace().collect();
    let Some(group) = words.pop() else { return Vec::new() };
    let (is_override, is_optional) = (words.contains(&"override"), words.contains(&"optional"));
    let (group, package) = with_package(group);
    match interpreter.read(value) {
        Value::List(id) => {
            let items = interpreter.heap.list(id).map(|data| data.items.clone()).unwrap_or_default();
            let path = |item: &Value| Some(format!("{group}/{}", item.as_text()?));
            let package = package.unwrap_or_else(|| dotted(&group));
            let paths = items.iter().filter_map(path);
            paths.map(|path| Entry::Config { path, package: Some(package.clone()), is_optional }).collect()
        }
        value => {
            let option = value.as_text().map(|text| text.strip_suffix(".yaml").unwrap_or(text).to_owned());
            let option = option.or_else(|| value.as_int().map(|number| number.to_string()));
            vec![Entry::Choice { group, option, package, is_override, is_optional }]
        }
    }
}

/// `group@package`; `_global_` is the top, `_here_` where the list is.
fn with_package(text: &str) -> (String, Option<String>) {
    match text.split_once('@') {
        Some((path, "_here_")) => (path.to_owned(), Some(String::new())),
        Some((path, package)) => (path.to_owned(), Some(package.to_owned())),
        None => (text.to_owned(), None),
    }
}

fn group_of(key: &str) -> String {
    key.split('@').next().unwrap_or(key).to_owned()
}

/// The keys of a group's path.
fn dotted(group: &str) -> String {
    group.trim_start_matches('/').replace('/', ".")
}

fn joined(package: &str, below: &str) -> String {
    match (package, below) {
        (_, below) if below.starts_with("_global_") => below["_global_".len()..].trim_start_matches('.').to_owned(),
        ("", below) => below.to_owned(),
        (package, "") => package.to_owned(),
        (package, below) => format!("{package}.{below}"),
    }
}

/// A path as a configuration of a group names it.
fn within(group: &str, path: &str) -> String {
    match path.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None if group.is_empty() => path.to_owned(),
        None => format!("{group}/{path}"),
    }
}

/// What the program stored under a path.
fn stored(interpreter: &Interpreter<'_>, path: &str) -> Option<Value> {
    let Value::Dict(all) = interpreter.heap.attribute(interpreter.model_state.settings.registry, Name::new(STORED))?
    else {
        return None;
    };
    let key = Value::Str(Some(Rc::from(path)));
    interpreter.heap.dict(*all)?.find(&key).map(|(_, node)| node.clone())
}
