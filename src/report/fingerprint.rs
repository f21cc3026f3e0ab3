//! Names for findings that survive lines moving around them.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::sources::{Sources, line_around};

/// Gives every finding a fingerprint: a hash of rule, the file's path within its project, the text of its line without its spaces, and which
/// of the equal ones it is, also in files of several projects that have one path. Findings must be in their final order.
pub fn assign(findings: &mut [Finding], sources: &dyn Sources) {
    let mut seen: BTreeMap<(String, Vec<u8>, String), u32> = BTreeMap::new();
    for finding in findings {
        let span = finding.primary.span;
        let path = sources.project_path(span.file);
        let line = normalised_line(sources.text(span.file), span.start as usize);
        let occurrence = seen.entry((finding.rule.clone(), path.clone(), line.clone())).or_insert(0);
        let number = occurrence.to_string();
        let parts = [finding.rule.as_bytes(), &path, line.as_bytes(), number.as_bytes()];
        finding.fingerprint = format!("{:032x}", hash(&parts));
        *occurrence += 1;
    }
}

/// So many of a fingerprint's digits that no other of the findings is meant; eight mostly do.
pub fn prefix<'f>(finding: &'f Finding, findings: &[Finding]) -> &'f str {
    let own = finding.fingerprint.as_str();
    let others = findings.iter().map(|other| other.fingerprint.as_str()).filter(|other| *other != own);
    let shared = others.map(|other| own.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count());
    let digits = shared.max().map_or(8, |shared| (shared + 1).max(8));
    own.get(..digits).unwrap_or(own)
}

fn normalised_line(text: &str, offset: usize) -> String {
    text[line_around(text, offset)].split_whitespace().collect()
}

/// FNV-1a: fingerprints are stored by users, so the hash must not change with a library's version.
fn hash(parts: &[&[u8]]) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    // A zero byte between the parts keeps `a|bc` and `ab|c` apart.
    let bytes = parts.iter().flat_map(|part| part.iter().copied().chain([0]));
    bytes.fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::super::finding::{Label, Severity};
    use super::super::sources::MemorySources;
    use super::*;
    use crate::corpus::Span;

    fn fingerprints(text: &str, needles: &[usize]) -> Vec<String> {
        let mut sources = MemorySources::new();
        let file = sources.add("a.py", text);
        let mut findings: Vec<Finding> = needles
            .iter()
            .map(|start| {
                let label = Label::new(Span::new(file, *start as u32, *start as u32 + 1), "");
                Finding::new("shape/mismatch", Severity::Error, "message", label)
            })
            .collect();
        assign(&mut findings, &sources);
        findings.into_iter().map(|finding| finding.fingerprint).collect()
    }

    #[test]
    fn moved_and_reindented_lines_keep_their_fingerprint() {
        let before = fingerprints("f(x)\nf(x)\n", &[0, 5]);
        let after = fingerprints("import a\n\n  f( x )\nf(x)\n", &[12, 19]);
        assert_eq!(before, after);
        assert_ne!(before[0], before[1], "equal lines are told apart by their order");
    }

    #[test]
    fn prefixes_tell_findings_apart() {
        let named = |fingerprint: &str| {
            let label = Label::new(Span::new(crate::corpus::FileId(0), 0, 1), "");
            let finding = Finding::new("r", Severity::Error, "", label);
            Finding { fingerprint: fingerprint.to_owned(), ..finding }
        };
        let findings = [named("0123456789abcdef"), named("0123456789ffffff"), named("ffffffffffffffff")];
        assert_eq!(prefix(&findings[0], &findings), "0123456789a");
        assert_eq!(prefix(&findings[2], &findings), "ffffffff");
        assert_eq!(prefix(&named("12"), &[]), "12");
    }

    #[test]
    fn another_line_has_another_fingerprint() {
        assert_ne!(fingerprints("f(x)\n", &[0]), fingerprints("f(y)\n", &[0]));
    }
}
