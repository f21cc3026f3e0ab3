//! OmegaConf: configurations are dictionaries whose entries are attributes. What refers to another entry (`${model.width}`) has that entry's value,
//! and keeps its text besides: it has its meaning in the whole that it becomes a part of.

use crate::methods::*;
use std::rc::Rc;

use crate::command_line::argparse;
use crate::settings::{Dialect, Format, Source, word};
use harp_corpus::Span;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::classes::dict_subclasses::OMEGA_DICT;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{ObjectId, Value};
use harp_limits::light_tick;
use harp_python::name::Name;

/// Where a configuration keeps the texts of the entries that refer to others, by key.
const REFERENCES: &str = "#references";
/// Where the resolvers of the program's own are kept, by name.
const RESOLVER: &str = "#resolver ";
/// Where a part of a configuration keeps the whole.
const ROOT: &str = "#root";
/// How deep configurations are looked into, and references followed.
const DEEPEST: usize = 32;
const FORMAT: Format = Format::Yaml(Dialect::OmegaConf);

pub fn function(name: &str) -> Option<FunctionHandler> {
    let name = name.strip_prefix("omegaconf.").map(|name| name.strip_prefix("omegaconf.").unwrap_or(name))?;
    Some(match name {
        "OmegaConf.load" => |this, _, arguments| {
            let path = arguments.get(0, "file_").and_then(|file| this.path_of(file));
            let file = path.and_then(|path| this.settings_file(&path));
            if let (None, Some(path)) = (&file, arguments.get(0, "file_")) {
                this.note_missing_file(path, arguments.span);
            }
            let tree = file.and_then(|file| this.settings_of_file(&file, FORMAT, "", arguments.span));
            Ok(match tree {
                Some(tree) => this.configuration(&tree, arguments.span),
                None => this.data_from_outside("configuration", arguments.span),
            })
        },
        // The text of a reference, and a text as it is.
        "II" => |_, _, arguments| {
            let path = arguments.get(0, "interpolation").and_then(Value::as_text);
            Ok(path.map_or(Value::Str(None), |path| Value::str(&format!("${{{path}}}"))))
        },
        "SI" => |_, _, arguments| Ok(arguments.get(0, "interpolation").cloned().unwrap_or(Value::Str(None))),
        "OmegaConf.create" | "OmegaConf.structured" | "DictConfig" | "ListConfig" => |this, _, arguments| {
            let given = arguments.get(0, "obj").or_else(|| arguments.keyword("content")).cloned();
            let given = match given {
                Some(given) => this.read(&given),
                None => Value::Dict(this.heap.allocate_dict(Vec::new())),
            };
            let tree = match &given {
                Value::Str(Some(text)) => this.settings_of_text(text, FORMAT, arguments.span),
                given => Some(this.tree(given, DEEPEST)),
            };
            let tree = tree.unwrap_or(Value::None);
            Ok(this.configuration(&tree, arguments.span))
        },
        "OmegaConf.merge" | "OmegaConf.unsafe_merge" => |this, _, arguments| {
            // `merge(*configurations, options)` where nobody knows how many there are.
            if arguments.is_open || arguments.unpacked.is_some() || arguments.behind.is_some() {
                return Ok(this.data_from_outside("configuration", arguments.span));
            }
            let mut whole: Option<Value> = None;
            for part in &arguments.positional {
                let part = this.read(part);
                if part.is_unknown() {
                    return Ok(this.data_from_outside("configuration", arguments.span));
                }
                let tree = this.tree(&part, DEEPEST);
                whole = Some(match whole {
                    Some(whole) => this.merged(&whole, &tree, DEEPEST),
                    None => tree,
                });
            }
            let whole = whole.unwrap_or(Value::None);
            Ok(this.configuration(&whole, arguments.span))
        },
        "OmegaConf.from_cli" | "OmegaConf.from_dotlist" => |this, name, arguments| {
            let words = if name.as_str().ends_with("from_cli") || !arguments.positional.is_empty() {
                argparse::command_words(this, arguments.positional.first())?
            } else {
                None
            };
            let empty = Value::Dict(this.heap.allocate_dict(Vec::new()));
            let tree = words.iter().flatten().fold(empty, |tree, word| this.overridden(&tree, word, arguments.span));
            Ok(this.configuration(&tree, arguments.span))
        },
        "OmegaConf.to_container" | "OmegaConf.to_object" | "OmegaConf.masked_copy" => |this, name, arguments| {
            let given = arguments.positional.first().cloned().unwrap_or(Value::None);
            let is_resolved =
                matches!(arguments.keyword("resolve"), Some(Value::Bool(true))) || name.as_str().ends_with("to_object");
            Ok(if is_resolved { this.plain_copy(&given) } else { this.tree(&given, DEEPEST) })
        },
        "OmegaConf.set_struct" | "OmegaConf.set_readonly" | "OmegaConf.resolve" | "OmegaConf.save" => {
            |_, _, _| Ok(Value::None)
        }
        "OmegaConf.register_new_resolver" | "OmegaConf.register_resolver" => |this, _, arguments| {
            if let (Some(name), Some(resolver)) = (arguments.get(0, "name"), arguments.get(1, "resolver").cloned())
                && let Some(name) = name.as_text()
            {
                let name = Name::new(&format!("{RESOLVER}{name}"));
                this.heap.set_attribute(this.model_state.settings.registry, name, resolver);
            }
            Ok(Value::None)
        },
        "OmegaConf.is_config" | "OmegaConf.is_dict" => |this, _, arguments| {
            Ok(match arguments.positional.first().map(|given| this.read(given)) {
                Some(Value::Dict(id)) => Value::Bool(this.dict_class(id).is_some()),
                Some(given) if !given.is_unknown() && !matches!(given, Value::List(_)) => Value::Bool(false),
                _ => Value::Unknown("test for a configuration"),
            })
        },
        "OmegaConf.is_missing" => |this, _, arguments| {
            let (Some(given), Some(key)) = (arguments.positional.first(), arguments.positional.get(1)) else {
                return Ok(Value::Unknown("test for a missing value"));
            };
            let entry = this.get_item(&given.clone(), &key.clone(), arguments.span)?;
            Ok(if entry.is_unknown() { Value::Unknown("test for a missing value") } else { Value::Bool(false) })
        },
        "OmegaConf.select" => |this, _, arguments| {
            let (Some(given), Some(key)) = (arguments.get(0, "cfg").cloned(), arguments.get(1, "key")) else {
                return Ok(Value::Unknown("configuration"));
            };
            let Some(key) = key.as_text().map(str::to_owned) else { return Ok(Value::Unknown("configuration")) };
            let default = arguments.keyword("default").cloned().unwrap_or(Value::None);
            Ok(if given.is_unknown() { given } else { this.at_path(&given, &key).unwrap_or(default) })
        },
        "OmegaConf.update" => |this, _, arguments| {
            if let (Some(given), Some(key), Some(value)) =
                (arguments.get(0, "cfg").cloned(), arguments.get(1, "key"), arguments.get(2, "value").cloned())
                && let Some(key) = key.as_text().map(str::to_owned)
            {
                let value = this.opened(&value, &Value::library(OMEGA_DICT));
                this.set_at_path(&given, &key, value);
                if let Value::Dict(id) = this.read(&given) {
                    this.configuration_changed(id, &Value::None, arguments.span);
                }
            }
            Ok(Value::None)
        },
        "open_dict" | "read_write" | "flag_override" => {
            |_, _, arguments| Ok(arguments.positional.first().cloned().unwrap_or(Value::None))
        }
        _ => return None,
    })
}

