//! Judges requirements at the defaults of the program's own settings: who starts the program as it stands sees it fail,
//! so that it is no condition that others might meet.

use crate::judge::alarms::Alarm;
use crate::state::interpreter::Interpreter;
use harp_shape::{Constraint, Outcome, Var, VarKind};
use harp_trace::assumption::AssumptionSet;

/// A condition that holds at the defaults.
pub(crate) struct AtDefaults {
    /// What the defaults come to, in words.
    pub note: String,
    /// That the settings have their defaults.
    pub assumptions: AssumptionSet,
}

impl Interpreter<'_> {
    /// Why an alarm that holds under conditions does so at the defaults of settings; `None` where it does not, or something else decides it.
    pub(crate) fn fails_at_defaults(&self, alarm: &Alarm<'_>) -> Option<AtDefaults> {
        let judged = alarm.judged;
        let wanted = (judged.outcome != Outcome::Violated).then_some(&judged.constraint);
        self.broken_at_defaults(wanted, alarm.counterexample.as_ref().map(|example| &example.condition))
    }

    /// Why something wanted is not so at the defaults of settings, on the path and under the condition that holds besides. Nothing wanted is what
    /// fails with any settings that lead here.
    pub(crate) fn broken_at_defaults(
        &self,
        wanted: Option<&Constraint>,
        besides: Option<&Constraint>,
    ) -> Option<AtDefaults> {
        if self.inference.is_some() || !self.loops.later_rounds.is_empty() {
            return None;
        }
        let mut conditions = Vec::new();
        for literal in self.path.iter().filter(|literal| !self.settled.contains(literal)) {
            let decision = self.decisions.get(literal.decision.0 as usize)?;
            if decision.is_blurred || !decision.ways.is_empty() {
                return None;
            }
            let constraint = decision.constraint.clone()?;
            conditions.push(if literal.taken { constraint } else { constraint.negated() });
        }
        conditions.extend(besides.cloned());
        let holds = |condition: &Constraint| condition.evaluate(&mut |var| self.value_at_default(var)) == Some(true);
        if conditions.is_empty() || !conditions.iter().all(holds) {
            return None;
        }
        let fails = wanted.is_none_or(|wanted| wanted.evaluate(&mut |var| self.value_at_default(var)) == Some(false));
        let settings: Vec<Var> = conditions.iter().flat_map(Constraint::variables).collect();
        let settings: Vec<Var> = settings.into_iter().filter(|var| var.kind() == VarKind::Config).collect();
        if !fails || settings.is_empty() {
            return None;
        }
        let mut values: Vec<String> = Vec::new();
        let mut assumptions = AssumptionSet::default();
        for var in settings {
            let value = format!("{} = {}", var.shown_name(), self.value_at_default(var)?);
            if !values.contains(&value) {
                values.push(value);
            }
            if let Some(id) = self.tables.variable_assumptions.get(&var) {
                assumptions = assumptions.with(*id);
            }
        }
        Some(AtDefaults { note: format!("fails at the default {}", values.join(" and ")), assumptions })
    }

    /// What a size is where settings are what they are by default.
    fn value_at_default(&self, var: Var) -> Option<i64> {
        if var.kind() == VarKind::Config {
            return var.default_value();
        }
        // The rest of a data set that its batches leave.
        let is_rest = |(.., rest): &&(_, _, harp_shape::Dim)| rest.as_var() == Some(var);
        let (samples, batch, _) = self.model_state.last_batches.iter().find(is_rest)?;
        samples
            .modulo(*batch)
            .evaluate(&mut |var| (var.kind() == VarKind::Config).then(|| var.default_value()).flatten())
    }
}
