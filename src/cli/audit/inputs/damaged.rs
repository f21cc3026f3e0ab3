//! Libraries that read tables panic at some damaged ones: that is a mistake of the input, and not of Harp.

use std::panic::resume_unwind;

use harp_limits::{Stopped, contained_reading};

/// What is said of an input at which a library panics.
const DAMAGED: &str = "it is damaged";

/// What a library makes of an input, where that is whole.
pub(in crate::audit) fn read<T, E>(
    work: impl FnOnce() -> Result<T, E>,
    wrong: impl Fn(&dyn std::fmt::Display) -> E,
) -> Result<T, E> {
    contained_reading(work).unwrap_or_else(|stopped| match stopped {
        Stopped::Ceiling(ceiling) => resume_unwind(Box::new(ceiling)),
        Stopped::Defect(_) => Err(wrong(&DAMAGED)),
    })
}

/// The same for rows that a library reads when they are asked for. None comes after a mistake.
pub(in crate::audit) fn rows<T, E>(
    mut rows: impl Iterator<Item = Result<T, E>>,
    wrong: impl Fn(&dyn std::fmt::Display) -> E,
) -> impl Iterator<Item = Result<T, E>> {
    let mut is_over = false;
    std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let row = read(|| rows.next().transpose(), &wrong).transpose();
        is_over = !matches!(row, Some(Ok(_)));
        row
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_damaged_input() {
        let wrong = |what: &dyn std::fmt::Display| what.to_string();
        assert_eq!(read(|| Ok(1), wrong), Ok(1));
        assert_eq!(read(|| -> Result<u8, String> { panic!("index out of bounds") }, wrong), Err(DAMAGED.to_owned()));
        let numbers = (0..5).map(|number| Ok(10 / (2 - number)));
        let numbers: Vec<Result<i32, String>> = rows(numbers, wrong).collect();
        assert_eq!(numbers, [Ok(5), Ok(10), Err(DAMAGED.to_owned())]);
    }
}
