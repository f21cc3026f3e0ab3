//! Hydra: `@hydra.main` calls the function with the configuration of the folder that it names; `instantiate` makes the objects that a
//! configuration describes.

use crate::methods::*;
use std::rc::Rc;

use crate::command_line::argparse;
use crate::settings::hydra_compose::STORED;
use harp_corpus::{ROOT, Span};
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_limits::light_tick;
use harp_python::name::{Name, name};

/// `hydra.main(…)`, which waits for the function.
const MAIN: &str = "hydra.main";
/// The function under it.
const TASK: &str = "hydra.task";
const STORE: &str = "hydra.core.config_store.ConfigStore";
/// Where the registry keeps the folder that `hydra.initialize` named.
const FOLDER: &str = "#folder";
/// Objects within objects that a configuration describes.
const DEEPEST: usize = 24;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        MAIN => |this, name, arguments| {
            let mut given = arguments.keywords.clone();
            let names = [name!("config_path"), name!("config_name")];
            given.extend(names.into_iter().zip(arguments.positional.iter().cloned()));
            Ok(this.library_object(name, given, arguments.span))
        },
        "hydra.initialize" | "hydra.initialize_config_dir" => |this, _, arguments| {
            let given = arguments.positional.first().or_else(|| arguments.keyword("config_path"));
            let given = given.or_else(|| arguments.keyword("config_dir")).cloned().unwrap_or(Value::None);
            let folder = this.folder_of(&given, arguments.span);
            let registry = this.model_state.settings.registry;
            this.heap.set_attribute(registry, Name::new(FOLDER), Value::Str(folder.map(Rc::from)));
            Ok(this.data_from_outside("hydra", arguments.span))
        },
        "hydra.compose" | "hydra.experimental.compose" => |this, _, arguments| {
            let registry = this.model_state.settings.registry;
            let folder = this.heap.attribute(registry, Name::new(FOLDER)).and_then(Value::as_text).map(str::to_owned);
            let name = arguments.get(0, "config_name").and_then(Value::as_text).map(str::to_owned);
            let words = match arguments.get(1, "overrides").cloned() {
                Some(words) => argparse::command_words(this, Some(&words))?,
                None => None,
            };
            this.composed_or_unknown(folder, name, &words.unwrap_or_default(), arguments.span)
        },
        "hydra.utils.instantiate" | "hydra.utils.call" => |this, _, mut arguments| {
            if arguments.positional.is_empty() {
                let Some(config) = arguments.keyword("config").cloned() else {
                    this.not_understood("hydra.utils.instantiate", arguments.span);
                    return Ok(this.symbolic("object", arguments.span, true));
                };
                let place = arguments.keywords.iter().position(|(name, _)| name.as_str() == "config");
                if let Some(place) = place {
                    arguments.keywords.remove(place);
                    arguments.keyword_spans.remove(place);
                }
                return this.described_object(&config, arguments, DEEPEST);
            }
            let config = arguments.positional.remove(0);
            arguments.positional_spans.remove(0);
            this.described_object(&config, arguments, DEEPEST)
        },
        "hydra.utils.get_class" | "hydra.utils.get_method" | "hydra.utils.get_object" => {
            |this, _, arguments| match arguments.positional.first().and_then(Value::as_text).map(str::to_owned) {
                Some(path) => this.object_at(&path, arguments.span),
                None => Ok(this.symbolic("object", arguments.span, true)),
            }
        }
        "hydra.utils.to_absolute_path" => {
            |_, _, arguments| Ok(arguments.positional.first().cloned().unwrap_or(Value::Str(None)))
        }
        "hydra.utils.get_original_cwd" => |_, _, _| Ok(Value::Str(None)),
        "hydra.core.config_store.ConfigStore.instance" => {
            |this, _, arguments| Ok(this.library_object(Name::new(STORE), Vec::new(), arguments.span))
        }
        _ => return None,
    })
}

pub fn method(name: &str) -> Option<MethodHandler> {
    match name.strip_prefix(STORE)?.strip_prefix('.')? {
        "store" => Some(store),
        _ => None,
    }
}

pub fn instance_call(class: &str) -> Option<MethodHandler> {
    match class {
        MAIN => Some(|this, decorator, arguments| {
            let Some(data) = this.instance_data(decorator) else { return Ok(Value::None) };
            let mut known = data.arguments.clone();
            known.push((name!("#function"), arguments.positional.first().cloned().unwrap_or(Value::None)));
            Ok(this.library_object(Name::new(TASK), known, data.origin))
        }),
        TASK => Some(call_task),
        _ => None,
    }
}

