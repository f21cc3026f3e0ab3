//! Tensors that are square masks, true on the diagonal, or everywhere else: how many elements they choose follows from
//! their size. Losses that compare each row of a batch with all others leave the diagonal out in this way:
//! `similarity[~torch.eye(n, dtype=torch.bool)].view(n, -1)`.

use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::state::interpreter::Interpreter;
use crate::values::tensor_elements::{Elements, Numbers};
use crate::values::value::{Tensor, Value};
use harp_shape::{DType, Dim, Shape};

impl Interpreter<'_> {
    /// The result of an operation that makes such a mask of another one, or chooses by one.
    pub(crate) fn with_diagonal(&mut self, name: &str, bound: &Bound, result: &Value) -> Option<Value> {
        let Value::Tensor(made) = result else { return None };
        if name == "eye" {
            self.side_of_square(made)?;
            return Some(holding(made, Elements::of(Numbers::Diagonal { is_chosen: true })));
        }
        if let "__getitem__" | "masked_select" = name {
            return self.chosen_by_diagonal(bound, made);
        }
        let Value::Tensor(mask) = self.read(&bound.first()?.1) else { return None };
        let elements = mask.elements.as_ref()?;
        let Numbers::Diagonal { is_chosen } = *elements.drawn()? else { return None };
        let keeps_size = self.side_of_square(made)? == self.side_of_square(&mask)?;
        let is_bool = made.dtype == DType::Bool;
        match name {
            "to" | "cpu" | "cuda" | "bool" | "type" | "astype" | "detach" | "clone" | "contiguous" if keeps_size => {
                // What shares its memory with the mask is written to together with it.
                Some(holding(made, Rc::clone(elements)))
            }
            "__invert__" | "logical_not" | "bitwise_not" if keeps_size && is_bool => {
                Some(holding(made, Elements::of(Numbers::Diagonal { is_chosen: !is_chosen })))
            }
            "__eq__" | "eq" | "__ne__" | "ne" if keeps_size && is_bool => {
                let number = self.read(&bound.get(1)?.1).as_int().filter(|number| matches!(number, 0 | 1))?;
                let is_kept = name.contains("eq") == (number == 1);
                Some(holding(made, Elements::of(Numbers::Diagonal { is_chosen: is_chosen == is_kept })))
            }
            _ => None,
        }
    }

    fn chosen_by_diagonal(&mut self, bound: &Bound, made: &Rc<Tensor>) -> Option<Value> {
        let index = match self.read(&bound.get(1)?.1) {
            Value::Tuple(places) if places.len() == 1 => self.read(&places[0]),
            index => index,
        };
        let Value::Tensor(mask) = index else { return None };
        let Numbers::Diagonal { is_chosen } = *mask.elements.as_ref()?.drawn()? else { return None };
        let side = self.side_of_square(&mask).filter(|_| mask.dtype == DType::Bool)?;
        let mut dims = self.solver.resolve_shape(&made.shape).dims()?;
        *dims.first_mut()? = if is_chosen { side } else { side * side - side };
        Some(Value::Tensor(Rc::new(Tensor { shape: Shape::known(dims), elements: None, ..Tensor::clone(made) })))
    }

    /// The size of both dimensions of a square.
    fn side_of_square(&self, tensor: &Tensor) -> Option<Dim> {
        match self.solver.resolve_shape(&tensor.shape).dims()?[..] {
            [rows, columns] if rows == columns => Some(rows),
            _ => None,
        }
    }
}

fn holding(made: &Tensor, elements: Rc<Elements>) -> Value {
    Value::Tensor(Rc::new(Tensor { elements: Some(elements), ..Tensor::clone(made) }))
}
