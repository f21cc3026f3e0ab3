//! A loop over single elements, written once for whole arrays.

pub(crate) mod bounds;
mod definitions;
mod element_types;
mod libraries;
mod slices;
mod translate;

use crate::Program;
use crate::facts::FactAssumption;
use crate::host::{Arm, Host, StatementId};
use crate::host_rows::Emitter;
use crate::observed_changes;
use crate::schema::Relation;
use crate::subscripts::{RangeLoop, text};
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind, Module};
use harp_python::name::Name;
use harp_trace::assumption::{AssumptionKind, words};

use bounds::Bound;
use definitions::{Definitions, Origin};
use libraries::Libraries;
use translate::Translator;

/// What is known of a file with such loops.
pub struct FileOfLoop<'a> {
    libraries: Libraries,
    definitions: Definitions<'a>,
}

impl<'a> FileOfLoop<'a> {
    pub fn of(module: Option<&'a Module>) -> FileOfLoop<'a> {
        FileOfLoop { libraries: Libraries::of(module), definitions: Definitions::of(module) }
    }
}

/// Adds the array form of a loop, where it has one, with what it takes for granted.
pub fn add_rows(emitter: &mut Emitter<'_>, range_loop: &RangeLoop<'_>, file: &FileOfLoop<'_>) {
    let Some(form) = VectorForm::of(emitter.program, emitter.host, range_loop, file) else { return };
    let program = emitter.program;
    let origin = |it: &Container| match it.path {
        None => file.definitions.origin(program, range_loop.file, it.root),
        Some(_) => Origin::Unclear,
    };
    let assumptions: Vec<u32> = form
        .assumptions(emitter.program, emitter.host.statement(range_loop.id).span, origin)
        .into_iter()
        .map(|assumption| emitter.facts.assume(assumption))
        .collect();
    let assumptions = [assumptions, emitter.defaults_of(range_loop.id)].concat();
    let symbol = emitter.statement(range_loop.id);
    let code = emitter.facts.symbol(&form.lines.join("\n"));
    emitter.facts.add_assuming(Relation::ElementwiseLoop, [symbol.into(), code.into()], &assumptions);
    if !form.risks.is_empty() {
        let risks = emitter.facts.symbol(&form.risks.join("; "));
        emitter.facts.add(Relation::ElementwiseRisk, [symbol.into(), risks.into()]);
    }
    for container in &form.containers {
        let Some(variable) = container.variable(emitter, range_loop) else { continue };
        let (variable, kind) = (emitter.variable(variable), emitter.facts.symbol(container.kind.name()));
        emitter.facts.add(Relation::LoopContainer, [symbol.into(), variable.into(), kind.into()]);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContainerKind {
    Tensor,
    Array,
    List,
    Unknown,
}

impl ContainerKind {
    fn name(self) -> &'static str {
        match self {
            ContainerKind::Tensor => "tensor",
            ContainerKind::Array => "ndarray",
            ContainerKind::List => "list",
            ContainerKind::Unknown => "unknown",
        }
    }
}

/// A container that the loop goes through.
struct Container {
    text: String,
    /// What is subscripted, with indices of its own.
    whole: String,
    root: Name,
    path: Option<String>,
    kind: ContainerKind,
    /// Which part of the index the loop variable is in, and how far from it the elements are.
    position: usize,
    /// How many dimensions of an element come before the loop's one, and how many behind it.
    before: usize,
    behind: usize,
    /// Whether that is known, and not taken from what its elements are used for.
    has_rank: bool,
    offset: i64,
    is_written: bool,
    span: Span,
}

impl Container {
    fn variable(&self, emitter: &Emitter<'_>, range_loop: &RangeLoop<'_>) -> Option<crate::host::VariableId> {
        let mut body = emitter.host.body_of(range_loop.id, Some(Arm::Body)).into_iter();
        body.find_map(|statement| emitter.find_variable(statement, self.root, self.path.as_deref()))
    }
}

/// What becomes of a loop.
struct VectorForm {
    lines: Vec<String>,
    containers: Vec<Container>,
    /// How many operations on elements there are.
    arithmetic: usize,
    /// How many of them give floating-point numbers whatever the elements are.
    floating: usize,
    /// Whether the number of iterations is known.
    is_counted: bool,
    /// Whether names and items are read that are the same in all iterations, which may be arrays themselves.
    reads_steady: bool,
    /// Whether the loop's variable is computed with.
    reads_index: bool,
    /// The roots of what is the same in all iterations, if it is not written.
    steady_roots: Vec<Name>,
    /// Indices that are taken for numbers.
    assumed_numbers: Vec<Span>,
    /// What may be different after the rewrite, as clauses.
    risks: Vec<&'static str>,
}

impl VectorForm {
    fn of(program: Program<'_>, host: &Host, range_loop: &RangeLoop<'_>, file: &FileOfLoop<'_>) -> Option<VectorForm> {
        let [start, stop, step] = range_loop.bounds();
        if range_loop.has_else || step.is_some_and(|step| !matches!(step.kind, ExprKind::Int(1))) {
            return None;
        }
        let shown = |expression: &Expr| text(program, range_loop.span(expression));
        let trips = program.trace.loops.get(&host.statement(range_loop.id).span).and_then(|record| record.trips);
        let bounds = (Bound::of(start, shown), Bound::of(Some(stop?), shown));
        let mut translator = Translator::new(program, range_loop, file, bounds, trips);
        translator.survey(range_loop.body)?;
        if !bounds::are_repeatable(range_loop, &translator.assigned) {
            return None;
        }
        let lines: Option<Vec<String>> =
            range_loop.body.iter().map(|statement| translator.statement(statement)).collect();
        let lines = lines?;
        // One library does not compute with what is of the other, as long as it is no single number.
        let is_mixed = translator.reads_tensors && translator.reads_arrays;
        if is_mixed || leaks(host, range_loop, &translator.temporaries) {
            return None;
        }
        let form = VectorForm {
            lines,
            containers: translator.containers,
            arithmetic: translator.arithmetic,
            floating: translator.floating,
            is_counted: trips.is_some(),
            reads_steady: translator.reads_steady,
            reads_index: translator.reads_index,
            steady_roots: [translator.steady_roots, translator.views].concat(),
            assumed_numbers: translator.assumed_numbers,
            risks: translator.risks,
        };
        let is_parameter = |it: &Container| is_parameter(host, range_loop, it);
        let is_right = form.is_aligned()
            && form.is_sound(is_parameter)
            && !form.overlaps(program, host.statement(range_loop.id).span);
        is_right.then_some(form)
    }

    /// The loop's dimension is at the same place of all arrays, counted from the end as broadcasting does; what is the same in all
    /// iterations meets the dimensions that it met before.
    fn is_aligned(&self) -> bool {
        let Some(first) = self.containers.first() else { return false };
        let are_equal = self.containers.iter().all(|container| container.behind == first.behind);
        let meets_others = self.reads_steady && self.containers.iter().any(|container| container.before > 0);
        are_equal && !meets_others && !(self.reads_index && first.behind > 0)
    }

    /// No element depends on another one, and there is something to gain.
    fn is_sound(&self, is_parameter: impl Fn(&Container) -> bool) -> bool {
        let written: Vec<&Container> = self.containers.iter().filter(|container| container.is_written).collect();
        let depends = written.iter().any(|write| {
            let place = |it: &Container| (it.whole.clone(), it.offset, it.position);
            let same = self.containers.iter().filter(|other| other.text == write.text);
            same.into_iter().any(|other| place(other) != place(write))
                || self.containers.iter().any(|other| is_part(&other.text, &write.text))
                || self.steady_roots.contains(&write.root)
        });
        let is_array = |it: &Container| matches!(it.kind, ContainerKind::Tensor | ContainerKind::Array);
        // An object that the program makes and that is no array may be anything with indices; a parameter is mostly an array.
        // Short lists of integers, such as shapes, are mostly what a loop of unknown length over lists goes through. Python's own way
        // to copy or fill a list is not slower by much.
        let is_guess = |it: &Container| it.kind == ContainerKind::Unknown && !is_parameter(it);
        let gains = if self.containers.iter().any(is_array) {
            self.arithmetic > 0 || self.containers.iter().all(is_array)
        } else {
            let is_numeric = self.floating > 0 || (self.is_counted && self.arithmetic > 0);
            is_numeric && !self.containers.iter().any(is_guess)
        };
        !written.is_empty() && !depends && gains
    }

    /// Whether what is written was seen to lie in the memory of another container, at another place, or of something else that the loop reads.
    fn overlaps(&self, program: Program<'_>, around: Span) -> bool {
        let are_several = self.containers.iter().any(|container| container.text != self.containers[0].text);
        if !are_several && !self.reads_steady {
            return false;
        }
        let places = self.containers.iter().map(|container| container.span).collect::<Vec<_>>();
        let memories = observed_changes::memories_of(program, &places);
        let others = observed_changes::memories_besides(program, around, &places);
        let is_read_besides = |number: usize| memories[number].iter().any(|(memory, _)| others.contains(memory));
        let shares = |write: usize, other: usize| {
            memories[write].iter().any(|(memory, whole)| {
                let is_it = |(of_other, whole_of_other): &(_, _)| {
                    let is_same_place =
                        whole == whole_of_other && self.containers[write].offset == self.containers[other].offset;
                    memory == of_other && !is_same_place
                };
                memories[other].iter().any(is_it)
            })
        };
        let numbers = 0..self.containers.len();
        let is_written = |number: &usize| self.containers[*number].is_written;
        numbers
            .clone()
            .filter(is_written)
            .any(|write| is_read_besides(write) || numbers.clone().any(|other| shares(write, other)))
    }

    /// S2 and S3: containers whose kind or elements are not known hold numbers. S11: shifted reads are of other memory.
    fn assumptions(
        &self,
        program: Program<'_>,
        loop_span: Span,
        origin: impl Fn(&Container) -> Origin,
    ) -> Vec<FactAssumption> {
        let mut assumptions: Vec<FactAssumption> = Vec::new();
        for container in &self.containers {
            let (kind, sentence) = match container.kind {
                ContainerKind::Unknown => (AssumptionKind::MemberName, words::member_name_numbers(&container.text)),
                ContainerKind::List => {
                    (AssumptionKind::UniformElements, words::uniform_elements_numbers(&container.text))
                }
                ContainerKind::Tensor | ContainerKind::Array if self.containers.len() == 1 || container.has_rank => {
                    continue;
                }
                ContainerKind::Tensor | ContainerKind::Array => {
                    (AssumptionKind::UniformElements, words::uniform_elements_numbers(&container.text))
                }
            };
            if assumptions.iter().any(|known| known.text == sentence) {
                continue;
            }
            let line =
                program.corpus.file(container.span.file).map_or(0, |file| file.absolute_line(container.span.start));
            assumptions.push(FactAssumption {
                kind: kind.as_str().to_owned(),
                subject: container.text.clone(),
                text: sentence,
                evidence: format!("its elements are used in arithmetic in line {line}"),
                span: Some(container.span),
            });
        }
        for span in &self.assumed_numbers {
            let subject = text(program, *span);
            assumptions.push(FactAssumption {
                kind: AssumptionKind::UsedAs.as_str().to_owned(),
                text: words::used_as_integer(&subject),
                subject,
                evidence: "it stands in an index".to_owned(),
                span: Some(*span),
            });
        }
        for write in self.containers.iter().filter(|container| container.is_written) {
            for other in &self.containers {
                let has_views = write.kind != ContainerKind::List;
                let may_overlap = has_views || other.offset != write.offset;
                if other.text != write.text && may_overlap && !origin(write).is_apart_from(origin(other)) {
                    assumptions.push(FactAssumption {
                        kind: AssumptionKind::NoAlias.as_str().to_owned(),
                        subject: write.text.clone(),
                        text: words::no_alias_containers(&write.text, &other.text),
                        evidence: "they have different names".to_owned(),
                        span: Some(loop_span),
                    });
                }
            }
        }
        assumptions.dedup();
        assumptions
    }
}

fn is_parameter(host: &Host, range_loop: &RangeLoop<'_>, container: &Container) -> bool {
    let parameters = &host.function(host.statement(range_loop.id).function).parameters;
    parameters.iter().any(|parameter| host.variable(*parameter).root == container.root)
}

/// Whether one of two texts names an attribute of the other: `x.T` shares its elements with `x`.
fn is_part(left: &str, right: &str) -> bool {
    let extends = |longer: &str, shorter: &str| longer.strip_prefix(shorter).is_some_and(|rest| rest.starts_with('.'));
    extends(left, right) || extends(right, left)
}

/// Whether a temporary or the loop variable is read after the loop, before something else is assigned to it.
fn leaks(host: &Host, range_loop: &RangeLoop<'_>, temporaries: &[Name]) -> bool {
    let node = host.statement(range_loop.id);
    let last = host.body_of(range_loop.id, None).last().copied().unwrap_or(range_loop.id);
    let names: Vec<Name> = temporaries.iter().copied().chain([range_loop.target]).collect();
    let is_read_elsewhere = |name: &Name| {
        let all = (0..host.statements.len()).map(|index| StatementId(index as u32));
        let mut others = all.filter(|id| {
            let other = host.statement(*id);
            other.span.file == node.span.file && other.function != node.function
        });
        others.any(|id| {
            host.uses_of(id).any(|variable| {
                let variable = host.variable(variable);
                variable.scope == node.function && variable.root == *name
            })
        })
    };
    if names.iter().any(is_read_elsewhere) {
        return true;
    }
    for name in names {
        for index in last.index() + 1..host.statements.len() {
            let after = host.statement(StatementId(index as u32));
            let is_it = |id: &crate::host::VariableId| {
                let variable = host.variable(*id);
                variable.scope == node.function && variable.root == name && variable.path.is_none()
            };
            if after.span.file != node.span.file {
                break;
            }
            if host.uses_of(StatementId(index as u32)).any(|id| is_it(&id)) {
                return true;
            }
            if after.function == node.function && after.definitions.iter().any(is_it) {
                break;
            }
        }
    }
    false
}
