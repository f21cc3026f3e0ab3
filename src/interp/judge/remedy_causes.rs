//! Causes that an issue names: why an operand or a layer has not the sizes that are asked for, such as reshapes that
//! fold the batch into other dimensions, `squeeze()` that drops it, layers with another order of dimensions or with
//! another number of features.

use crate::heap::objects::InstanceData;
use crate::judge::rearrangements::{receiver_text, written_arguments};
use crate::judge::remedies::Call;
use crate::state::interpreter::Interpreter;
use crate::values::value::{OperationId, Value};
use harp_corpus::Span;
use harp_operations::operation::{Argument, Judged};
use harp_python::enclosing;
use harp_python::ir::Range;
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, VarKind};
use harp_trace::{OperationRecord, Remedy};

/// The parameter of recurrent and attention layers that says which dimension is the batch.
const BATCH_FIRST: &str = "batch_first";
/// Operations that lay elements out in other dimensions.
const RESHAPES: [&str; 2] = ["view", "reshape"];

/// Whether the shapes before and after an operation may tell why another one fails.
pub(crate) fn is_rearrangement(api: Name) -> bool {
    let name = api.as_str().rsplit('.').next().unwrap_or("");
    RESHAPES.contains(&name) || name == "squeeze"
}

impl<'p> Interpreter<'p> {
    /// What made an operand of a shape that nothing fits.
    pub(crate) fn cause(&self, call: &Call<'_, 'p>, judged: &Judged) -> Option<Remedy> {
        if judged.constraint == Constraint::False && judged.operands.len() > 1 {
            return None;
        }
        judged.operands.iter().find_map(|name| {
            let is_it = |(known, _): &&(Name, Value)| call.callee.spec.argument_name(known.as_str()) == &**name;
            let (_, value) = call.bound.iter().rev().find(is_it)?;
            let Value::Tensor(tensor) = self.read(value) else { return None };
            let record = self.trace.operation(tensor.operation)?;
            let made_by = match record.shape_from {
                OperationId::NONE => record,
                source => self.trace.operation(source)?,
            };
            self.folded_batch(made_by).or_else(|| self.squeezed_batch(made_by))
        })
    }

    /// The shapes before and after an operation on one tensor, where all sizes are known.
    fn known_shapes(&self, record: &OperationRecord) -> Option<(Vec<Dim>, Vec<Dim>)> {
        let [input] = &record.inputs[..] else { return None };
        let before = self.solver.resolve_shape(&input.shape).dims()?;
        let after = self.solver.resolve_shape(record.shape.as_ref()?).dims()?;
        Some((before, after))
    }

    /// A reshape whose last dimension is no product of the last dimensions that there were, so that the first one, of the batch, is of another
    /// size.
    fn folded_batch(&self, record: &OperationRecord) -> Option<Remedy> {
        let name = record.api.as_str().rsplit('.').next()?;
        let (before, after) = RESHAPES.contains(&name).then(|| self.known_shapes(record))??;
        let constants = |dims: &[Dim]| dims.iter().map(|dim| dim.as_const()).collect::<Option<Vec<i64>>>();
        let (before, after) = (constants(&before)?, constants(&after)?);
        let [first, last] = after[..] else { return None };
        if before.len() < 2 || first == before[0] || !self.source_text(record.span).contains("-1") {
            return None;
        }
        let mut product = 1_i64;
        for size in before.iter().skip(1).rev() {
            product = product.checked_mul(*size)?;
            if product == last {
                return None;
            }
        }
        let text = self.source_text(record.span);
        let text = if text.contains('\n') { name } else { text };
        Some(Remedy::cause(format!(
            "`{text}` folds the first dimension into another one: {before:?} becomes {after:?}; there are {product} \
             elements for each of the first dimension"
        )))
    }

    /// `squeeze()` of a batch of one element.
    pub(crate) fn squeezed_batch(&self, record: &OperationRecord) -> Option<Remedy> {
        let text = self.source_text(record.span);
        if !record.api.as_str().ends_with(".squeeze") || !text.ends_with(".squeeze()") {
            return None;
        }
        let (before, after) = self.known_shapes(record)?;
        let dropped = before.len().checked_sub(after.len())?;
        let is_dropped = before.first() == Some(&Dim::ONE) && (dropped > 1 || after.is_empty());
        is_dropped.then(|| {
            Remedy::cause(format!(
                "`{}.squeeze()` drops the first dimension, too, where it has one element: name the dimension that is to go",
                receiver_text(text)
            ))
        })
    }

    /// A layer that takes the batch first.
    pub(crate) fn with_batch_first(&mut self, call: &Call<'_, 'p>, object: &InstanceData) -> Option<Remedy> {
        let (_, value) = object.arguments.iter().find(|(name, _)| name.as_str() == BATCH_FIRST)?;
        if !matches!(self.read(value), Value::Bool(false)) {
            return None;
        }
        self.goes_through(call, BATCH_FIRST, &Argument::Boolean(true))?;
        let edit = self.setting_edit(object, BATCH_FIRST, "True");
        let class = self.name_of_class(&object.class);
        Some(Remedy { edit, ..Remedy::cause(format!("create `{class}` with `{BATCH_FIRST}=True`")) })
    }

