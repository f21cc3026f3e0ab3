//! The known name that a misspelt one most likely meant.

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

/// Insertions, deletions, replacements and swaps of neighbours; anything above `most` may come out as more than `most`.
fn distance(left: &str, right: &str, most: usize) -> usize {
    let left: Vec<char> = left.to_lowercase().chars().collect();
    let right: Vec<char> = right.to_lowercase().chars().collect();
    if left.len().abs_diff(right.len()) > most {
        return most + 1;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for row in 1..=left.len() {
        let mut current = vec![row];
        for column in 1..=right.len() {
            let replaced = above[column - 1] + usize::from(left[row - 1] != right[column - 1]);
            let mut best = replaced.min(above[column] + 1).min(current[column - 1] + 1);
            let swapped =
                row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1];
            if swapped {
                best = best.min(before[column - 2] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
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
