//! Lists in the trace's records that mostly have no item or one, and then take no memory of their own.

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

impl<T> From<Vec<T>> for Few<T> {
    fn from(mut items: Vec<T>) -> Few<T> {
        match (items.len(), items.pop()) {
            (1, Some(item)) => Few::One(item),
            (_, Some(item)) => {
                items.push(item);
                items.shrink_to_fit();
                Few::Many(Box::new(items))
            }
            (_, None) => Few::None,
        }
    }
}

impl<T> Extend<T> for Few<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T: PartialEq> Few<T> {
    /// Adds an item unless it is there.
    pub fn add(&mut self, item: T) {
        if !self.contains(&item) {
            self.push(item);
        }
    }
}

impl<T> Few<T> {
    pub fn push(&mut self, item: T) {
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

    #[test]
    fn lists_become_few() {
        assert!(Few::<u8>::from(Vec::new()).is_empty());
        assert!(matches!(Few::from(vec![7]), Few::One(7)));
        let mut few = Few::from(vec![3, 1]);
        few.extend([3]);
        assert_eq!(*few, [3, 1, 3]);
    }
}
