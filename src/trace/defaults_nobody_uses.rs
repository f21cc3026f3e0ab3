//! The trace's record of defaults that the program itself never uses. A function that is looked at by itself has its
//! defaults; where every call of the program gives the parameter something, a finding that rests on its default is one
//! of a use that the program does not make, and says so.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Trace;
use crate::assumption::{AssumptionId, AssumptionKind, NOBODY_CALLS};
use crate::silenced::UNUSED_DEFAULT;
use harp_corpus::Span;
use harp_python::ir::{ArgumentKind, Call, Class, ExprKind, Function, Module, ParameterKind};
use harp_python::name::Name;
use harp_python::project::{ModuleId, Project};
use harp_python::{Written, visit_written};

/// What calls do with a parameter that has a default.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultInCalls {
    is_given: bool,
    is_kept: bool,
}

impl DefaultInCalls {
    fn note(&mut self, is_given: bool) {
        self.is_given |= is_given;
        self.is_kept |= !is_given;
    }

    fn is_met(self) -> bool {
        self.is_given || self.is_kept
    }
}

/// A parameter of which no call was followed.
struct Unseen {
    parameter: Span,
    /// How calls name the function: by its class where it makes the object.
    callee: Name,
    name: Name,
    /// Its place among positional arguments, without the object of a method; `None` where it can be given by its name alone.
    position: Option<usize>,
    /// Of calls in the same file, which are its own where others have functions of the same name.
    near: DefaultInCalls,
    far: DefaultInCalls,
}

impl Trace {
    /// Notes whether a call gave a parameter that has a default.
    pub fn note_default(&mut self, parameter: Span, is_given: bool) {
        self.defaults_in_calls.entry(parameter).or_default().note(is_given);
    }

    /// A finding that rests on the default of a parameter which every call of the program gives says so. Calls that were not followed count as
    /// they are written. Where the same operation was seen to work when it was reached by calls, the default is left to other callers.
    pub fn condition_on_unused_defaults(&mut self, project: &Project) {
        self.read_calls_not_followed(project);
        let works = self.work_where_called();
        for (index, issue) in self.issues.iter_mut().enumerate() {
            for id in issue.assumptions.iter() {
                let Some(assumption) = self.assumptions.get(id) else { continue };
                let is_default = assumption.kind == AssumptionKind::DefaultValue && assumption.evidence == NOBODY_CALLS;
                let calls = self.defaults_in_calls.get(&assumption.span).filter(|_| is_default);
                if calls.is_none_or(|calls| !calls.is_given || calls.is_kept) {
                    continue;
                }
                if works.contains(&index) {
                    issue.left_to_callers.get_or_insert(UNUSED_DEFAULT);
                }
                if !issue.conditions.contains(&assumption.text) {
                    issue.conditions.push(assumption.text.clone());
                    issue.is_conditional = true;
                }
            }
        }
    }

    /// The issues of one entry alone whose operation gave a result when it was reached by other calls.
    fn work_where_called(&self) -> FxHashSet<usize> {
        let mut entries: FxHashMap<usize, usize> = FxHashMap::default();
        for index in self.entries.iter().flat_map(|entry| &entry.issues) {
            *entries.entry(*index).or_default() += 1;
        }
        let mut places: FxHashMap<Span, Vec<usize>> = FxHashMap::default();
        for (index, issue) in self.issues.iter().enumerate().filter(|(index, _)| entries.get(index) == Some(&1)) {
            places.entry(issue.span).or_default().push(index);
        }
        let mut found = FxHashSet::default();
        for record in self.operations.iter().filter(|record| record.shape.is_some() && !record.calls.is_empty()) {
            let there = places.get(&record.span).into_iter().flatten();
            found.extend(there.filter(|index| self.issues.get(**index).is_some_and(|it| it.calls != record.calls)));
        }
        found
    }

