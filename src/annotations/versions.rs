//! Versions of libraries in annotations: which one a project targets, and what that means for an API.

use std::cmp::Ordering;
use std::fmt;

/// A version, such as `2.1` or `1.13.1`. Missing components are zeros; what follows a suffix (`+cu121`, `rc1`) plays no part.
#[derive(Clone, Debug)]
pub struct Version {
    components: Vec<u32>,
}

impl Version {
    /// Reads the numbers at the beginning of a text, six at most; `None` where there are none, or one is too large.
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.trim().trim_start_matches('v');
        let mut components = Vec::new();
        for part in text.split('+').next()?.split('.').take(6) {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            if digits.is_empty() {
                break;
            }
            components.push(digits.parse().ok()?);
            if digits.len() < part.len() {
                break;
            }
        }
        (!components.is_empty()).then_some(Version { components })
    }

    fn component(&self, place: usize) -> u32 {
        self.components.get(place).copied().unwrap_or(0)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        let length = self.components.len().max(other.components.len());
        (0..length)
            .map(|place| self.component(place).cmp(&other.component(place)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Version) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.components.iter().map(u32::to_string).collect();
        formatter.write_str(&parts.join("."))
    }
}

/// The versions of a library that a project may run with.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Not older than this.
    least: Option<Version>,
    /// Older than this.
    below: Option<Version>,
    /// The bounds as they are written.
    written: Box<str>,
    /// The file or key that tells them; it may be empty.
    origin: Box<str>,
}

/// Targets are alike where they have the same versions, whoever tells them.
impl PartialEq for Target {
    fn eq(&self, other: &Target) -> bool {
        self.least == other.least && self.below == other.below
    }
}

impl Eq for Target {}

/// The bounds and where they are from: `>=1.8 (requirements.txt)`.
impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written)?;
        if self.origin.is_empty() { Ok(()) } else { write!(formatter, " ({})", self.origin) }
    }
}

/// Why an API cannot be used with a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It came with this version.
    Added(String),
    /// It is gone since this version.
    Removed(String),
}

impl fmt::Display for Absence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absence::Added(version) => write!(formatter, "exists only since {version}"),
            Absence::Removed(version) => write!(formatter, "was removed in {version}"),
        }
    }
}

impl Target {
    /// Reads `2.1`, or the specifiers of a requirement: `>=1.8,<2.0`, `==2.1.*`, `~=2.1`. `None` where nothing in it bounds the version.
    pub fn parse(text: &str) -> Option<Target> {
        let mut target = Target { written: text.trim().into(), ..Target::default() };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let operator: String = part.chars().take_while(|character| "=<>~!^".contains(*character)).collect();
            let written = part[operator.len()..].trim();
            let version = Version::parse(written.trim_end_matches(".*").trim_end_matches('*'))?;
            match operator.as_str() {
                "" | "==" | "===" => {
                    target.lower(after(&version));
                    target.raise(version);
                }
                ">=" | ">" => target.raise(version),
                "<" => target.lower(version),
                "<=" => target.lower(after(&version)),
                "~=" | "^" => {
                    let mut release = version.clone();
                    if operator == "~=" && release.components.len() > 1 {
                        release.components.pop();
                    } else {
                        release.components.truncate(1);
                    }
                    target.lower(after(&release));
                    target.raise(version);
                }
                _ => {}
            }
        }
        (target != Target::default()).then_some(target)
    }

    /// All bounds hold: the highest from below, and the lowest from above.
    fn raise(&mut self, least: Version) {
        self.least = Some(self.least.take().map_or(least.clone(), |known| known.max(least)));
    }

    fn lower(&mut self, below: Version) {
        self.below = Some(self.below.take().map_or(below.clone(), |known| known.min(below)));
    }

    /// Whether the bounds leave no version.
    pub fn is_empty(&self) -> bool {
        matches!((&self.least, &self.below), (Some(least), Some(below)) if least >= below)
    }

    /// Tells the file or key that the target is from.
    #[must_use]
    pub fn from_origin(mut self, origin: &str) -> Target {
        self.origin = origin.into();
        self
    }

    /// Why no version of the target has an API with this lifetime; `None` where one has it.
    pub fn lacks(&self, lifetime: &Lifetime) -> Option<Absence> {
        let parse = |text: &Option<Box<str>>| text.as_deref().and_then(Version::parse);
        if let (Some(since), Some(below)) = (parse(&lifetime.since), &self.below)
            && since >= *below
        {
            return Some(Absence::Added(since.to_string()));
        }
        if let (Some(until), Some(least)) = (parse(&lifetime.until), &self.least)
            && until <= *least
        {
            return Some(Absence::Removed(until.to_string()));
        }
        None
    }

    /// Whether the newest versions are excluded.
    pub fn ends(&self) -> bool {
        self.below.is_some()
    }

    /// Whether all versions of the target are older than this one.
    pub fn is_before(&self, version: &str) -> bool {
        match (&self.below, Version::parse(version)) {
            (Some(below), Some(version)) => *below <= version,
            _ => false,
        }
    }
}

/// The first version that is newer than all that begin with these components.
fn after(version: &Version) -> Version {
    let mut next = version.clone();
    if let Some(last) = next.components.last_mut() {
        *last = last.saturating_add(1);
    }
    next
}

/// The first version that has an API, and the first that no longer has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lifetime {
    /// The first that has it; `None` where it was always there, as far as is known.
    pub since: Option<Box<str>>,
    /// The first that lacks it; `None` where it is still there.
    pub until: Option<Box<str>>,
}
