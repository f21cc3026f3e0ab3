//! Names for findings that survive lines moving around them.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::sources::Sources;
use harp_corpus::FileId;

/// Gives every finding a fingerprint: a hash of rule, the file's path within its project, the text of its line without its spaces, and which
/// of the equal ones it is, also in files of several projects that have one path. Findings must be in their final order.
pub fn assign(findings: &mut [Finding], sources: &dyn Sources) {
    let mut groups = Groups::default();
    for finding in findings {
        let group = groups.of(finding, sources);
        finding.fingerprint = format!("{:032x}", group.hash.with(group.findings.to_string().as_bytes()).0);
        group.findings += 1;
    }
}

/// The findings of one rule on equal lines of equal paths.
struct Group {
    /// Of rule, path and line.
    hash: Hash,
    /// How many of them have been named.
    findings: u32,
}

#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    by_content: BTreeMap<(String, Vec<u8>, String), usize>,
    /// By file, where the line starts, and rule: one line may hold thousands of findings, and its text is looked at once for each rule.
    by_place: BTreeMap<(FileId, usize, String), usize>,
}

impl Groups {
    fn of(&mut self, finding: &Finding, sources: &dyn Sources) -> &mut Group {
        let span = finding.primary.span;
        let line = sources.line(span.file, span.start as usize);
        let place = (span.file, line.start, finding.rule.clone());
        let index = match self.by_place.get(&place) {
            Some(known) => *known,
            None => {
                let text: String = sources.text(span.file)[line].split_whitespace().collect();
                let index = self.by_content(finding.rule.clone(), sources.project_path(span.file), text);
                self.by_place.insert(place, index);
                index
            }
        };
        &mut self.groups[index]
    }

    fn by_content(&mut self, rule: String, path: Vec<u8>, line: String) -> usize {
        let hash = Hash::new().with(rule.as_bytes()).with(&path).with(line.as_bytes());
        *self.by_content.entry((rule, path, line)).or_insert_with(|| {
            self.groups.push(Group { hash, findings: 0 });
            self.groups.len() - 1
        })
    }
}

/// The short names of a report's findings: so many of a fingerprint's digits that no other of them is meant; eight mostly do.
pub struct Prefixes<'f> {
    sorted: Vec<&'f str>,
}

impl<'f> Prefixes<'f> {
    /// The short names for findings that [`assign`] named.
    pub fn new(findings: &'f [Finding]) -> Prefixes<'f> {
        let mut sorted: Vec<&str> = findings.iter().map(|finding| finding.fingerprint.as_str()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        Prefixes { sorted }
    }

    /// The short name of one of them.
    pub fn of<'a>(&self, finding: &'a Finding) -> &'a str {
        let own = finding.fingerprint.as_str();
        // The others that share most digits with it are its neighbours in order.
        let before = self.sorted.partition_point(|other| *other < own);
        let after = self.sorted.partition_point(|other| *other <= own);
        let neighbours = [before.checked_sub(1).and_then(|index| self.sorted.get(index)), self.sorted.get(after)];
        let shared = |other: &&str| own.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count();
        let digits = neighbours.into_iter().flatten().map(shared).max().map_or(8, |shared| (shared + 1).max(8));
        own.get(..digits).unwrap_or(own)
    }
}

/// A fingerprint of a text that is no finding.
pub(crate) fn of_text(text: &str) -> String {
    format!("{:032x}", Hash::new().with(text.as_bytes()).0)
}

/// FNV-1a: fingerprints are stored by users, so the hash must not change with a library's version.
#[derive(Clone, Copy)]
struct Hash(u128);

impl Hash {
    fn new() -> Hash {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// A zero byte ends each part and keeps `a|bc` and `ab|c` apart.
    fn with(self, part: &[u8]) -> Hash {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let bytes = part.iter().copied().chain([0]);
        Hash(bytes.fold(self.0, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::{Label, Severity};
    use super::super::sources::MemorySources;
    use super::*;
    use harp_corpus::Span;

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
            let label = Label::new(Span::new(harp_corpus::FileId(0), 0, 1), "");
            let finding = Finding::new("r", Severity::Error, "", label);
            Finding { fingerprint: fingerprint.to_owned(), ..finding }
        };
        let findings = [named("0123456789abcdef"), named("0123456789ffffff"), named("ffffffffffffffff")];
        let prefixes = Prefixes::new(&findings);
        assert_eq!(prefixes.of(&findings[0]), "0123456789a");
        assert_eq!(prefixes.of(&findings[1]), "0123456789f");
        assert_eq!(prefixes.of(&findings[2]), "ffffffff");
        assert_eq!(Prefixes::new(&[]).of(&named("12")), "12");
    }

    #[test]
    fn equal_lines_of_two_files_with_one_path_are_told_apart_by_their_order() {
        let mut sources = MemorySources::new();
        let files = [sources.add("a.py", "f(x); f(x)\n"), sources.add("a.py", "f(x);f(x)\n")];
        let places = [(files[0], 0), (files[0], 6), (files[1], 0), (files[1], 5)];
        let label = |(file, start)| Label::new(Span::new(file, start, start + 1), "");
        let mut findings = places.map(|place| Finding::new("r", Severity::Error, "", label(place)));
        assign(&mut findings, &sources);
        let names: std::collections::BTreeSet<&str> = findings.iter().map(|it| it.fingerprint.as_str()).collect();
        assert_eq!(names.len(), 4);
    }

    #[test]
    fn another_line_has_another_fingerprint() {
        assert_ne!(fingerprints("f(x)\n", &[0]), fingerprints("f(y)\n", &[0]));
    }
}
