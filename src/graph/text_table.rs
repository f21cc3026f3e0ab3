//! The texts in the graph's rows, each by its number. Most of them are places, whose texts are made when somebody reads
//! them: they are long, and a large project has hundreds of thousands.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHasher};

use harp_corpus::{Corpus, FileId, Span};

/// A text of the facts, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub(super) u32);

impl Symbol {
    /// The number, from 0 on without gaps.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a place is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// `file:line:column`
    Start,
    /// `file:line:column-end`
    Range,
}

#[derive(Debug)]
enum Text {
    Written(Box<str>),
    Place(Place),
}

/// What the text of a place says. Lines and columns count from 1.
#[derive(Clone, Copy, Debug)]
struct Place {
    span: Span,
    /// 0 for a whole file.
    line: u32,
    column: u32,
    /// The last line of a range; 0 where the place is a start.
    end_line: u32,
    end_column: u32,
    /// Of a notebook; 0 elsewhere.
    cell: u32,
}

/// Most texts of places are shorter.
const TYPICAL_LENGTH: usize = 96;

/// Texts with their numbers.
#[derive(Debug, Default)]
pub struct Texts {
    list: Vec<Text>,
    /// The first text of each hash,
    by_hash: FxHashMap<u64, Symbol>,
    /// and those whose hash an earlier one has.
    others: FxHashMap<Box<str>, Symbol>,
    /// The places that written texts name.
    named: FxHashMap<Symbol, Span>,
    /// The names of files, by their numbers.
    files: FxHashMap<FileId, Rc<str>>,
    /// A place that is being written.
    scratch: String,
}

impl Texts {
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The text with a number.
    pub fn get(&self, symbol: Symbol) -> Cow<'_, str> {
        match self.list.get(symbol.index()) {
            Some(Text::Written(text)) => Cow::Borrowed(text),
            Some(Text::Place(place)) => {
                let mut text = String::with_capacity(TYPICAL_LENGTH);
                self.write(place, &mut text);
                Cow::Owned(text)
            }
            None => Cow::Borrowed(""),
        }
    }

    /// Writes a text behind another.
    pub fn write_to(&self, symbol: Symbol, text: &mut String) {
        match self.list.get(symbol.index()) {
            Some(Text::Written(written)) => text.push_str(written),
            Some(Text::Place(place)) => self.write(place, text),
            None => {}
        }
    }

    /// The number of a text that is there.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.find_hashed(hash(text), text)
    }

    fn find_hashed(&self, hash: u64, text: &str) -> Option<Symbol> {
        let first = *self.by_hash.get(&hash)?;
        if self.get(first) == text { Some(first) } else { self.others.get(text).copied() }
    }

    /// The number of a text, which is new if nobody has asked for it before.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        let hash = hash(text);
        self.find_hashed(hash, text).unwrap_or_else(|| self.add(hash, text, Text::Written(Box::from(text))))
    }

    /// The number of the text of a place.
    pub fn place(&mut self, corpus: &Corpus, span: Span, form: Form) -> Symbol {
        let Some(place) = self.place_of(corpus, span, form) else {
            let unknown = self.symbol("?");
            self.name(unknown, span);
            return unknown;
        };
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        self.write(&place, &mut text);
        let hash = hash(&text);
        let symbol = match self.find_hashed(hash, &text) {
            Some(symbol) => {
                self.name(symbol, span);
                symbol
            }
            None => self.add(hash, &text, Text::Place(place)),
        };
        self.scratch = text;
        symbol
    }

    /// Says which place a text names, which is the last that it was said of.
    pub fn name(&mut self, symbol: Symbol, span: Span) {
        match self.list.get_mut(symbol.index()) {
            Some(Text::Place(place)) => place.span = span,
            _ => _ = self.named.insert(symbol, span),
        }
    }

    /// The place that a text names.
    pub fn span(&self, symbol: Symbol) -> Option<Span> {
        match self.list.get(symbol.index())? {
            Text::Place(place) => Some(place.span),
            Text::Written(_) => self.named.get(&symbol).copied(),
        }
    }

    fn add(&mut self, hash: u64, text: &str, kept: Text) -> Symbol {
        let symbol = Symbol(self.list.len() as u32);
        self.list.push(kept);
        let first = *self.by_hash.entry(hash).or_insert(symbol);
        if first != symbol {
            self.others.insert(Box::from(text), symbol);
        }
        symbol
    }

    fn place_of(&mut self, corpus: &Corpus, span: Span, form: Form) -> Option<Place> {
        let file = corpus.file(span.file)?;
        self.files.entry(span.file).or_insert_with(|| Rc::from(file.display_path.as_str()));
        let mut place = Place { span, line: 0, column: 0, end_line: 0, end_column: 0, cell: 0 };
        if form == Form::Start && span.start == 0 && span.end == 0 {
            return Some(place);
        }
        let start = file.line_column(span.start);
        (place.line, place.column, place.cell) = (start.line, start.column, start.cell.unwrap_or(0));
        if form == Form::Range {
            let end = file.line_column(span.end);
            (place.end_line, place.end_column) = (end.line, end.column);
        }
        Some(place)
    }

    fn write(&self, place: &Place, text: &mut String) {
        text.push_str(self.files.get(&place.span.file).map_or("", |name| name));
        if place.line == 0 {
            return;
        }
        let mut number = |before: char, number: u32, after: &str| {
            text.push(before);
            write_number(number, text);
            text.push_str(after);
        };
        if place.cell > 0 {
            number('[', place.cell, "]");
        }
        number(':', place.line, "");
        number(':', place.column, "");
        if place.end_line == place.line {
            number('-', place.end_column, "");
        } else if place.end_line > 0 {
            number('-', place.end_line, "");
            number(':', place.end_column, "");
        }
    }
}

/// Writes a number without the machinery of formats: there are millions of places.
fn write_number(number: u32, text: &mut String) {
    if number >= 10 {
        write_number(number / 10, text);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}
