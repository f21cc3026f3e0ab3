//! Rows on values and on what operations were told: inputs and outputs with their places, attributes, and the objects
//! whose operations they are.

use rustc_hash::FxHashSet;

use crate::Program;
use crate::facts::{Facts, Symbol};
use crate::operation_rows::{grounds_of, operation_symbol};
use crate::schema::Relation;
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::{DType, Shape};
use harp_trace::details::{ObjectRecord, Setting, Source};
use harp_trace::ids::OperationId;
use harp_trace::{Given, OperationRecord};

/// The relations whose rows need the values of arguments, or the objects that are called.
const OF_DETAILS: [Relation; 8] = [
    Relation::Attribute,
    Relation::AttributeNumber,
    Relation::OperationObject,
    Relation::Object,
    Relation::ObjectAttribute,
    Relation::ObjectNumber,
    Relation::Holds,
    Relation::MethodOf,
];

/// Those that tell of single values.
const OF_VALUES: [Relation; 4] = [Relation::ValueShape, Relation::ValueDim, Relation::ValueRank, Relation::ValueDtype];

/// Whether somebody asks for arguments or objects.
pub fn are_details_wanted(wants: impl Fn(Relation) -> bool) -> bool {
    OF_DETAILS.into_iter().any(wants)
}

/// The rows of one operation that can be asked for by it.
pub fn add_of_operation(program: Program<'_>, facts: &mut Facts, operation: Symbol, record: &OperationRecord) {
    let grounds = grounds_of(record);
    if facts.wants(Relation::Input) {
        for (index, given) in (0i64..).zip(record.given.iter()) {
            let Some(value) = given_value(program, facts, given) else { continue };
            let parameter = facts.symbol(given.parameter.as_str());
            let row = [operation.into(), index.into(), parameter.into(), value.into()];
            facts.add_assuming(Relation::Input, row, &grounds);
        }
    }
    if facts.wants(Relation::Output) {
        for part in 0..results(record).len() {
            let value = value_symbol(facts, operation, record, part);
            facts.add_assuming(Relation::Output, [operation.into(), (part as i64).into(), value.into()], &grounds);
        }
    }
    if facts.wants_any(&[Relation::Attribute, Relation::AttributeNumber]) {
        for (name, setting) in attributes_of(record) {
            let name = facts.symbol(name.as_str());
            let (text, number) = cells(facts, setting);
            facts.add_assuming(Relation::Attribute, [operation.into(), name.into(), text.into()], &grounds);
            if let Some(number) = number {
                facts.add_assuming(Relation::AttributeNumber, [operation.into(), name.into(), number.into()], &grounds);
            }
        }
    }
    if facts.wants(Relation::State) {
        facts.add(Relation::State, [operation.into(), i64::from(record.identity.state).into()]);
    }
    if facts.wants(Relation::Evaluates) && record.identity.evaluates {
        facts.add_assuming(Relation::Evaluates, [operation.into()], &grounds);
    }
    add_values(program, facts, operation, record);
    if let Some(device) = record.identity.weights
        && facts.wants(Relation::WeightsDevice)
    {
        let device = facts.symbol(device.word());
        facts.add_assuming(Relation::WeightsDevice, [operation.into(), device.into()], &grounds);
    }
    if let Some(object) = (record.identity.described as usize).checked_sub(1)
        && facts.wants(Relation::OperationObject)
        && let Some(known) = program.trace.objects.get(object)
    {
        let object = object_symbol(program, facts, object, known);
        facts.add_assuming(Relation::OperationObject, [operation.into(), object.into()], &grounds);
    }
}

/// The arguments of an operation that are no tensors.
pub fn attributes_of(record: &OperationRecord) -> impl Iterator<Item = &(Name, Setting)> {
    record.details.iter().flat_map(|details| &details.attributes)
}

/// What is known of the values that an operation gives, and of those that it takes and none gave.
fn add_values(program: Program<'_>, facts: &mut Facts, operation: Symbol, record: &OperationRecord) {
    if !facts.wants_any(&OF_VALUES) {
        return;
    }
    let grounds = grounds_of(record);
    for (part, (shape, dtype)) in results(record).into_iter().enumerate() {
        let value = value_symbol(facts, operation, record, part);
        add_value(facts, value, shape, dtype, &grounds);
    }
    for given in record.given.iter().filter(|given| is_from_outside(given)) {
        let taken = record.inputs.iter().find(|input| input.parameter == given.parameter);
        let Some(value) = given_value(program, facts, given) else { continue };
        if let Some(input) = taken.filter(|input| input.operation == OperationId::NONE) {
            add_value(facts, value, Some(&input.shape), DType::Unknown, &grounds);
        }
    }
}

