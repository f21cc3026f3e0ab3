//! Abstract values of roots and logarithms of settings: no formula says what they are, but at the defaults they are
//! known numbers.

use rustc_hash::FxHashMap;

use crate::state::interpreter::Interpreter;
use crate::values::size_fractions::whole_float;
use crate::values::value::Value;
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Var, VarInfo, VarKind};

/// Whole numbers that functions gave for settings, by function and argument.
#[derive(Debug, Default)]
pub struct SettledMath {
    results: FxHashMap<(Name, Dim), Dim>,
    /// By a number and what settings add to a constant in its exponent: that constant, and the power.
    powers: FxHashMap<(i64, Dim), (i64, Dim)>,
}

/// Powers are written as products with smaller ones, down to this exponent less.
const SMALLER_EXPONENTS: i64 = 8;

impl SettledMath {
    pub fn clear(&mut self) {
        self.results.clear();
        self.powers.clear();
    }
}

impl Interpreter<'_> {
    /// What a function gives for a number that settings alone decide, where that is whole at their defaults: a setting itself, whose default it is.
    pub(crate) fn math_of_settings(&mut self, name: Name, number: Dim, function: fn(f64) -> f64) -> Option<Value> {
        let number = self.of_settings(number)?;
        if let Some(known) = self.sizes.settled_math.results.get(&(name, number)) {
            return Some(whole_float(*known));
        }
        let result = function(self.solver.at_default(number)? as f64);
        if result.fract() != 0.0 || !(0.0..1e9).contains(&result) {
            return None;
        }
        let info = VarInfo::config(&format!("{name}({number})"), result as i64).between(Some(0), None);
        let setting = Dim::var(Var::fresh(info));
        self.sizes.settled_math.results.insert((name, number), setting);
        Some(whole_float(setting))
    }

    /// `base ** exponent`, where settings alone decide the exponent. `2 ** n` and `2 ** (n - 1)` are multiples of one number.
    pub(crate) fn power_of_settings(&mut self, base: i64, exponent: Dim) -> Option<Dim> {
        let exponent = self.of_settings(exponent)?;
        let default = self.solver.at_default(exponent)?;
        if !(2..=1_000).contains(&base) || !(0..=62).contains(&default) {
            return None;
        }
        let power = |exponent: i64| u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent));
        let (variable, constant) = exponent.split_constant();
        let known = self.sizes.settled_math.powers.get(&(base, variable)).copied();
        if let Some((smallest, number)) = known
            && let Some(factor) = power(constant - smallest)
        {
            return Some(number * Dim::constant(factor));
        }
        let less = default.min(SMALLER_EXPONENTS);
        let smallest = exponent - Dim::constant(less);
        let info = VarInfo::config(&format!("{base}**({smallest})"), power(default - less)?).between(Some(1), None);
        let number = Dim::var(Var::fresh(info));
        self.sizes.settled_math.powers.insert((base, variable), (constant - less, number));
        Some(number * Dim::constant(power(less)?))
    }

    /// What a function was asked for whose result a setting stands for.
    pub(crate) fn argument_of_settled_math(&self, result: Var) -> Option<Dim> {
        let is_it = |dim: &Dim| dim.as_var() == Some(result);
        self.sizes.settled_math.results.iter().find(|(_, dim)| is_it(dim)).map(|((_, argument), _)| *argument)
    }

    /// Where a setting became a known number, so do the powers of it.
    pub(crate) fn settle_powers(&mut self) {
        if self.sizes.settled_math.powers.is_empty() {
            return;
        }
        let settled = |((base, variable), (smallest, number)): (&(i64, Dim), &(i64, Dim))| {
            let exponent = self.solver.resolve(*variable).as_const()?.checked_add(*smallest)?;
            Some((*number, Dim::constant(base.checked_pow(u32::try_from(exponent).ok()?)?)))
        };
        let mut known: Vec<(Dim, Dim)> = self.sizes.settled_math.powers.iter().filter_map(settled).collect();
        known.retain(|(number, value)| self.solver.resolve(*number) != *value);
        known.sort_unstable();
        for (number, value) in known {
            self.solver.assume(&Constraint::Equal(number, value));
        }
    }

    /// A number that settings with defaults decide, and nothing else.
    fn of_settings(&self, number: Dim) -> Option<Dim> {
        let number = self.solver.resolve(number);
        let is_setting = |var: &Var| var.kind() == VarKind::Config && var.default_value().is_some();
        let is_free = self.inference.is_none() && number.as_const().is_none();
        (is_free && number.vars().iter().all(is_setting)).then_some(number)
    }
}
