//! Issues of data that an operation refuses whatever its shape: the largest of no elements, a tensor made of `None` or
//! of a text.

use crate::api::call_api::Bound;
use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_operations::operation::{Argument, Arguments, Judged};
use harp_python::name::Name;
use harp_shape::Dim;

/// Reductions that have no result for no elements, also where no dimension is named.
const OF_SOMETHING: [&str; 7] = ["amax", "amin", "aminmax", "argmax", "argmin", "max", "min"];
/// The same only along a dimension: of everything they give NaN.
const OF_SOMETHING_ALONG: [&str; 2] = ["median", "nanmedian"];
/// Nested sequences are looked into so far down, and at so many items.
const DEEPEST: usize = 4;
const MOST_ITEMS: usize = 64;

impl Interpreter<'_> {
    /// Judges what an operation asks of its operands besides their shapes.
    pub(crate) fn refuse_data(&mut self, api: Name, bound: &Bound, arguments: &Arguments, judged: &mut Vec<Judged>) {
        let short = api.as_str().rsplit('.').next().unwrap_or_default();
        let found = match short {
            "Dropout"
            | "Dropout1d"
            | "Dropout2d"
            | "Dropout3d"
            | "AlphaDropout"
            | "FeatureAlphaDropout"
            | "dropout"
            | "dropout1d"
            | "dropout2d"
            | "dropout3d"
            | "alpha_dropout"
            | "feature_alpha_dropout"
                if self.is_of_tensors(api) =>
            {
                no_probability(api.as_str(), arguments)
            }
            "tensor" | "as_tensor" if self.is_of_tensors(api) => self.no_data(short, bound),
            _ => self.nothing_to_reduce(api, short, arguments),
        };
        if let Some((message, operand)) = found {
            let operands = vec![operand.into()];
            judged.push(Judged::violated(message, operands));
        }
    }

    /// A dimension without elements along which the largest is asked for (or all of them, where no dimension is named).
    fn nothing_to_reduce(&self, api: Name, short: &str, arguments: &Arguments) -> Option<(String, String)> {
        let of_all = OF_SOMETHING.contains(&short);
        if !of_all && short != "mode" && !OF_SOMETHING_ALONG.contains(&short) {
            return None;
        }
        let is_array = self.is_of_arrays(api);
        if !is_array && !self.is_of_tensors(api) || is_array && short == "mode" {
            return None;
        }
        let name = ["input", "self", "a"].into_iter().find(|name| arguments.tensor(name).is_some())?;
        let has_start = !matches!(arguments.get("initial"), None | Some(Argument::Unknown | Argument::None));
        let dims = self.solver.resolve_shape(&arguments.tensor(name)?.shape).dims()?;
        let is_empty = |dim: &Dim| dim.as_const() == Some(0);
        if has_start || !dims.iter().any(is_empty) {
            return None;
        }
        let along = match ["dim", "axis"].into_iter().find_map(|name| arguments.get(name)) {
            None | Some(Argument::None) if short == "mode" => vec![-1],
            None | Some(Argument::None) if of_all => Vec::new(),
            Some(Argument::Sequence(items)) => {
                items.iter().map(|item| item.as_dim()?.as_const()).collect::<Option<Vec<i64>>>()?
            }
            Some(argument) => vec![argument.as_dim()?.as_const()?],
            None => return None,
        };
        let rank = i64::try_from(dims.len()).ok()?;
        let places: Vec<usize> = along
            .iter()
            .map(|dim| usize::try_from(if *dim < 0 { dim + rank } else { *dim }).ok())
            .collect::<Option<_>>()?;
        let is_meant = |place: usize| places.is_empty() || places.contains(&place);
        let empty =
            dims.iter().enumerate().find(|(place, dim)| is_meant(*place) && is_empty(dim)).map(|(place, _)| place)?;
        // NumPy looks for no largest element where there is no result.
        let has_result =
            dims.iter().enumerate().all(|(place, dim)| is_meant(place) || dim.as_const().is_some_and(|it| it > 0));
        if is_array && !has_result {
            return None;
        }
        Some((format!("`{short}` of no elements: dimension {empty} of `{name}` has size 0"), name.to_owned()))
    }

    /// What is no number, and makes no tensor.
    fn no_data(&self, short: &str, bound: &Bound) -> Option<(String, String)> {
        let (name, value) = bound.iter().find(|(name, _)| name.as_str() == "data")?;
        let what = self.item_without_number(value, DEEPEST)?;
        Some((format!("`{short}` makes no tensor of {what}"), name.to_string()))
    }

    fn item_without_number(&self, value: &Value, depth: usize) -> Option<&'static str> {
        let is_whole = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        match self.read(value) {
            Value::None if is_whole && !self.may_be_given() => Some("`None`"),
            Value::Str(_) if is_whole && !self.hooks.plain_members && self.entry.not_understood.is_empty() => {
                Some("a text")
            }
            Value::Tuple(items) if depth > 0 => self.first_without_number(&items, depth),
            Value::List(id) if depth > 0 && self.entry.not_understood.is_empty() => {
                let data = self.heap.list(id).filter(|data| data.rest.is_none())?;
                self.first_without_number(&data.items, depth)
            }
            _ => None,
        }
    }

    fn first_without_number(&self, items: &[Value], depth: usize) -> Option<&'static str> {
        items.iter().take(MOST_ITEMS).find_map(|item| self.item_without_number(item, depth - 1))
    }
}

/// A probability outside of 0 to 1. Of an integer the annotation says the same.
fn no_probability(api: &str, arguments: &Arguments) -> Option<(String, String)> {
    // A layer is refused where it is made, and not once more where it is called.
    let is_layer_called = arguments.get("input").is_some() && !api.contains(".functional.");
    match arguments.get("p") {
        Some(Argument::Float(Some(p))) if !is_layer_called => {
            let message = format!("`p` must be a probability from 0 to 1, got {p}");
            (!(0.0..=1.0).contains(p) && !p.is_nan()).then(|| (message, "p".to_owned()))
        }
        _ => None,
    }
}
