//! Suggests to the author of a rule the known name that a misspelt one most likely meant.

/// The candidate with the fewest edits, where these are few for the length of the name.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match name.chars().count() {
        0 | 1 => 0,
        length => (length / 3).clamp(1, 3),
    };
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (distance(name, candidate, allowed), candidate))
        .filter(|(edits, _)| *edits <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours; more than `most` where the lengths alone make it so.
fn distance(left: &str, right: &str, most: usize) -> usize {
    let difference = left.chars().count().abs_diff(right.chars().count());
    if difference > most { difference } else { strsim::osa_distance(&left.to_lowercase(), &right.to_lowercase()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["inside", "call", "mutated_in", "varies"];
        assert_eq!(nearest("insdie", names), Some("inside"));
        assert_eq!(nearest("mutatedin", names), Some("mutated_in"));
        assert_eq!(nearest("calls", names), Some("call"));
        assert_eq!(nearest("tensor", names), None);
    }
}
