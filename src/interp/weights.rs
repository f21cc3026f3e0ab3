//! What a layer's weights say of its settings: sizes of a tensor are not negative.

use crate::annotations::{AttributeValue, ClassSpec, ShapePart};
use crate::interp::apis::Bound;
use crate::interp::machine::Interpreter;
use crate::interp::value::Value;
use crate::shape::{Constraint, Dim, Verdict};

impl Interpreter<'_> {
    /// A layer that is made has weights of the sizes that it was given. What a condition makes of them later, such as `units + 8 == 1`, is
    /// decided with that.
    pub(super) fn learn_of_weights(&mut self, spec: &ClassSpec, bound: &Bound) {
        for (_, attribute) in &spec.attributes {
            let AttributeValue::Tensor(tensor) = attribute else { continue };
            for part in &tensor.shape {
                let ShapePart::Dimension(text) = part else { continue };
                let Some((_, Value::Int(size))) = bound.iter().find(|(name, _)| name.as_str() == &**text) else {
                    continue;
                };
                let fact = Constraint::LessEqual(Dim::ZERO, *size);
                if size.as_const().is_none() && !matches!(self.solver.judge(&fact), Verdict::Holds | Verdict::Violated)
                {
                    self.solver.assume(&fact);
                }
            }
        }
    }
}
