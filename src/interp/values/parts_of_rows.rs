//! Which places of a row of known length a subscript takes.

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;

/// The places that a subscript takes.
pub(crate) struct PartOfRow {
    pub places: Vec<usize>,
    /// Whether it is one element and no row.
    pub is_scalar: bool,
}

impl PartOfRow {
    /// The items at these places.
    pub(crate) fn of<T: Copy>(&self, row: &[T]) -> Option<Vec<T>> {
        self.places.iter().map(|place| row.get(*place).copied()).collect()
    }
}

impl Interpreter<'_> {
    /// `row[2]` and `row[1:-1]`, also as `row[(2,)]`, where the bounds are known.
    pub(crate) fn part_of_row(&self, count: usize, index: &Value) -> Option<PartOfRow> {
        let index = match self.read(index) {
            Value::Tuple(places) if places.len() == 1 => self.read(&places[0]),
            index => index,
        };
        let length = i128::try_from(count).ok()?;
        if let Some(place) = index.as_int() {
            let place = i128::from(place);
            let place = usize::try_from(if place < 0 { place + length } else { place }).ok()?;
            return (place < count).then(|| PartOfRow { places: vec![place], is_scalar: true });
        }
        let Value::Slice(bounds) = &index else { return None };
        let [mut place, end, step] = self.slice_indices(bounds, length)?;
        let mut places = Vec::new();
        while if step > 0 { place < end } else { place > end } {
            places.push(usize::try_from(place).ok()?);
            place += step;
        }
        Some(PartOfRow { places, is_scalar: false })
    }

    /// Python's `slice.indices(count)`: where it begins and ends, and its step. `None` where not all of it is known.
    pub(crate) fn slice_indices(&self, bounds: &[Value; 3], count: i128) -> Option<[i128; 3]> {
        let given = bounds.each_ref().map(|bound| match self.read(bound) {
            Value::None => Some(None),
            bound => bound.as_int().map(|bound| Some(i128::from(bound))),
        });
        let [lower, upper, step] = given;
        let (lower, upper, step) = (lower?, upper?, step?.unwrap_or(1));
        if step == 0 {
            return None;
        }
        let (least, most) = if step > 0 { (0, count) } else { (-1, count - 1) };
        let place = |bound: i128| (if bound < 0 { bound + count } else { bound }).clamp(least, most);
        let (first, last) = if step > 0 { (least, most) } else { (most, least) };
        Some([lower.map_or(first, place), upper.map_or(last, place), step])
    }
}
