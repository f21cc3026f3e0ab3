//! Whether linear constraints over whole numbers contradict each other: equations are solved, then variables are eliminated one by one
//! (Fourier and Motzkin), and every inequality is divided by what its coefficients have in common and rounded.
//!
//! It says "contradiction" only where there is one. Rounding does not see every contradiction of whole numbers.

use super::polynomial::greatest_common_divisor;

/// More inequalities than this at a time are not combined.
const MAX_ROWS: usize = 160;

/// `terms + constant`, where each term is a column and its coefficient; sorted, without zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    terms: Vec<(u32, i64)>,
    constant: i64,
}

/// Numbers that are 0, and numbers that are not negative.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    zero: Vec<Row>,
    non_negative: Vec<Row>,
}

/// What a row says by itself.
enum Reduced {
    Contradiction,
    Nothing,
    Row(Row),
}

impl Row {
    /// The terms in any order; no column twice.
    pub fn new(mut terms: Vec<(u32, i64)>, constant: i64) -> Row {
        terms.retain(|(_, coefficient)| *coefficient != 0);
        terms.sort_unstable();
        Row { terms, constant }
    }

    fn coefficient(&self, column: u32) -> i64 {
        self.terms.binary_search_by_key(&column, |(other, _)| *other).map_or(0, |index| self.terms[index].1)
    }

    /// `self * a + other * b`; `None` where that needs more than 64 bits.
    fn combine(&self, a: i64, other: &Row, b: i64) -> Option<Row> {
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        loop {
            let column = match (left.peek(), right.peek()) {
                (Some((x, _)), Some((y, _))) => *x.min(y),
                (Some((x, _)), None) | (None, Some((x, _))) => *x,
                (None, None) => break,
            };
            let take = |side: &mut std::iter::Peekable<std::slice::Iter<(u32, i64)>>, factor: i64| {
                side.next_if(|(other, _)| *other == column).map_or(Some(0), |(_, value)| value.checked_mul(factor))
            };
            let sum = take(&mut left, a)?.checked_add(take(&mut right, b)?)?;
            if sum != 0 {
                terms.push((column, sum));
            }
        }
        let constant = self.constant.checked_mul(a)?.checked_add(other.constant.checked_mul(b)?)?;
        Some(Row { terms, constant })
    }

    fn common(&self) -> i64 {
        let fold =
            |divisor, (_, coefficient): &(u32, i64)| greatest_common_divisor(divisor, coefficient.unsigned_abs());
        i64::try_from(self.terms.iter().fold(0, fold)).unwrap_or(1)
    }

    fn divided(mut self, divisor: i64) -> Row {
        self.terms.iter_mut().for_each(|(_, coefficient)| *coefficient /= divisor);
        self.constant = self.constant.div_euclid(divisor);
        self
    }

    fn reduced_zero(self) -> Reduced {
        let common = self.common();
        match common {
            0 if self.constant != 0 => Reduced::Contradiction,
            0 => Reduced::Nothing,
            _ if self.constant % common != 0 => Reduced::Contradiction,
            _ => Reduced::Row(self.divided(common)),
        }
    }

    fn reduced_non_negative(self) -> Reduced {
        match self.common() {
            0 if self.constant < 0 => Reduced::Contradiction,
            0 => Reduced::Nothing,
            common => Reduced::Row(self.divided(common)),
        }
    }
}

impl System {
    pub fn require_zero(&mut self, row: Row) {
        self.zero.push(row);
    }

    pub fn require_non_negative(&mut self, row: Row) {
        self.non_negative.push(row);
    }

    /// Whether no whole numbers satisfy it. `false` means "not found". Takes what it does from `work`.
    pub fn contradicts(mut self, work: &mut u32) -> bool {
        while let Some(row) = self.zero.pop() {
            let row = match row.reduced_zero() {
                Reduced::Contradiction => return true,
                Reduced::Nothing => continue,
                Reduced::Row(row) => row,
            };
            // A coefficient of 1 keeps whole numbers whole.
            let Some(&(column, pivot)) = row.terms.iter().min_by_key(|(_, coefficient)| coefficient.unsigned_abs())
            else {
                continue;
            };
            substitute(&mut self.zero, &row, (column, pivot), work);
            substitute(&mut self.non_negative, &row, (column, pivot), work);
        }
        eliminate(self.non_negative, work)
    }
}

/// Takes a column out of rows by an equation that has it. A row for which that needs more than 64 bits is dropped.
fn substitute(rows: &mut Vec<Row>, equation: &Row, (column, pivot): (u32, i64), work: &mut u32) {
    let take_out = |row: Row| {
        let coefficient = row.coefficient(column);
        if coefficient == 0 {
            return Some(row);
        }
        *work = work.saturating_sub(1);
        let common = i64::try_from(greatest_common_divisor(coefficient.unsigned_abs(), pivot.unsigned_abs())).ok()?;
        // The row's own factor must be positive, for its sign counts.
        let factor = (pivot / common).checked_abs()?;
        row.combine(factor, equation, (coefficient / common).checked_mul(-pivot.signum())?)
    };
    *rows = std::mem::take(rows).into_iter().filter_map(take_out).collect();
}

