//! Ranges of whole numbers, with arithmetic that errs on the wide side.

/// Beyond this a bound counts as infinite; all 64-bit numbers and their pairwise products are below it.
const INFINITE: i128 = 1 << 126;

/// All whole numbers from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Interval {
    low: i128,
    high: i128,
}

impl Interval {
    pub const ALL: Interval = Interval { low: -INFINITE, high: INFINITE };

    pub fn between(low: Option<i64>, high: Option<i64>) -> Interval {
        let low = match low {
            None | Some(i64::MIN) => -INFINITE,
            Some(low) => i128::from(low),
        };
        Interval { low, high: high.map_or(INFINITE, i128::from) }
    }

    pub fn at_least(low: i64) -> Interval {
        Interval::between(Some(low), None)
    }

    pub fn point(value: i64) -> Interval {
        Interval::between(Some(value), Some(value))
    }

    /// A lower bound, the greatest that 64 bits hold.
    pub fn low(self) -> Option<i64> {
        if self.low > i128::from(i64::MAX) { Some(i64::MAX) } else { i64::try_from(self.low).ok() }
    }

    /// An upper bound, the least that 64 bits hold.
    pub fn high(self) -> Option<i64> {
        if self.high < i128::from(i64::MIN) { Some(i64::MIN) } else { i64::try_from(self.high).ok() }
    }

    pub fn contains(self, value: i64) -> bool {
        self.low <= i128::from(value) && i128::from(value) <= self.high
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub fn is_at_least(self, value: i64) -> bool {
        self.low >= i128::from(value)
    }

    pub fn is_at_most(self, value: i64) -> bool {
        self.high <= i128::from(value)
    }

    pub fn intersect(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    pub fn add(self, other: Interval) -> Interval {
        Interval { low: add(self.low, other.low, -INFINITE), high: add(self.high, other.high, INFINITE) }
    }

    pub fn multiply(self, other: Interval) -> Interval {
        let corners = [
            multiply(self.low, other.low),
            multiply(self.low, other.high),
            multiply(self.high, other.low),
            multiply(self.high, other.high),
        ];
        Interval::hull(&corners)
    }

    /// The range of `self // divisor`, Python's floor division.
    pub fn floor_divide(self, divisor: Interval) -> Interval {
        if divisor.high < 0 {
            return self.negate().floor_divide(divisor.negate());
        }
        if divisor.low < 1 {
            return Interval::ALL;
        }
        let corners = [
            floor_divide(self.low, divisor.low),
            floor_divide(self.low, divisor.high),
            floor_divide(self.high, divisor.low),
            floor_divide(self.high, divisor.high),
        ];
        Interval::hull(&corners)
    }

    /// The range of `self % divisor`, Python's modulo.
    pub fn modulo(self, divisor: Interval) -> Interval {
        if divisor.high < 0 {
            // A remainder has the sign of its divisor.
            return self.negate().modulo(divisor.negate()).negate();
        }
        if divisor.low < 1 {
            return Interval::ALL;
        }
        let high = if divisor.high >= INFINITE { INFINITE } else { divisor.high - 1 };
        // A number that is not negative never grows by taking a remainder.
        let high = if self.low >= 0 { high.min(self.high) } else { high };
        Interval { low: 0, high }
    }

    fn negate(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }

    pub fn minimum(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    pub fn maximum(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    fn hull(values: &[i128]) -> Interval {
        let low = values.iter().copied().min().unwrap_or(-INFINITE);
        let high = values.iter().copied().max().unwrap_or(INFINITE);
        Interval { low, high }
    }
}

fn clamp(value: i128) -> i128 {
    value.clamp(-INFINITE, INFINITE)
}

fn is_infinite(value: i128) -> bool {
    value.abs() >= INFINITE
}

/// A sum of bounds; an infinite part makes it `infinite`, which is on the side of the bound.
fn add(left: i128, right: i128, infinite: i128) -> i128 {
    if is_infinite(left) || is_infinite(right) {
        // An infinite bound of the other sign arises only in an empty or absurd range; the wide answer is safe.
        return infinite;
    }
    clamp(left.saturating_add(right))
}

fn multiply(left: i128, right: i128) -> i128 {
    if left == 0 || right == 0 {
        return 0;
    }
    clamp(left.saturating_mul(right))
}

/// `divisor` is at least 1.
fn floor_divide(value: i128, divisor: i128) -> i128 {
    if is_infinite(value) {
        return value;
    }
    if is_infinite(divisor) {
        return if value < 0 { -1 } else { 0 };
    }
    value.div_euclid(divisor.max(1))
}
