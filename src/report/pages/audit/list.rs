//! The report of an audit: the pages of one list.

use std::io;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};
use serde::Serialize;

use super::{FOLDER, PAGE, Pages, ROWS_OF_PAGE};

/// So many bytes of a page are held before they are written.
const HELD: usize = 64 << 10;

/// The name of a page of a list in the folder of lists. Nothing in it comes from a repository.
pub fn page_name(list: &str, page: u64) -> String {
    format!("{list}-{page}.html")
}

/// A page of a list with what leads to it and on.
#[derive(Debug, Serialize)]
struct PageView<'a> {
    list: &'a str,
    is_grouped: bool,
    heading: &'a str,
    title: &'a str,
    counts: &'a str,
    home: String,
    number: u64,
    count: u64,
    /// Where other pages of the list are; the first and the last one where they are not the previous or the next one.
    first: Option<String>,
    previous: Option<String>,
    next: Option<String>,
    last: Option<String>,
    /// Severities that its rows may have.
    severities: Vec<&'static str>,
    statuses: &'a [&'static str],
}

/// What is known of a list before its rows come.
#[derive(Default)]
pub struct About<'a> {
    /// What its pages are called.
    pub stem: String,
    /// What kind of list it is.
    pub kind: &'static str,
    /// Whether the rows of each repository stand below its name.
    pub is_grouped: bool,
    pub heading: String,
    pub title: &'a str,
    pub counts: String,
    /// What its rows may have.
    pub severities: Vec<&'static str>,
    pub statuses: Vec<&'static str>,
    /// How many will come.
    pub rows: u64,
}

/// A list, of which one page is unfinished.
pub struct List<'a> {
    about: About<'a>,
    written: u64,
    text: String,
}

impl<'a> List<'a> {
    pub fn new(about: About<'a>) -> List<'a> {
        List { about, written: 0, text: String::new() }
    }

    pub fn is_whole(&self) -> bool {
        self.written == self.about.rows
    }

    pub fn is_at_start_of_page(&self) -> bool {
        self.written.is_multiple_of(ROWS_OF_PAGE)
    }

    /// Whether the next row is the last one of its page.
    pub fn is_at_end_of_page(&self) -> bool {
        (self.written + 1).is_multiple_of(ROWS_OF_PAGE) || self.written + 1 == self.about.rows
    }

    fn page(&self) -> u64 {
        self.written / ROWS_OF_PAGE + 1
    }

    /// Adds a row, and what begins and ends its page.
    pub fn add(&mut self, environment: &Environment<'_>, row: &str, pages: &mut dyn Pages) -> io::Result<()> {
        if self.written >= self.about.rows {
            return Err(changed());
        }
        let page = format!("{FOLDER}/{}", page_name(&self.about.stem, self.page()));
        let (starts, ends) = (self.is_at_start_of_page(), self.is_at_end_of_page());
        if starts {
            self.text.push_str(&self.part(environment, "audit-start.html")?);
        }
        self.text.push_str(row);
        if ends {
            self.text.push_str(&self.part(environment, "audit-end.html")?);
        }
        if ends || self.text.len() > HELD {
            pages.add(&page, &self.text)?;
            self.text.clear();
        }
        self.written += 1;
        Ok(())
    }

    /// The beginning or the end of the page that the next row is on.
    fn part(&self, environment: &Environment<'_>, template: &str) -> io::Result<String> {
        let (number, count) = (self.page(), self.about.rows.div_ceil(ROWS_OF_PAGE));
        let page = PageView {
            list: self.about.kind,
            is_grouped: self.about.is_grouped,
            heading: &self.about.heading,
            title: self.about.title,
            counts: &self.about.counts,
            home: format!("../{PAGE}"),
            number,
            count,
            first: (number > 2).then(|| page_name(&self.about.stem, 1)),
            previous: (number > 1).then(|| page_name(&self.about.stem, number - 1)),
            next: (number < count).then(|| page_name(&self.about.stem, number + 1)),
            last: (number + 1 < count).then(|| page_name(&self.about.stem, count)),
            severities: self.about.severities.clone(),
            statuses: &self.about.statuses,
        };
        rendered(environment, template, context! { page => Value::from(Serde(&page)) })
    }
}

/// Somebody else wrote to the folder of the audit.
pub fn changed() -> io::Error {
    io::Error::other("its findings changed while they were listed")
}

pub fn rendered(environment: &Environment<'_>, template: &str, values: Value) -> io::Result<String> {
    let template = environment.get_template(template).map_err(io::Error::other)?;
    template.render(values).map_err(io::Error::other)
}
