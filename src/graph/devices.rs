//! Rows on what operations take, where tensors lie, and which operations move them; and what dimensions are by default.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::Program;
use crate::expression_rows::both;
use crate::facts::{Facts, Symbol};
use crate::operation_rows::grounds_of;
use crate::schema::Relation;
use harp_annotations::spec::Effects;
use harp_shape::{Dim, Shape};
use harp_trace::OperationRecord;

/// Rows about what an operation takes and where its result lies.
pub fn add(program: Program<'_>, facts: &mut Facts, operation: Symbol, record: &OperationRecord) {
    use Relation as R;
    if !facts.wants_any(&[R::InputShape, R::InputDevice, R::OutputDevice, R::Transfer]) {
        return;
    }
    let grounds = grounds_of(record);
    let inputs = if facts.wants_any(&[R::InputShape, R::InputDevice]) { &record.inputs[..] } else { &[] };
    for input in inputs {
        let parameter = facts.symbol(input.parameter.as_str());
        if facts.wants(R::InputShape) {
            let shape = facts.symbol(&input.shape.to_string());
            let sizes = &program.trace.sites.assumed(record.sizes_assume);
            facts.add_assuming(
                R::InputShape,
                [operation.into(), parameter.into(), shape.into()],
                &both(&grounds, sizes),
            );
        }
        if facts.wants(R::InputDevice) {
            let device = facts.symbol(input.device.word());
            facts.add_assuming(R::InputDevice, [operation.into(), parameter.into(), device.into()], &grounds);
        }
    }
    if record.shape.is_none() {
        return;
    }
    if facts.wants(R::OutputDevice) {
        let device = facts.symbol(record.device.word());
        facts.add_assuming(R::OutputDevice, [operation.into(), device.into()], &grounds);
    }
    if facts.wants(R::Transfer)
        && let Some(moved) =
            record.inputs.first().filter(|input| input.device != record.device && moves(program, record.api.as_str()))
    {
        let (from, device) = (facts.symbol(moved.device.word()), facts.symbol(record.device.word()));
        facts.add_assuming(R::Transfer, [operation.into(), from.into(), device.into()], &grounds);
    }
}

/// Methods that give their tensor on another device.
fn moves(program: Program<'_>, api: &str) -> bool {
    let spec = program.library.function(api);
    spec.is_some_and(|spec| spec.device.is_some() && spec.effects.has(Effects::TRANSFERS_DEVICE))
}

/// The values of dimensions at the program's defaults, by their texts, with what they rest on. A text that stands for several dimensions of different
/// defaults has none.
#[derive(Debug, Default)]
pub struct DefaultSizes {
    values: BTreeMap<String, (Option<i64>, Vec<u32>)>,
}

impl DefaultSizes {
    /// Those of all tensors that operations take and give.
    pub fn of(program: Program<'_>) -> DefaultSizes {
        let mut sizes = DefaultSizes::default();
        let mut seen: FxHashSet<Dim> = FxHashSet::default();
        let mut see = |shape: &Shape| {
            let dims = shape.elements().iter().filter_map(|element| element.as_dim());
            dims.filter(|dim| seen.insert(*dim)).for_each(|dim| sizes.see(program, dim));
        };
        for record in &program.trace.operations {
            record.shape.iter().for_each(&mut see);
            record.inputs.iter().for_each(|input| see(&input.shape));
        }
        sizes
    }

    fn see(&mut self, program: Program<'_>, dim: Dim) {
        let value = dim.as_const().or_else(|| dim.evaluate(&mut |var| var.default_value()));
        let assumed = || grounds_of_size(program, dim);
        let known = self.values.entry(dim.to_string()).or_insert_with(|| (value, assumed()));
        if known.0 != value {
            known.0 = None;
        }
    }

    /// Rows of the sizes with these texts, or of all.
    pub fn add(&self, facts: &mut Facts, only: Option<&[String]>) {
        let mut add = |text: &str, (value, grounds): &(Option<i64>, Vec<u32>)| {
            let Some(value) = value else { return };
            let size = facts.symbol(text);
            facts.add_assuming(Relation::DefaultSize, [size.into(), (*value).into()], grounds);
        };
        match only {
            None => self.values.iter().for_each(|(text, value)| add(text, value)),
            Some(texts) => {
                for (text, value) in texts.iter().filter_map(|text| self.values.get_key_value(text)) {
                    add(text, value);
                }
            }
        }
    }
}

/// The numbers of the assumptions that a size's value rests on, in ascending order.
fn grounds_of_size(program: Program<'_>, size: Dim) -> Vec<u32> {
    let variables = if size.as_const().is_some() { Vec::new() } else { size.vars() };
    let mut grounds: Vec<u32> =
        variables.iter().filter_map(|var| program.trace.size_assumptions.get(var)).map(|id| id.0).collect();
    grounds.sort_unstable();
    grounds.dedup();
    grounds
}