    /// What a layer should be made with: the parameter that states the size which is asked for, with the size that there is.
    pub(crate) fn other_setting(
        &mut self,
        call: &Call<'_, 'p>,
        object: &InstanceData,
        judged: &Judged,
    ) -> Option<Remedy> {
        let Constraint::Equal(one, other) = &judged.constraint else { return None };
        let (one, other) = (self.solver.resolve(*one), self.solver.resolve(*other));
        let stated = |size: Dim| -> Option<Name> {
            let is_stated =
                |value: &Value| matches!(self.read(value), Value::Int(known) if self.solver.resolve(known) == size);
            let named: Vec<Name> =
                object.arguments.iter().filter(|(_, value)| is_stated(value)).map(|(name, _)| *name).collect();
            // Where two parameters say so, it is the one that the message names.
            let is_told = |name: &&Name| judged.message.contains(&format!("`{name}`"));
            match named[..] {
                [only] => Some(only),
                _ => named.iter().find(is_told).copied(),
            }
        };
        let (name, stated, found) = match (stated(one), stated(other)) {
            (Some(name), None) => (name, one, other),
            (None, Some(name)) => (name, other, one),
            _ => return None,
        };
        // What an option says is meant to be said by it.
        let is_option = |variable: harp_shape::Var| variable.kind() == VarKind::Config;
        if stated.vars().into_iter().any(is_option) {
            return None;
        }
        let found_text = self.in_words_at(found, object.origin)?;
        self.goes_through(call, name.as_str(), &Argument::Integer(found))?;
        let class = self.name_of_class(&object.class);
        let edit = Some(self.setting_edit(object, name.as_str(), &found_text)?);
        // The message says what is counted: "expected 96 channels".
        let counted = |noun: &&str| judged.message.contains(&format!(" {noun} (`{name}`)"));
        let wanted = match ["channels", "features"].iter().find(|noun| counted(noun)) {
            Some(noun) => format!("{stated} {noun}"),
            None => format!("an input of size {stated}"),
        };
        let text = format!("create `{class}` with `{name}={found_text}`, or pass it {wanted}");
        Some(Remedy { edit, ..Remedy::told(text) })
    }

    /// A size as code that can be written at a place: a number, a parameter of the function there, or an attribute of a global such as
    /// `args.hidden`.
    fn in_words_at(&self, size: Dim, place: Span) -> Option<String> {
        if let Some(number) = size.as_const() {
            return Some(number.to_string());
        }
        let variable = size.as_var().filter(|variable| variable.kind() == VarKind::Config)?;
        let name = variable.shown_name();
        let module = self.project.module(self.project.module_of_file(place.file))?;
        let range = Range { start: place.start, end: place.end };
        let functions = enclosing(module, range).functions;
        let parameters = functions.iter().flat_map(|function| &function.parameters);
        let mut named = parameters.filter(|parameter| parameter.name.as_str() == name);
        if named.next().is_some() {
            return Some(name);
        }
        let text = &self.corpus.file(place.file)?.text;
        let ending = format!(".{name}");
        let root = text.match_indices(&ending).find_map(|(at, _)| {
            let is_word = |char: char| char.is_alphanumeric() || char == '_';
            let behind = text[at + ending.len()..].chars().next();
            let word = text[..at].rsplit(|char: char| !is_word(char)).next().filter(|word| !word.is_empty())?;
            let before = text[..at - word.len()].chars().next_back();
            let is_whole = !behind.is_some_and(is_word) && before != Some('.');
            // A name of the module, bound before the place.
            let bound = text.find(&format!("\n{word} = ")).filter(|bound| *bound < place.start as usize);
            (is_whole && bound.is_some()).then_some(word)
        })?;
        let is_shadowed = functions
            .iter()
            .any(|function| function.parameters.iter().any(|parameter| parameter.name.as_str() == root));
        (!is_shadowed).then(|| format!("{root}{ending}"))
    }

    /// The edit that makes an object with another argument, where its constructor is called by its own name.
    fn setting_edit(&self, object: &InstanceData, parameter: &str, value: &str) -> Option<(Span, String)> {
        let Value::Library(class) = &object.class else { return None };
        let text = self.source_text(object.origin);
        let called = text.split('(').next()?.rsplit('.').next()?;
        if class.as_str().rsplit('.').next() != Some(called) {
            return None;
        }
        let written = written_arguments(text)?;
        let keyword = |text: &str| {
            let (name, _) = text.split_once('=')?;
            Some(name.trim_end().to_owned())
        };
        let place = |at: usize, length: usize| {
            let start = object.origin.start + at as u32;
            Span { start, end: start + length as u32, ..object.origin }
        };
        // What is computed from something else is right for other callers.
        let is_number = |text: &str| text.chars().all(|char| char.is_ascii_digit() || " *+-/()".contains(char));
        if let Some((at, old)) = written.iter().find(|(_, old)| keyword(old).as_deref() == Some(parameter)) {
            let (_, now) = old.split_once('=')?;
            let is_stated = is_number(now) || now.trim() == "False";
            return is_stated.then(|| (place(*at, old.len()), format!("{parameter}={value}")));
        }
        let parameters = &self.library_class(*class)?.constructor.parameters;
        let index = parameters.iter().position(|known| &*known.name == parameter)?;
        match written.get(index) {
            Some((at, old)) if keyword(old).is_none() && is_number(old) => {
                Some((place(*at, old.len()), value.to_owned()))
            }
            Some(_) if written.iter().take(index + 1).all(|(_, old)| keyword(old).is_none()) => None,
            _ => {
                let separator = if written.is_empty() { "" } else { ", " };
                Some((place(text.len() - 1, 0), format!("{separator}{parameter}={value}")))
            }
        }
    }
}
