//! `*` and `?` in the names of files and folders to read.

/// Whether a name fits a pattern, in which `*` stands for any characters and `?` for one. After a mismatch, only the last `*` can have taken too little, so that
/// it takes no longer than the product of both lengths.
pub fn name_fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    // Behind the last `*`, and how far it reached.
    let mut star = None;
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, read));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || *wanted == name[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((behind, taken)) = star else { return false };
                star = Some((behind, taken + 1));
                (at, read) = (behind, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::name_fits;

    #[test]
    fn wildcards_stand_for_characters() {
        for (pattern, name, fits) in [
            ("a.py", "a.py", true),
            ("a?c*e.md", "abcde.md", true),
            ("a?c.md", "ac.md", false),
            ("n?t.py", "nät.py", true),
            ("*", "", true),
            ("[a]", "a", false),
            ("*a*a*a*", &"a".repeat(40), true),
            (&format!("{}b", "*a".repeat(40)), &"a".repeat(200), false),
        ] {
            assert_eq!(name_fits(pattern, name), fits, "{pattern} {name}");
        }
    }
}
