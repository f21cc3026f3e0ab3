//! The report of an audit: the lists of what changed since an earlier one, of which there is one for each kind of change.

use std::io;

use minijinja::Environment;

use super::change_totals::{ChangeTotals, Counts, KindTotals};
use super::list::{About, List, changed, page_name};
use super::lists::{Group, Texts, severities};
use super::{Changed, Pages, texts};

/// What kind of list they are.
const CHANGES: &str = "changes";

fn stem(kind: &KindTotals) -> String {
    format!("{CHANGES}-{}", kind.word.replace(' ', "-"))
}

/// Where a list begins, for a page in the folder of lists.
pub fn link_of_kind(kind: &KindTotals) -> String {
    page_name(&stem(kind), 1)
}

/// Where the changes of one kind of a repository begin, for a page in the folder of lists.
pub fn link_of_repository(totals: &ChangeTotals, number: usize, kind: usize) -> String {
    format!("{}#{}", page_name(&stem(&totals.kinds[kind]), totals.repositories[number].page(kind)), anchor(number))
}

fn anchor(number: usize) -> String {
    format!("c{number}")
}

/// The lists, by repository.
pub struct ChangeLists<'a> {
    totals: Option<&'a ChangeTotals>,
    lists: Vec<List<'a>>,
    /// The number of the next repository.
    next: usize,
    /// The repository of the last change, as it is called.
    last: String,
    /// How many of its changes are listed.
    listed: Counts,
}

impl<'a> ChangeLists<'a> {
    /// Begins with what was counted; without it, nothing is listed.
    pub fn new(totals: Option<&'a ChangeTotals>) -> ChangeLists<'a> {
        let kinds = totals.iter().flat_map(|totals| &totals.kinds);
        let lists = kinds.map(list).collect();
        ChangeLists { totals, lists, next: 0, last: String::new(), listed: Counts::default() }
    }

    pub fn iter(&self) -> impl Iterator<Item = &List<'a>> {
        self.lists.iter()
    }

    /// Adds a change; they come in the order in which they were counted.
    pub fn add(
        &mut self,
        change: &Changed<'_>,
        environment: &Environment<'_>,
        pages: &mut dyn Pages,
    ) -> io::Result<()> {
        let totals = self.totals.ok_or_else(changed)?;
        if self.next == 0 || self.last != change.repository {
            change.repository.clone_into(&mut self.last);
            self.next += 1;
            self.listed = Counts::default();
        }
        let number = self.next - 1;
        let repository = totals.repositories.get(number).ok_or_else(changed)?;
        let kind = totals.kind(change.change);
        let (list, listed) = (&mut self.lists[kind], &mut self.listed[kind]);
        let is_first = *listed == 0;
        *listed += 1;
        let group = Group {
            anchor: anchor(number),
            name: &repository.name,
            is_first,
            starts: is_first || list.is_at_start_of_page(),
            ends: *listed == repository.counts[kind] || list.is_at_end_of_page(),
        };
        let (rule, finding) = (texts::name(change.finding.rule), Texts::of(&change.finding));
        let row = group.rendered(environment, &finding.row(&change.finding, &rule, "", ""))?;
        list.add(environment, &row, pages)
    }
}

fn list(kind: &KindTotals) -> List<'_> {
    let all = kind.severities.all();
    let counts = format!(
        "{} in {}",
        texts::counted(all, "finding", "findings"),
        texts::counted(kind.repositories, "repository", "repositories")
    );
    List::new(About {
        stem: stem(kind),
        kind: CHANGES,
        is_grouped: true,
        heading: format!("Since the earlier audit: {}", kind.word),
        title: kind.meaning,
        counts,
        severities: severities(kind.severities),
        rows: all,
        ..About::default()
    })
}
