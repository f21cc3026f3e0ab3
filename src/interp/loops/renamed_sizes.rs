//! Sizes that differ from one iteration to the next by their names alone: a loop that draws its batches anew leaves tensors of sizes behind of
//! which as much is known as of those before.

use rustc_hash::FxHashMap;

use harp_shape::{Dim, Remembered, Var, VarInfo, VarKind};

/// Which variable of the iteration that ended stands where one of the iteration before stood.
#[derive(Debug, Default)]
pub(crate) struct Renaming {
    to: FxHashMap<Var, Var>,
    from: FxHashMap<Var, Var>,
}

impl Renaming {
    /// Whether two numbers are the same but for the names of variables that were made since a moment, each for another one throughout.
    pub fn makes_same(&mut self, old: Dim, new: Dim, since: Remembered) -> bool {
        let (before, after) = (old.vars(), new.vars());
        let is_made = |variable: &Var| !since.has(*variable);
        if before.len() != after.len() || !old.shape_vars().is_empty() || !new.shape_vars().is_empty() {
            return false;
        }
        // Variables are told in the order of their making, which is the same in each iteration.
        let mut pairs: Vec<(Var, Var)> = Vec::with_capacity(before.len());
        for (one, other) in before.into_iter().zip(after) {
            if one == other || pairs.contains(&(one, other)) {
                continue;
            }
            if !is_made(&one) || !is_made(&other) || !is_alike(&one.info(), &other.info()) {
                return false;
            }
            let fits =
                |known: &FxHashMap<Var, Var>, key: Var, value: Var| known.get(&key).is_none_or(|it| *it == value);
            if !fits(&self.to, one, other) || !fits(&self.from, other, one) {
                return false;
            }
            pairs.push((one, other));
        }
        let renamed = old.substitute(&mut |variable| {
            pairs.iter().find(|(one, _)| *one == variable).map(|(_, other)| Dim::var(*other))
        });
        if renamed != new {
            return false;
        }
        for (one, other) in pairs {
            self.to.insert(one, other);
            self.from.insert(other, one);
        }
        true
    }
}

/// Whether as much is known of one variable as of another; settings are what their users say.
fn is_alike(one: &VarInfo, other: &VarInfo) -> bool {
    one.kind != VarKind::Config && one == other
}
