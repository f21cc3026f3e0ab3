//! A list that mostly has no item or one, which then takes no memory of its own.

use std::ops::Deref;

/// Items in the order in which they came.
#[derive(Clone, Debug, Default)]
pub enum Few<T> {
    #[default]
    None,
    One(T),
    Many(Box<Vec<T>>),
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Few::None => &[],
            Few::One(item) => std::slice::from_ref(item),
            Few::Many(items) => items,
        }
    }
}

impl<'a, T> IntoIterator for &'a Few<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq> Few<T> {
    /// Adds an item unless it is there.
    pub fn add(&mut self, item: T) {
        if self.contains(&item) {
            return;
        }
        *self = match std::mem::take(self) {
            Few::None => Few::One(item),
            Few::One(first) => Few::Many(Box::new(vec![first, item])),
            Few::Many(mut items) => {
                items.push(item);
                Few::Many(items)
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_added_once_and_in_order() {
        let mut few = Few::default();
        assert!(few.is_empty());
        for item in [3, 1, 3, 2, 1] {
            few.add(item);
        }
        assert_eq!(*few, [3, 1, 2]);
    }
}
