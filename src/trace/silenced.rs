//! The trace's record of alarms that a filter silenced: which filter, at which place, and what was required there.

use std::collections::BTreeMap;

use harp_corpus::Span;
use harp_python::name::Name;

/// The filter of alarms that rest on a default which the program never uses.
pub const UNUSED_DEFAULT: &str = "unused-default";
/// Of more places than this is only counted that there are more.
const MOST_PLACES: usize = 1000;

/// A requirement that fails or may fail, and is not reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SilencedAlarm {
    pub api: Name,
    /// What the library demands.
    pub requirement: String,
    /// Whether it stands in the source of a library, which the program calls at the alarm's place.
    pub is_inside: bool,
}

/// Silenced alarms by place and filter, the first one of each.
#[derive(Debug, Default)]
pub struct SilencedAlarms {
    alarms: BTreeMap<(Span, &'static str), SilencedAlarm>,
    /// Whether there were more than are kept.
    is_cut: bool,
}

impl SilencedAlarms {
    /// Notes an alarm, unless the filter silenced one at the same place before.
    pub fn note(&mut self, filter: &'static str, span: Span, api: Name, requirement: &str, is_inside: bool) {
        if self.alarms.contains_key(&(span, filter)) {
            return;
        }
        if self.alarms.len() >= MOST_PLACES {
            self.is_cut = true;
            return;
        }
        self.alarms.insert((span, filter), SilencedAlarm { api, requirement: requirement.to_owned(), is_inside });
    }

    /// Place, filter and alarm, in the order of the corpus.
    pub fn iter(&self) -> impl Iterator<Item = (Span, &'static str, &SilencedAlarm)> {
        self.alarms.iter().map(|((span, filter), alarm)| (*span, *filter, alarm))
    }

    /// Whether more were silenced than are kept.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_corpus::FileId;

    #[test]
    fn the_first_alarm_of_a_place_and_filter_is_kept_and_the_number_of_places_is_bounded() {
        let mut alarms = SilencedAlarms::default();
        for start in 0..MOST_PLACES as u32 {
            let span = Span::new(FileId(0), start, start + 1);
            alarms.note("empty-input", span, Name::new("acme.join"), "first", false);
            alarms.note("empty-input", span, Name::new("acme.join"), "second", false);
        }
        assert!(!alarms.is_cut());
        alarms.note("later-iteration", Span::new(FileId(0), 0, 1), Name::new("acme.join"), "third", false);
        assert!(alarms.is_cut());
        assert_eq!(alarms.iter().count(), MOST_PLACES);
        assert!(alarms.iter().all(|(.., alarm)| alarm.requirement == "first"));
    }
}