/// Whether it is a whole value that no operation gave.
pub fn is_from_outside(given: &Given) -> bool {
    given.operation == OperationId::NONE && given.is_whole
}

fn add_value(facts: &mut Facts, value: Symbol, shape: Option<&Shape>, dtype: DType, grounds: &[u32]) {
    if let Some(shape) = shape {
        let text = facts.symbol(&shape.to_string());
        facts.add_assuming(Relation::ValueShape, [value.into(), text.into()], grounds);
        if let Some(dims) = shape.dims() {
            facts.add_assuming(Relation::ValueRank, [value.into(), (dims.len() as i64).into()], grounds);
            for (axis, dim) in (0i64..).zip(dims) {
                let size = facts.symbol(&dim.to_string());
                facts.add_assuming(Relation::ValueDim, [value.into(), axis.into(), size.into()], grounds);
            }
        }
    }
    if dtype != DType::Unknown {
        let dtype = facts.symbol(&dtype.to_string());
        facts.add_assuming(Relation::ValueDtype, [value.into(), dtype.into()], grounds);
    }
}

/// The results of an operation with their types.
fn results(record: &OperationRecord) -> Vec<(Option<&Shape>, DType)> {
    match record.details.as_ref().filter(|details| !details.results.is_empty()) {
        Some(details) => details.results.iter().map(|part| (part.shape.as_ref(), part.dtype)).collect(),
        None if record.identity.result.is_some() || record.shape.is_some() => {
            vec![(record.shape.as_ref(), record.dtype)]
        }
        None => Vec::new(),
    }
}

/// Where the values come from that operations are given and that no operation gave whole: a source outside, or a larger value. These rows are
/// made whether or not somebody asks what operations are given, so that they do not depend on what else is asked.
pub fn add_origins(program: Program<'_>, facts: &mut Facts) {
    if !facts.wants_any(&[Relation::PartOf, Relation::Source]) {
        return;
    }
    let mut seen = FxHashSet::default();
    for given in program.trace.operations.iter().flat_map(|record| record.given.iter()) {
        let Some(whole) = given_value(program, facts, &Given { is_whole: true, ..*given }) else { continue };
        if let Some(source) = source_of(program, given)
            && seen.insert(whole)
        {
            let name = facts.symbol(source.name.as_ref().map_or("", |name| name.as_str()));
            facts.add(Relation::Source, [whole.into(), name.into()]);
        }
        if !given.is_whole
            && let Some(part) = given_value(program, facts, given)
            && seen.insert(part)
        {
            facts.add(Relation::PartOf, [part.into(), whole.into()]);
        }
    }
}

/// The source of what no operation gave.
fn source_of<'a>(program: Program<'a>, given: &Given) -> Option<&'a Source> {
    let is_outside = given.operation == OperationId::NONE;
    program.trace.sources.get((given.part as usize).checked_sub(1)?).filter(|_| is_outside)
}

/// The value that an operation is given.
pub fn given_value(program: Program<'_>, facts: &mut Facts, given: &Given) -> Option<Symbol> {
    let Some(index) = (given.operation.0 as usize).checked_sub(1) else {
        let source = source_of(program, given)?;
        let whole = source_symbol(program, facts, source, given.part);
        return Some(if given.is_whole { whole } else { part_symbol(facts, whole, source.origin) });
    };
    let record = program.trace.operations.get(index)?;
    let operation = operation_symbol(program, facts, index, record);
    let whole = value_symbol(facts, operation, record, given.part as usize);
    Some(if given.is_whole { whole } else { part_symbol(facts, whole, record.span) })
}

/// `train.py:12:5-20#7.0[…]`: an item of a value, or a part of it; which one is not told.
fn part_symbol(facts: &mut Facts, whole: Symbol, place: Span) -> Symbol {
    let text = format!("{}[…]", facts.text(whole));
    facts.named_place(&text, place)
}

/// `train.py:12:5-20#7.0`: the first result of the seventh operation.
fn value_symbol(facts: &mut Facts, operation: Symbol, record: &OperationRecord, part: usize) -> Symbol {
    let text = format!("{}.{part}", facts.text(operation));
    facts.named_place(&text, record.span)
}