/// `main()` under `@hydra.main`; one that gets a configuration uses that.
fn call_task(interpreter: &mut Interpreter<'_>, task: &Value, arguments: CallArguments) -> Eval {
    let Some(data) = interpreter.instance_data(task) else { return Ok(Value::None) };
    let function = argument_of(&data, "#function");
    if !arguments.positional.is_empty() {
        return interpreter.call(&function, arguments);
    }
    let (folder, name) = folder_and_name(&argument_of(&data, "config_path"), &argument_of(&data, "config_name"));
    let folder = interpreter.folder_of(&folder, data.origin);
    let words = argparse::command_words(interpreter, None)?.unwrap_or_default();
    let config = interpreter.composed_or_unknown(folder, name, &words, data.origin)?;
    interpreter.call(&function, CallArguments::positional(vec![config], arguments.span))?;
    Ok(Value::None)
}

/// The folder of configurations, and the one that is meant. Before its version 1, Hydra took the path of a file:
/// `conf/config.yaml`.
fn folder_and_name(path: &Value, name: &Value) -> (Value, Option<String>) {
    let is_file = |path: &&str| path.ends_with(".yaml") || path.ends_with(".yml");
    match (path.as_text().filter(is_file), name.as_text()) {
        (Some(path), None) => {
            let (folder, file) = path.rsplit_once('/').map_or((None, path), |(folder, file)| (Some(folder), file));
            let name = file.rsplit_once('.').map_or(file, |(name, _)| name);
            (folder.map_or(Value::None, Value::str), Some(name.to_owned()))
        }
        (_, name) => (path.clone(), name.map(str::to_owned)),
    }
}

/// `ConfigStore.instance().store(name=…, node=…, group=…)`
fn store(interpreter: &mut Interpreter<'_>, _: &Value, arguments: CallArguments) -> Eval {
    let name = arguments.get(0, "name").and_then(Value::as_text).map(str::to_owned);
    let (Some(name), Some(node)) = (name, arguments.get(1, "node").cloned()) else { return Ok(Value::None) };
    let group = arguments.get(2, "group").and_then(Value::as_text);
    let path = group.map_or_else(|| name.clone(), |group| format!("{group}/{name}"));
    let registry = interpreter.model_state.settings.registry;
    let all = match interpreter.heap.attribute(registry, Name::new(STORED)) {
        Some(Value::Dict(all)) => *all,
        _ => {
            let all = interpreter.heap.allocate_dict(Vec::new());
            interpreter.heap.set_attribute(registry, Name::new(STORED), Value::Dict(all));
            all
        }
    };
    let path = path.strip_suffix(".yaml").unwrap_or(&path).to_owned();
    interpreter.heap.change_dict(all, |data| harp_interp::evaluate::expressions::insert(data, Value::str(&path), node));
    Ok(Value::None)
}