fn eliminate(rows: Vec<Row>, work: &mut u32) -> bool {
    let Some(mut rows) = tightest(rows) else { return true };
    while *work > 0 {
        let Some(column) = cheapest_column(&rows) else { return false };
        let (with, mut rest): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.coefficient(column) != 0);
        let (positive, negative): (Vec<Row>, Vec<Row>) = with.into_iter().partition(|row| row.coefficient(column) > 0);
        if rest.len() + positive.len() * negative.len() > MAX_ROWS {
            return false;
        }
        for lower in &positive {
            for upper in &negative {
                *work = work.saturating_sub(1);
                let (a, b) = (lower.coefficient(column), upper.coefficient(column));
                let common = greatest_common_divisor(a.unsigned_abs(), b.unsigned_abs());
                let Ok(common) = i64::try_from(common) else { continue };
                let Some(factor) = (b / common).checked_abs() else { continue };
                rest.extend(lower.combine(factor, upper, a / common));
            }
        }
        rows = match tightest(rest) {
            Some(rows) => rows,
            None => return true,
        };
    }
    false
}

/// Of rows with the same terms the strictest, rounded, in the order of their terms; `None` for a contradiction.
fn tightest(rows: Vec<Row>) -> Option<Vec<Row>> {
    let mut strictest: Vec<Row> = Vec::with_capacity(rows.len());
    for row in rows {
        match row.reduced_non_negative() {
            Reduced::Contradiction => return None,
            Reduced::Nothing => {}
            Reduced::Row(row) => strictest.push(row),
        }
    }
    strictest.sort_unstable_by(|one, other| one.terms.cmp(&other.terms).then(one.constant.cmp(&other.constant)));
    strictest.dedup_by(|later, kept| later.terms == kept.terms);
    Some(strictest)
}

/// The column whose elimination leaves the fewest rows; of several the first.
fn cheapest_column(rows: &[Row]) -> Option<u32> {
    // By column: how many coefficients are negative and positive.
    let mut counts: Vec<[usize; 2]> = Vec::new();
    for (column, coefficient) in rows.iter().flat_map(|row| &row.terms) {
        let column = *column as usize;
        if counts.len() <= column {
            counts.resize(column + 1, [0, 0]);
        }
        counts[column][usize::from(*coefficient > 0)] += 1;
    }
    let occurring = counts.into_iter().enumerate().filter(|(_, count)| *count != [0, 0]);
    let (column, _) = occurring.min_by_key(|(_, [negative, positive])| negative * positive)?;
    u32::try_from(column).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradicts(zero: &[(&[(u32, i64)], i64)], non_negative: &[(&[(u32, i64)], i64)]) -> bool {
        let mut system = System::default();
        zero.iter().for_each(|(terms, constant)| system.require_zero(Row::new(terms.to_vec(), *constant)));
        non_negative
            .iter()
            .for_each(|(terms, constant)| system.require_non_negative(Row::new(terms.to_vec(), *constant)));
        system.contradicts(&mut 1_000)
    }

    #[test]
    fn chains_of_bounds_contradict() {
        // x <= y, y <= z, z <= x - 1
        assert!(contradicts(&[], &[(&[(0, -1), (1, 1)], 0), (&[(1, -1), (2, 1)], 0), (&[(2, -1), (0, 1)], -1)]));
        assert!(!contradicts(&[], &[(&[(0, -1), (1, 1)], 0), (&[(1, -1), (2, 1)], 0), (&[(2, -1), (0, 1)], 0)]));
    }

    #[test]
    fn whole_numbers_are_rounded() {
        // 2*x == 2*y + 1
        assert!(contradicts(&[(&[(0, 2), (1, -2)], -1)], &[]));
        // 1 <= 4*x - 4*y <= 3
        assert!(contradicts(&[], &[(&[(0, 4), (1, -4)], -1), (&[(0, -4), (1, 4)], 3)]));
        assert!(!contradicts(&[], &[(&[(0, 4), (1, -4)], -1), (&[(0, -4), (1, 4)], 4)]));
    }

    #[test]
    fn equations_are_solved() {
        // x == 3*y, 2*x == z, z <= 6*y - 1
        assert!(contradicts(&[(&[(0, 1), (1, -3)], 0), (&[(0, 2), (2, -1)], 0)], &[(&[(2, -1), (1, 6)], -1)]));
        assert!(!contradicts(&[(&[(0, 1), (1, -3)], 0), (&[(0, 2), (2, -1)], 0)], &[(&[(2, -1), (1, 6)], 0)]));
    }

    #[test]
    fn extreme_coefficients_say_nothing() {
        let (low, high) = (i64::MIN, i64::MAX);
        assert!(!contradicts(&[(&[(0, low), (1, high)], low)], &[(&[(0, high), (1, low)], high), (&[(0, low)], high)]));
    }
}