/// What a symbol of a value tells of where its rows are made.
pub enum ValueOf {
    /// The operation that gives it, by its index in the trace.
    Operation(u32),
    /// The source outside, by its number.
    Source(u32),
}

/// Reads the text of a value's symbol: `train.py:12:5-20#7.0` or `train.py:3:7-8=x#2`. Parts of values have no rows.
pub fn value_of(text: &str) -> Option<ValueOf> {
    let (_, number) = text.rsplit_once('#')?;
    let Some((operation, part)) = number.split_once('.') else { return Some(ValueOf::Source(number.parse().ok()?)) };
    part.parse::<u32>().ok()?;
    Some(ValueOf::Operation(operation.parse::<u32>().ok()?.checked_sub(1)?))
}

/// `train.py:3:7-8=x#2`: the second value that comes from outside, which the program calls `x`.
fn source_symbol(program: Program<'_>, facts: &mut Facts, source: &Source, number: u32) -> Symbol {
    let place = facts.expression(program.corpus, source.origin);
    let name = source.name.map_or_else(String::new, |name| name.to_string());
    let text = format!("{}={name}#{number}", facts.text(place));
    facts.named_place(&text, source.origin)
}

/// Objects that operations are of, and those that hold them.
pub fn add_objects(program: Program<'_>, facts: &mut Facts) {
    if !facts.wants_any(&OF_DETAILS) {
        return;
    }
    if facts.wants(Relation::MethodOf) {
        add_methods(program, facts);
    }
    for index in described_objects(program) {
        let Some(record) = program.trace.objects.get(index) else { continue };
        let object = object_symbol(program, facts, index, record);
        let made = facts.expression(program.corpus, record.origin);
        let class = facts.symbol(record.class.as_str());
        facts.add(Relation::Object, [object.into(), made.into(), class.into()]);
        for (name, setting) in &record.settings {
            let name = facts.symbol(name.as_str());
            let (text, number) = cells(facts, setting);
            facts.add(Relation::ObjectAttribute, [object.into(), name.into(), text.into()]);
            if let Some(number) = number {
                facts.add(Relation::ObjectNumber, [object.into(), name.into(), number.into()]);
            }
        }
        for (owner, name) in &record.held {
            let Some(holder) = program.trace.objects.get(*owner as usize) else { continue };
            let (owner, name) = (object_symbol(program, facts, *owner as usize, holder), facts.symbol(name.as_str()));
            facts.add(Relation::Holds, [owner.into(), name.into(), object.into()]);
        }
    }
}

/// The objects whose methods calls run.
fn add_methods(program: Program<'_>, facts: &mut Facts) {
    for (place, numbers) in &program.trace.methods {
        let call = facts.expression(program.corpus, *place);
        for index in numbers.iter().filter_map(|number| number.checked_sub(1)) {
            if let Some(record) = program.trace.objects.get(index as usize) {
                let object = object_symbol(program, facts, index as usize, record);
                facts.add(Relation::MethodOf, [call.into(), object.into()]);
            }
        }
    }
}

/// The indices of objects that operations or calls of methods are of, or that hold such ones, in order.
fn described_objects(program: Program<'_>) -> Vec<usize> {
    let objects = &program.trace.objects;
    let mut is_used = vec![false; objects.len()];
    let called = program.trace.operations.iter().map(|record| record.identity.described as usize);
    let receivers = program.trace.methods.values().flatten().map(|number| *number as usize);
    let mut waiting: Vec<usize> = called.chain(receivers).filter_map(|number| number.checked_sub(1)).collect();
    while let Some(index) = waiting.pop() {
        if let Some(known) = is_used.get_mut(index).filter(|known| !**known) {
            *known = true;
            waiting.extend(objects[index].held.iter().map(|(owner, _)| *owner as usize));
        }
    }
    (0..objects.len()).filter(|index| is_used[*index]).collect()
}

/// `model.py:8:21-40@3`: one call may make many objects.
fn object_symbol(program: Program<'_>, facts: &mut Facts, index: usize, record: &ObjectRecord) -> Symbol {
    let made = facts.expression(program.corpus, record.origin);
    let text = format!("{}@{}", facts.text(made), index + 1);
    facts.named_place(&text, record.origin)
}

/// A setting as text, and as a number where it is one.
fn cells(facts: &mut Facts, setting: &Setting) -> (Symbol, Option<i64>) {
    match setting {
        Setting::Integer(number) => (facts.symbol(&number.to_string()), Some(*number)),
        Setting::Other(text) => (facts.symbol(text), None),
    }
}
