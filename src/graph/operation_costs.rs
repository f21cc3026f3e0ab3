//! What one execution of an operation costs: bytes that it writes, arithmetic, and whether the host waits for it.

use harp_annotations::{Cost, Effects};
use harp_shape::{Dim, Element};
use harp_trace::OperationRecord;
use harp_trace::device::Device;

use crate::{Program, callee};

/// What one execution costs. Sizes that are not known stand in it as symbols; `None` is what is not known at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationCost {
    /// The bytes of its result; 0 where that shares the memory of an argument.
    pub bytes: Option<Dim>,
    /// Floating-point operations; a product with its addition counts as two.
    pub flops: Option<Dim>,
    /// Whether the host waits for an accelerator.
    pub waits: Option<bool>,
}

/// The cost of an operation of the trace.
pub fn operation_cost(program: Program<'_>, record: &OperationRecord) -> OperationCost {
    let Some(spec) = callee::known_one(program, record.api, record.shape.is_some()).spec else {
        return OperationCost { bytes: None, flops: None, waits: None };
    };
    let is_view = spec.effects.has(Effects::VIEWS) || spec.cost == Cost::Trivial;
    let bytes = if is_view { Some(Dim::ZERO) } else { bytes(record) };
    let waits = if spec.effects.has(Effects::SYNCS_DEVICE) { waits_for(record) } else { Some(false) };
    OperationCost { bytes, flops: flops(record, spec.cost), waits }
}

fn bytes(record: &OperationRecord) -> Option<Dim> {
    let bits = i64::from(record.dtype.bits());
    // An element of less than a byte takes one.
    let width = Some((bits + 7) / 8).filter(|_| bits > 0)?;
    Some(elements(record.shape.as_ref()?)? * Dim::constant(width))
}

/// How many elements there are, where no part of that is hidden.
fn elements(shape: &harp_shape::Shape) -> Option<Dim> {
    let is_known = |element: &Element| matches!(element, Element::Dim(dim) if !dim.is_opaque());
    shape.elements().iter().all(is_known).then(|| shape.prod())
}

fn flops(record: &OperationRecord, cost: Cost) -> Option<Dim> {
    let result = || elements(record.shape.as_ref()?);
    match cost {
        Cost::Trivial | Cost::Memory | Cost::Io => Some(Dim::ZERO),
        Cost::Elementwise => result(),
        Cost::Reduction => elements(&record.inputs.first()?.shape),
        Cost::Matmul => Some(result()? * inner_dimension(record)? * Dim::constant(2)),
        Cost::Convolution => Some(result()? * kernel(record)? * Dim::constant(2)),
    }
}

/// The dimension that a product sums over.
fn inner_dimension(record: &OperationRecord) -> Option<Dim> {
    let last = || record.inputs.first()?.shape.dims()?.last().copied();
    let above = || {
        let dims = record.inputs.get(1)?.shape.dims()?;
        dims.get(dims.len().checked_sub(2)?).copied()
    };
    last().or_else(above).filter(|dim| !dim.is_opaque())
}

/// How many products an element of a convolution is the sum of, where its weights are among the operands.
fn kernel(record: &OperationRecord) -> Option<Dim> {
    let weight = record.inputs.iter().find(|input| input.parameter.as_str() == "weight")?;
    let dims = weight.shape.dims()?;
    let product = Dim::product_of(dims.get(1..)?.iter().copied());
    (!product.is_opaque()).then_some(product)
}

/// On the host nothing is waited for; where the operands lie on a device of which nothing is known, nobody knows.
fn waits_for(record: &OperationRecord) -> Option<bool> {
    let on = |wanted: &[Device]| record.inputs.iter().any(|input| wanted.contains(&input.device));
    match () {
        () if on(&[Device::Accelerator, Device::Chosen]) => Some(true),
        () if record.inputs.is_empty() || on(&[Device::Unknown]) => None,
        () => Some(false),
    }
}
