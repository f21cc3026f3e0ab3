//! Loads library packs with those that they need: the key `needs` of a manifest.

use std::ops::Range;

use harp_builtin::PACKS;
use harp_corpus::NamedPath;
use harp_report::{UserError, closest};

use super::Packs;
use super::files::Files;
use crate::pack_tests::is_library_pack;

/// No more packs are looked for than this.
const MOST_PACKS: usize = 64;

/// That a pack needs another one.
#[derive(Clone, Debug)]
pub(super) struct Need {
    pub pack: String,
    pub needed: String,
    /// The manifest that says so, its text, and where in it.
    pub path: String,
    pub text: String,
    pub range: (usize, usize),
}

impl Need {
    fn error(&self, message: String) -> UserError {
        let range: Range<usize> = self.range.0..self.range.1;
        UserError::new(message).at(self.path.clone(), self.text.clone(), range, "")
    }
}

/// What is wrong with what packs need: a pack that is neither given nor built in, or one that needs the pack that needs it.
pub(super) fn unmet(needs: &[Need], given: &[String]) -> Vec<UserError> {
    let mut errors = Vec::new();
    for need in needs {
        let is_given = given.contains(&need.needed);
        if !is_given && !PACKS.contains(&need.needed.as_str()) {
            let known = given.iter().map(String::as_str).filter(|name| *name != need.pack).chain(PACKS);
            let message = format!("`{}` needs the library pack `{}`, which is not given", need.pack, need.needed);
            errors.push(need.error(message).hint(match closest(&need.needed, known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "name its folder, too: `--annotations PATH`, or `annotations` in the configuration".to_owned(),
            }));
        } else if is_given && leads_to(needs, &need.needed, &need.pack) {
            let message = match need.needed == need.pack {
                true => format!("`{}` needs itself", need.pack),
                false => format!("`{}` needs `{}`, which needs `{}`", need.pack, need.needed, need.pack),
            };
            errors.push(need.error(message));
        }
    }
    errors
}

/// Whether a pack is another one, or needs it, itself or by what it needs.
fn leads_to(needs: &[Need], from: &str, to: &str) -> bool {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(pack) = reached.get(next).copied() {
        if pack == to {
            return true;
        }
        next += 1;
        for need in needs.iter().filter(|need| need.pack == pack) {
            if !reached.contains(&need.needed.as_str()) {
                reached.push(&need.needed);
            }
        }
    }
    false
}

/// A pack with those that it needs, as far as they lie beside it under their names.
pub(crate) fn with_needed(pack: &NamedPath) -> Vec<NamedPath> {
    let mut paths = vec![pack.clone()];
    loop {
        let packs = Packs::of(&Files::read(&paths));
        let is_missing = |need: &&Need| !packs.names.contains(&need.needed) && !PACKS.contains(&need.needed.as_str());
        let beside = packs.needs.iter().filter(is_missing).filter_map(|need| pack.beside(&need.needed).ok());
        let found: Vec<NamedPath> = beside.filter(|path| !paths.contains(path) && is_library_pack(path)).collect();
        let Some(new) = found.into_iter().next().filter(|_| paths.len() < MOST_PACKS) else { return paths };
        paths.push(new);
    }
}
