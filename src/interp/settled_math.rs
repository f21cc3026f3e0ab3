//! Roots and logarithms of settings: no formula says what they are, but at the defaults they are known numbers.

use rustc_hash::FxHashMap;

use crate::interp::machine::Interpreter;
use crate::interp::ratios::whole_float;
use crate::interp::value::Value;
use crate::python::name::Name;
use crate::shape::{Dim, Var, VarInfo, VarKind};

/// Whole numbers that functions gave for settings, by function and argument.
#[derive(Debug, Default)]
pub struct SettledMath(FxHashMap<(Name, Dim), Dim>);

impl SettledMath {
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Interpreter<'_> {
    /// What a function gives for a number that settings alone decide, where that is whole at their defaults: a setting itself, whose default it is.
    pub(super) fn math_of_settings(&mut self, name: Name, number: Dim, function: fn(f64) -> f64) -> Option<Value> {
        let number = self.solver.resolve(number);
        let is_setting = |var: &Var| var.kind() == VarKind::Config && var.default_value().is_some();
        if self.inference.is_some() || number.as_const().is_some() || !number.vars().iter().all(is_setting) {
            return None;
        }
        if let Some(known) = self.settled_math.0.get(&(name, number)) {
            return Some(whole_float(*known));
        }
        let result = function(self.solver.at_default(number)? as f64);
        if result.fract() != 0.0 || !(0.0..1e9).contains(&result) {
            return None;
        }
        let info = VarInfo::config(&format!("{name}({number})"), result as i64).between(Some(0), None);
        let setting = Dim::var(Var::fresh(info));
        self.settled_math.0.insert((name, number), setting);
        Some(whole_float(setting))
    }
}