    fn read_calls_not_followed(&mut self, project: &Project) {
        let unseen_parameter = |id: AssumptionId| {
            let assumption = self.assumptions.get(id)?;
            let is_default = assumption.kind == AssumptionKind::DefaultValue && assumption.evidence == NOBODY_CALLS;
            (is_default && !self.defaults_in_calls.contains_key(&assumption.span)).then_some(assumption.span)
        };
        let mut places: Vec<Span> =
            self.issues.iter().flat_map(|issue| issue.assumptions.iter().filter_map(unseen_parameter)).collect();
        places.sort_unstable();
        places.dedup();
        if places.is_empty() {
            return;
        }
        let modules = || (0..project.modules.len()).filter_map(|index| project.module(ModuleId(index as u32)));
        let mut unseen: FxHashMap<Name, Vec<Unseen>> = FxHashMap::default();
        for module in modules().filter(|module| places.iter().any(|place| place.file == module.file)) {
            for parameter in parameters_at(module, &places) {
                unseen.entry(parameter.callee).or_default().push(parameter);
            }
        }
        for module in modules() {
            visit_written(&module.body, &mut |part| {
                let Written::Call(call) = part else { return };
                let known = called_name(call).and_then(|name| unseen.get_mut(&name));
                known.into_iter().flatten().for_each(|parameter| parameter.read(call, module));
            });
        }
        for parameter in unseen.into_values().flatten() {
            let use_ = if parameter.near.is_met() { parameter.near } else { parameter.far };
            if use_.is_met() {
                self.defaults_in_calls.insert(parameter.parameter, use_);
            }
        }
    }
}

impl Unseen {
    fn read(&mut self, call: &Call, module: &Module) {
        let mut positional = 0;
        let mut is_given = false;
        for argument in &call.arguments {
            match argument.kind {
                ArgumentKind::Positional => positional += 1,
                ArgumentKind::Keyword(name) => is_given |= name == self.name,
                // What is unpacked may give it.
                ArgumentKind::Star => is_given |= self.position.is_some(),
                ArgumentKind::DoubleStar => is_given = true,
            }
        }
        is_given |= self.position.is_some_and(|position| position < positional);
        let calls = if module.file == self.parameter.file { &mut self.near } else { &mut self.far };
        calls.note(is_given);
    }
}

/// The parameters of a file's functions that stand at these places.
fn parameters_at(module: &Module, places: &[Span]) -> Vec<Unseen> {
    let mut found = Vec::new();
    visit_written(&module.body, &mut |part| {
        let Written::Function(function, class) = part else { return };
        let own = class.is_some() && !is_static(function);
        for (index, parameter) in function.parameters.iter().enumerate() {
            let place = parameter.range.in_file(module.file);
            if places.binary_search(&place).is_ok() {
                let is_positional = matches!(parameter.kind, ParameterKind::PositionalOnly | ParameterKind::Normal)
                    && index >= usize::from(own);
                found.push(Unseen {
                    parameter: place,
                    callee: callee(function, class),
                    name: parameter.name,
                    position: is_positional.then(|| index - usize::from(own)),
                    near: DefaultInCalls::default(),
                    far: DefaultInCalls::default(),
                });
            }
        }
    });
    found
}

fn callee(function: &Function, class: Option<&Class>) -> Name {
    match class {
        Some(class) if matches!(function.name.as_str(), "__init__" | "__new__") => class.name,
        _ => function.name,
    }
}

fn is_static(function: &Function) -> bool {
    let is_named = |kind: &ExprKind| matches!(kind, ExprKind::Name(name) if name.as_str() == "staticmethod");
    function.decorators.iter().any(|decorator| is_named(&decorator.kind))
}

/// `f` of `f(…)` and of `a.f(…)`.
fn called_name(call: &Call) -> Option<Name> {
    match &call.function.kind {
        ExprKind::Name(name) | ExprKind::Attribute { attribute: name, .. } => Some(*name),
        _ => None,
    }
}