#[easy_ext::ext(OmegaconfMethods)]
pub impl Interpreter<'_> {
    /// The plain tree of a configuration, a data class or an object of one, or a container: dictionaries and lists, with references as texts.
    fn tree(&mut self, value: &Value, depth: usize) -> Value {
        light_tick();
        let value = self.read(value);
        if depth == 0 || self.step().is_err() {
            return value;
        }
        match &value {
            Value::Dict(id) => {
                let Some(data) = self.heap.dict(*id).cloned() else { return value };
                let references = self.references(*id);
                let mut entries = Vec::with_capacity(data.entries.len());
                for (key, entry) in &data.entries {
                    let reference = references.iter().find(|(known, _)| known.same(key));
                    let entry = match reference {
                        Some((_, text)) => text.clone(),
                        None => self.tree(entry, depth - 1),
                    };
                    entries.push((key.clone(), entry));
                }
                let copy = self.heap.allocate_dict(entries);
                if let Some(rest) = &data.rest {
                    self.heap.change_dict(copy, |data| data.rest = Some(rest.clone()));
                }
                Value::Dict(copy)
            }
            Value::List(id) => {
                let Some(data) = self.heap.list(*id).cloned() else { return value };
                let items = data.items.iter().map(|item| self.tree(item, depth - 1)).collect();
                Value::List(self.heap.allocate_list(items))
            }
            Value::Class(class) if self.is_record_class(*class) => {
                let span = self.current_span();
                let made = self.instantiate(*class, CallArguments::empty(span));
                made.map_or(Value::Unknown("configuration"), |made| self.tree(&made, depth - 1))
            }
            Value::Instance(id) => match self.class_of(&value) {
                Value::Class(class) if self.is_record_class(class) => {
                    let mut entries = Vec::new();
                    for field in self.record_fields(class) {
                        let entry = self.heap.attribute(*id, field).cloned().unwrap_or(Value::None);
                        entries.push((Value::str(field.as_str()), self.tree(&entry, depth - 1)));
                    }
                    Value::Dict(self.heap.allocate_dict(entries))
                }
                _ => value,
            },
            _ => value,
        }
    }

    fn references(&self, id: ObjectId) -> Vec<(Value, Value)> {
        match self.heap.attribute(id, Name::new(REFERENCES)) {
            Some(Value::Dict(texts)) => self.heap.dict(*texts).map(|data| data.entries.clone()).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// One plain tree over another: dictionaries are merged, everything else is replaced.
    fn merged(&mut self, below: &Value, above: &Value, depth: usize) -> Value {
        light_tick();
        let (Value::Dict(base), Value::Dict(over)) = (below, above) else { return above.clone() };
        let (Some(base), Some(over), true) =
            (self.heap.dict(*base).cloned(), self.heap.dict(*over).cloned(), depth > 0)
        else {
            return above.clone();
        };
        let mut entries = base.entries.clone();
        for (key, value) in &over.entries {
            match entries.iter().position(|(known, _)| known.same(key)) {
                // What is missing takes no value's place.
                Some(_) if value.as_text() == Some("???") => {}
                Some(at) => entries[at].1 = self.merged(&entries[at].1.clone(), value, depth - 1),
                None => entries.push((key.clone(), value.clone())),
            }
        }
        let rest = over.rest.clone().or_else(|| base.rest.clone());
        let merged = self.heap.allocate_dict(entries);
        if rest.is_some() {
            self.heap.change_dict(merged, |data| data.rest = rest);
        }
        Value::Dict(merged)
    }

    /// A plain tree after `key.of.it=value` on the command line; `+` and `++` before it say that it may be new, `~` takes it away.
    fn overridden(&mut self, tree: &Value, text: &str, span: Span) -> Value {
        if let Some(key) = text.strip_prefix('~') {
            let key = key.split('=').next().unwrap_or(key);
            let (holder, last) = match key.rsplit_once('.') {
                Some((holder, last)) => (self.at_path(tree, holder), last),
                None => (Some(tree.clone()), key),
            };
            if let Some(Value::Dict(id)) = holder {
                self.heap.change_dict(id, |data| data.entries.retain(|(known, _)| known.as_text() != Some(last)));
            }
            return tree.clone();
        }
        let Some((key, text)) = text.trim_start_matches(['+', '-']).split_once('=') else { return tree.clone() };
        let source = Source { file: Rc::from(""), span, is_variable: false };
        // Hydra's dictionaries need no blank behind the colon.
        let spaced = text.starts_with('{').then(|| text.replace(':', ": "));
        let text = spaced.as_deref().unwrap_or(text);
        let value = self.setting(&word(text, Dialect::OmegaConf), &source, "");
        self.set_at_path(tree, key, value);
        tree.clone()
    }

    /// The entry at `a.b[0].c`.
    fn at_path(&self, tree: &Value, path: &str) -> Option<Value> {
        let mut found = self.read(tree);
        for part in path.split(['.', '[']).map(|part| part.trim_end_matches(']')) {
            found = match &found {
                Value::Dict(id) => {
                    let data = self.heap.dict(*id)?;
                    let is_key = |key: &Value| match key {
                        Value::Int(dim) => dim.as_const().is_some_and(|number| number.to_string() == part),
                        key => key.as_text() == Some(part),
                    };
                    data.entries.iter().find(|(key, _)| is_key(key))?.1.clone()
                }
                Value::List(id) => self.heap.list(*id)?.items.get(part.parse::<usize>().ok()?)?.clone(),
                _ => return None,
            };
            found = self.read(&found);
        }
        Some(found)
    }

    /// Stores an entry at `a.b.c`; dictionaries on the way are made.
    fn set_at_path(&mut self, tree: &Value, path: &str, value: Value) {
        let mut holder = tree.clone();
        let parts: Vec<&str> = path.split('.').collect();
        let Some((last, way)) = parts.split_last() else { return };
        for part in way.iter().take(DEEPEST) {
            let Value::Dict(id) = holder else { return };
            holder = match self.at_path(&holder, part) {
                Some(inner @ Value::Dict(_)) => inner,
                _ => {
                    let class = self.dict_class(id).cloned();
                    let made = self.heap.allocate_dict(Vec::new());
                    let made = match class {
                        Some(class) => self.new_dict_of_class(class, Vec::new()),
                        None => Value::Dict(made),
                    };
                    let entry = made.clone();
                    self.heap.change_dict(id, |data| {
                        harp_interp::evaluate::expressions::insert(data, Value::str(part), entry)
                    });
                    made
                }
            };
        }
        if let Value::Dict(id) = holder {
            self.heap.change_dict(id, |data| harp_interp::evaluate::expressions::insert(data, Value::str(last), value));
            if let Some(Value::Dict(texts)) = self.heap.attribute(id, Name::new(REFERENCES)).cloned() {
                self.heap.change_dict(texts, |data| data.entries.retain(|(key, _)| key.as_text() != Some(last)));
            }
        }
    }

    /// The configuration that a plain tree is.
    fn configuration(&mut self, tree: &Value, span: Span) -> Value {
        let made = self.configured(tree, tree, "", span, DEEPEST);
        if let Value::Dict(root) = &made {
            self.note_root(&made, *root, DEEPEST);
        }
        made
    }

    /// Notes of all parts of a configuration what the whole is, where something in it refers to something else.
    fn note_root(&mut self, part: &Value, root: ObjectId, depth: usize) -> bool {
        light_tick();
        let Value::Dict(id) = part else { return false };
        if depth == 0 {
            return false;
        }
        let entries = self.heap.dict(*id).map(|data| data.entries.clone()).unwrap_or_default();
        let mut refers = self.heap.attribute(*id, Name::new(REFERENCES)).is_some();
        for (_, entry) in &entries {
            refers |= self.note_root(entry, root, depth - 1);
        }
        self.heap.set_attribute(*id, Name::new(ROOT), Value::Dict(root));
        refers
    }

    /// After an entry of a configuration was set, what refers to others has their values of now.
    fn configuration_changed(&mut self, changed: ObjectId, key: &Value, span: Span) {
        let Some(Value::Dict(root)) = self.heap.attribute(changed, Name::new(ROOT)).cloned() else { return };
        let mut references = self.references(changed);
        if references.iter().any(|(known, _)| known.same(key)) {
            references.retain(|(known, _)| !known.same(key));
            let texts = Value::Dict(self.heap.allocate_dict(references.clone()));
            self.heap.set_attribute(changed, Name::new(REFERENCES), texts);
        }
        self.configure_entry(changed, root, key, references, span);
        self.refer_again(root, root, "", span, DEEPEST);
    }

    /// Makes what the program has put into a configuration a part of it: texts in it may refer to other places.
    fn configure_entry(
        &mut self,
        changed: ObjectId,
        root: ObjectId,
        key: &Value,
        mut references: Vec<(Value, Value)>,
        span: Span,
    ) {
        let Some(name) = key.as_text() else { return };
        let entry = self.heap.dict(changed).and_then(|data| data.find(key).map(|(_, entry)| entry.clone()));
        let Some(entry) = entry.map(|entry| self.read(&entry)) else { return };
        match &entry {
            Value::Str(Some(text)) if text.contains("${") => {
                references.push((key.clone(), entry.clone()));
                let texts = Value::Dict(self.heap.allocate_dict(references));
                self.heap.set_attribute(changed, Name::new(REFERENCES), texts);
            }
            Value::Dict(id) if self.dict_class(*id).is_none() => {
                let made = self.configured(&entry, &Value::Dict(root), name, span, DEEPEST);
                self.note_root(&made, root, DEEPEST);
                self.heap.change_dict(changed, |data| {
                    if let Some((_, entry)) = data.entries.iter_mut().find(|(known, _)| known.same(key)) {
                        *entry = made;
                    }
                });
            }
            _ => {}
        }
    }

    fn refer_again(&mut self, id: ObjectId, root: ObjectId, path: &str, span: Span, depth: usize) {
        light_tick();
        if depth == 0 || self.step().is_err() {
            return;
        }
        for (key, text) in self.references(id) {
            let (Some(name), Some(text)) = (key.as_text(), text.as_text()) else { continue };
            let place = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            let value = self.referred(text, &Value::Dict(root), &place, span, DEEPEST);
            self.heap.change_dict(id, |data| {
                if let Some((_, entry)) = data.entries.iter_mut().find(|(known, _)| known.same(&key)) {
                    *entry = value;
                }
            });
        }
        let entries = self.heap.dict(id).map(|data| data.entries.clone()).unwrap_or_default();
        for (key, entry) in entries {
            if let (Some(name), Value::Dict(inner)) = (key.as_text(), entry)
                && inner != id
            {
                let place = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                self.refer_again(inner, root, &place, span, depth - 1);
            }
        }
    }

    /// What a resolver of the program's own makes of its arguments.
    fn resolved(&mut self, name: &str, root: &Value, path: &str, span: Span, depth: usize) -> Option<Value> {
        let (resolver, arguments) = name.split_once(':')?;
        let resolver = Name::new(&format!("{RESOLVER}{}", resolver.trim()));
        let resolver = self.heap.attribute(self.model_state.settings.registry, resolver).cloned()?;
        let mut values = Vec::new();
        for argument in arguments_of(arguments) {
            let argument = argument.trim();
            values.push(match argument.contains("${") {
                true => self.referred(argument, root, path, span, depth - 1),
                false => {
                    let text = Rc::from(argument);
                    let value = self.settings_of_text(&text, FORMAT, span);
                    value.map_or(Value::str(argument), |value| constant(self, value))
                }
            });
        }
        self.call(&resolver, CallArguments::positional(values, span)).ok()
    }

    fn configured(&mut self, value: &Value, root: &Value, path: &str, span: Span, depth: usize) -> Value {
        light_tick();
        let value = self.read(value);
        if depth == 0 || self.step().is_err() {
            return value;
        }
        let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        match &value {
            Value::Dict(id) => {
                let Some(data) = self.heap.dict(*id).cloned() else { return value };
                let (mut entries, mut references) = (Vec::with_capacity(data.entries.len()), Vec::new());
                for (key, entry) in &data.entries {
                    let name = key.as_text().map_or_else(|| key.describe(), str::to_owned);
                    if entry.as_text().is_some_and(|text| text.contains("${")) {
                        references.push((key.clone(), entry.clone()));
                    }
                    entries.push((key.clone(), self.configured(entry, root, &below(&name), span, depth - 1)));
                }
                let made = self.new_dict_of_class(Value::library(OMEGA_DICT), entries);
                if let Value::Dict(id) = &made {
                    if let Some(rest) = &data.rest {
                        self.heap.change_dict(*id, |data| data.rest = Some(rest.clone()));
                    }
                    if !references.is_empty() {
                        let texts = Value::Dict(self.heap.allocate_dict(references));
                        self.heap.set_attribute(*id, Name::new(REFERENCES), texts);
                    }
                }
                made
            }
            Value::List(id) => {
                let Some(data) = self.heap.list(*id).cloned() else { return value };
                let mut items = Vec::with_capacity(data.items.len());
                for (index, item) in data.items.iter().enumerate() {
                    items.push(self.configured(item, root, &below(&index.to_string()), span, depth - 1));
                }
                Value::List(self.heap.allocate_list(items))
            }
            // What must be given and is not.
            Value::Str(Some(text)) if &**text == "???" => self.data_from_outside(path, span),
            Value::Str(Some(text)) if text.contains("${") => {
                let text = Rc::clone(text);
                self.referred(&text, root, path, span, depth - 1)
            }
            _ => value,
        }
    }

    /// What a text with references stands for.
    fn referred(&mut self, text: &str, root: &Value, path: &str, span: Span, depth: usize) -> Value {
        if depth == 0 || self.step().is_err() {
            return self.data_from_outside(path, span);
        }
        if let Some(inner) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
            && (!inner.contains(['{', '}']) || is_one_call(inner))
        {
            return self.reference(inner, root, path, span, depth);
        }
        let mut whole = String::new();
        let mut rest = text;
        while let Some((front, back)) = rest.split_once("${") {
            whole.push_str(front);
            let Some((inner, behind)) = back.split_once('}').filter(|(inner, _)| !inner.contains("${")) else {
                return Value::Str(None);
            };
            match self.reference(inner, root, path, span, depth) {
                Value::Str(Some(part)) => whole.push_str(&part),
                Value::Int(dim) if dim.as_const().is_some() => whole.push_str(&dim.to_string()),
                Value::Bool(truth) => whole.push_str(if truth { "True" } else { "False" }),
                _ => return Value::Str(None),
            }
            rest = behind;
        }
        whole.push_str(rest);
        Value::str(&whole)
    }

    fn reference(&mut self, name: &str, root: &Value, path: &str, span: Span, depth: usize) -> Value {
        if let Some(variable) = name.strip_prefix("oc.env:") {
            let Some((_, default)) = variable.split_once(',') else { return Value::Str(None) };
            return Value::str(default.trim());
        }
        if let Some(value) = self.resolved(name, root, path, span, depth) {
            return value;
        }
        let Some(target) = absolute(name, path) else { return self.data_from_outside(name, span) };
        match self.at_path(root, &target) {
            // A resolver of the program's own, or a key that the program sets later.
            None => self.data_from_outside(name, span),
            Some(found) => self.configured(&found, root, &target, span, depth - 1),
        }
    }
}

/// A number of a setting, as a constant.
fn constant(interpreter: &Interpreter<'_>, value: Value) -> Value {
    match &value {
        Value::Int(dim) => interpreter.default_of_configured(*dim).map_or(value.clone(), Value::int),
        _ => value,
    }
}

/// Whether the text between the outermost braces is one reference to a resolver, whatever its arguments refer to.
fn is_one_call(inner: &str) -> bool {
    let mut depth = 0i64;
    for character in inner.chars() {
        depth += match character {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && inner.split_once(':').is_some_and(|(name, _)| !name.contains(['$', '{']))
}

/// The arguments of a resolver: commas within braces and brackets part none.
fn arguments_of(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0i64, 0);
    for (place, character) in text.char_indices() {
        match character {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() || !parts.is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

/// The key that a reference in the entry at `path` means: dots in front are relative to the dictionary that the entry is in.
fn absolute(name: &str, path: &str) -> Option<String> {
    let name = name.trim();
    if name.contains(':') {
        return None;
    }
    let below = name.trim_start_matches('.');
    let climbed = name.len() - below.len();
    if climbed == 0 {
        return Some(name.to_owned());
    }
    let mut parts: Vec<&str> = path.split('.').collect();
    for _ in 0..climbed {
        parts.pop()?;
    }
    parts.push(below);
    Some(parts.join("."))
}

/// `cfg.merge_with(other, …)`: the configuration itself becomes the merged one.
fn merge_with(interpreter: &mut Interpreter<'_>, receiver: &Value, arguments: CallArguments) -> Eval {
    let Value::Dict(id) = receiver else { return Ok(Value::None) };
    let is_root = matches!(interpreter.heap.attribute(*id, Name::new(ROOT)), Some(Value::Dict(root)) if root == id);
    let parts: Vec<Value> = arguments.positional.iter().map(|part| interpreter.read(part)).collect();
    if !is_root || parts.iter().any(Value::is_unknown) {
        // What refers to other places of the whole is not known here.
        interpreter.not_understood("OmegaConf.merge_with", arguments.span);
        let unknown = interpreter.data_from_outside("configuration", arguments.span);
        interpreter.heap.change_dict(*id, |data| {
            data.entries.iter_mut().for_each(|(_, value)| *value = unknown.clone());
            data.rest = Some((Value::Str(None), unknown.clone()));
        });
        return Ok(Value::None);
    }
    let mut whole = interpreter.tree(receiver, DEEPEST);
    for part in parts {
        let tree = interpreter.tree(&part, DEEPEST);
        whole = interpreter.merged(&whole, &tree, DEEPEST);
    }
    let Value::Dict(made) = interpreter.configuration(&whole, arguments.span) else { return Ok(Value::None) };
    let payload = interpreter.heap.payload(made).clone();
    interpreter.heap.set_payload(*id, payload);
    for name in [ROOT, REFERENCES] {
        if let Some(value) = interpreter.heap.attribute(made, Name::new(name)).cloned() {
            interpreter.heap.set_attribute(*id, Name::new(name), value);
        }
    }
    interpreter.note_root(receiver, *id, DEEPEST);
    Ok(Value::None)
}

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == "omegaconf.DictConfig.merge_with").then_some(merge_with as MethodHandler)
}