#[easy_ext::ext(HydraMethods)]
pub impl Interpreter<'_> {
    /// An object of a library's class with what it was made of.
    fn library_object(&mut self, class: Name, arguments: Vec<(Name, Value)>, origin: Span) -> Value {
        let data = InstanceData { class: Value::Library(class), arguments, origin };
        Value::Instance(self.heap.allocate(Payload::Instance(Rc::new(data))))
    }

    /// The folder of configurations that the file around `span` names, relative to itself.
    fn folder_of(&self, given: &Value, span: Span) -> Option<String> {
        let own = self.corpus.known_path(span.file)?;
        let own = own.rsplit_once('/').map_or("", |(folder, _)| folder);
        match self.path_of(given) {
            Some(path) if path.starts_with(ROOT) => Some(path.to_string()),
            Some(path) => Some(format!("{own}/{path}")),
            None if given.is_none() || matches!(given, Value::Unknown(_)) => Some(own.to_owned()),
            None => None,
        }
    }

    fn composed_or_unknown(
        &mut self,
        folder: Option<String>,
        name: Option<String>,
        words: &[String],
        span: Span,
    ) -> Eval {
        let tree = match (folder, name) {
            (Some(folder), Some(name)) => self.composed(&folder, &name, words, span)?,
            _ => None,
        };
        Ok(match tree {
            Some(tree) => self.configuration(&tree, span),
            None => self.data_from_outside("configuration", span),
        })
    }

    /// What a dotted path leads to: a module of the program or of a library, or a member of one.
    fn object_at(&mut self, path: &str, span: Span) -> Eval {
        let Some((front, last)) = path.rsplit_once('.') else { return self.module_named(Name::new(path)) };
        let whole = self.module_named(Name::new(path))?;
        if matches!(whole, Value::Module(_)) {
            return Ok(whole);
        }
        match self.object_at(front, span)? {
            Value::Library(library) => Ok(self.library_attribute(library, Name::new(last), span)),
            holder => self.get_attribute(&holder, Name::new(last), span),
        }
    }

    /// `instantiate(config, …)`
    fn described_object(&mut self, config: &Value, arguments: CallArguments, depth: usize) -> Eval {
        light_tick();
        self.step()?;
        let span = arguments.span;
        let config = self.read(config);
        let id = match &config {
            _ if depth == 0 => return Ok(self.symbolic("object", span, true)),
            Value::Dict(id) => *id,
            Value::List(id) => {
                let items = self.heap.list(*id).map(|data| data.items.clone()).unwrap_or_default();
                let mut made = Vec::with_capacity(items.len());
                for item in items {
                    made.push(self.described_object(&item, CallArguments::empty(span), depth - 1)?);
                }
                return Ok(Value::List(self.heap.allocate_list(made)));
            }
            Value::None => return Ok(Value::None),
            config if config.is_unknown() => {
                self.not_understood("hydra.utils.instantiate", span);
                return Ok(self.symbolic("object", span, true));
            }
            config => return Ok(config.clone()),
        };
        let Some(data) = self.heap.dict(id).cloned() else { return Ok(config) };
        let entry = |name: &str| data.find(&Value::str(name)).map(|(_, value)| value.clone());
        let is_recursive = !matches!(entry("_recursive_"), Some(Value::Bool(false)))
            && !matches!(arguments.keyword("_recursive_"), Some(Value::Bool(false)));
        let mut call = CallArguments { keywords: Vec::new(), keyword_spans: Vec::new(), ..arguments.clone() };
        for (key, value) in &data.entries {
            let Some(name) = key.as_text().filter(|name| !is_word_of_hydra(name)) else { continue };
            // What the call gives takes the place of the entry, and is merged with one that describes something.
            let given = arguments.keyword(name).cloned().map(|given| self.read(&given));
            let value = match (given, self.read(value)) {
                (Some(given @ Value::Dict(_)), below @ Value::Dict(_)) => self.merged(&below, &given, DEEPEST),
                (Some(given), _) => given,
                (None, value) => value,
            };
            let value = match &value {
                Value::Dict(_) | Value::List(_) if is_recursive => {
                    self.described_object(&value, CallArguments::empty(span), depth - 1)?
                }
                _ => value,
            };
            call.keywords.push((Name::new(name), value));
        }
        for (name, value) in &arguments.keywords {
            if !is_word_of_hydra(name.as_str()) && call.keyword(name.as_str()).is_none() {
                call.keywords.push((*name, value.clone()));
            }
        }
        call.keyword_spans = vec![None; call.keywords.len()];
        call.is_open |= data.rest.is_some();
        let Some(target) = entry("_target_").or_else(|| arguments.keyword("_target_").cloned()) else {
            let entries = call.keywords.into_iter().map(|(name, value)| (Value::str(name.as_str()), value)).collect();
            return Ok(match self.dict_class(id).cloned() {
                Some(class) => self.new_dict_of_class(class, entries),
                None => Value::Dict(self.heap.allocate_dict(entries)),
            });
        };
        if let Some(Value::List(list)) = entry("_args_")
            && call.positional.is_empty()
        {
            for item in self.heap.list(list).map(|data| data.items.clone()).unwrap_or_default() {
                let item = self.described_object(&item, CallArguments::empty(span), depth - 1)?;
                call.positional.push(item);
                call.positional_spans.push(None);
            }
        }
        let target = match target.as_text().map(str::to_owned) {
            Some(path) => self.object_at(&path, span)?,
            None => target,
        };
        let is_partial = arguments.keyword("_partial_").cloned().or_else(|| entry("_partial_"));
        if matches!(is_partial, Some(Value::Bool(true))) {
            return self.call_library(name!("functools.partial"), call.with_first(target));
        }
        self.call(&target, call)
    }
}

/// Whether an entry speaks to Hydra rather than to what is made.
fn is_word_of_hydra(name: &str) -> bool {
    matches!(name, "_target_" | "_partial_" | "_recursive_" | "_convert_" | "_args_")
}
