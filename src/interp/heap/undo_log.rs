//! The log of the heap's changes: what each place held before, to go back to, and what it holds since.

use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

use crate::heap::location::Location;
use crate::heap::objects::{Before, Content, Delta, Heap, LogMark, Payload};
use crate::heap::read_log::Read;
use crate::values::value::{ObjectId, Value};

impl Heap {
    pub fn mark(&self) -> LogMark {
        LogMark { changes: self.log.len(), objects: self.objects.len() }
    }

    /// The same as [`Heap::content`], for what is no part of the program.
    pub(crate) fn peek_content(&self, location: Location) -> Content {
        match location {
            Location::Attribute(id, name) => Content::Attribute(self.peek(id).attributes.get(name).cloned()),
            Location::Payload(id) => Content::Payload(self.peek(id).payload.clone()),
        }
    }

    /// What a place holds.
    pub fn content(&self, location: Location) -> Content {
        match location {
            Location::Attribute(id, name) => Content::Attribute(self.attribute(id, name).cloned()),
            Location::Payload(id) => Content::Payload(self.payload(id).clone()),
        }
    }

    /// Puts `content` into `location`, logging the change.
    pub fn store(&mut self, location: Location, content: Content) {
        match (location, content) {
            (Location::Attribute(id, name), Content::Attribute(value)) => self.write_attribute(id, name, value),
            (Location::Payload(id), Content::Payload(payload)) => self.set_payload(id, payload),
            _ => {}
        }
    }

    /// Lists and dictionaries that surely are longer than they were at `mark`: the first that happened to each was that something was added,
    /// and nothing but that happened.
    pub fn grown_since(&self, mark: LogMark) -> impl Iterator<Item = Location> + '_ {
        let changes = &self.log[mark.changes.min(self.log.len())..];
        let is_replaced = |place: Location| {
            changes.iter().any(|(other, before)| *other == place && matches!(before, Before::Content(_)))
        };
        // One of many changes is as good as another.
        changes.iter().take(8).filter_map(move |(place, before)| match before {
            Before::Length(_) if !is_replaced(*place) => Some(*place),
            _ => None,
        })
    }

    /// Whether one of such objects was put in the place of another one since `mark`.
    pub fn replaces_since(&self, mark: LogMark, object: impl Fn(&Value) -> Option<ObjectId>) -> bool {
        self.log[mark.changes.min(self.log.len())..].iter().any(|(place, before)| match (place, before) {
            (Location::Attribute(id, name), Before::Content(Content::Attribute(Some(before)))) => {
                let now = self.attribute(*id, *name).and_then(&object);
                object(before).is_some_and(|before| now.is_some_and(|now| now != before))
            }
            _ => false,
        })
    }

    /// Whether objects that there were at `mark` got attributes, or containers items, that are objects of classes: what a loop builds.
    pub(crate) fn builds_since(&self, mark: LogMark) -> bool {
        self.log[mark.changes.min(self.log.len())..].iter().any(|(place, before)| {
            let (Location::Attribute(id, _) | Location::Payload(id)) = *place;
            if self.is_newer(*place, mark) {
                return false;
            }
            match (before, &self.peek(id).payload) {
                (Before::Content(Content::Attribute(None)), _) => {
                    matches!(self.peek_content(*place), Content::Attribute(Some(value)) if is_object(&value))
                }
                (Before::Length(length), Payload::List(list)) => list.items.iter().skip(*length).any(is_object),
                (Before::Length(length), Payload::Dict(dict)) => {
                    dict.entries.iter().skip(*length).any(|(_, value)| is_object(value))
                }
                _ => false,
            }
        })
    }

    /// Whether a place belongs to an object that was made after `mark`.
    pub fn is_newer(&self, location: Location, mark: LogMark) -> bool {
        let (Location::Attribute(id, _) | Location::Payload(id)) = location;
        id.0 as usize >= mark.objects
    }

    /// The places changed since `mark` with what they hold now, in the order of their first change.
    pub fn delta_since(&self, mark: LogMark) -> Delta {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut delta = Vec::new();
        for (location, _) in &self.log[mark.changes.min(self.log.len())..] {
            if seen.insert(*location) {
                delta.push((*location, self.content(*location)));
            }
        }
        delta
    }

    /// The same for what is no part of the program.
    pub(crate) fn peek_delta_since(&self, mark: LogMark) -> Delta {
        let mut seen = rustc_hash::FxHashSet::default();
        let changes = &self.log[mark.changes.min(self.log.len())..];
        let places = changes.iter().map(|(location, _)| *location).filter(|location| seen.insert(*location));
        places.map(|location| (location, self.peek_content(location))).collect()
    }

    /// The places changed since `mark` with what they held then.
    pub fn old_since(&self, mark: LogMark) -> Delta {
        let old = self.peek_old_since(mark);
        old.iter().for_each(|(location, _)| self.reads.note(|| Read::Place(*location)));
        old
    }

    /// The same for what is no part of the program.
    pub(crate) fn peek_old_since(&self, mark: LogMark) -> Delta {
        let first = self.first_since(mark.changes.min(self.log.len()));
        let full = |(location, before): (Location, Before)| match before {
            Before::Content(content) => (location, content),
            Before::Length(length) => (location, shortened(self.peek_content(location), length)),
        };
        first.into_iter().map(full).collect()
    }

    /// Forgets the steps between: of every place changed since `mark`, the log keeps only what it held then. Nobody may hold a later mark.
    pub fn compact(&mut self, mark: LogMark) {
        let start = mark.changes.min(self.log.len());
        let first = self.first_since(start);
        self.log.truncate(start);
        self.log.extend(first);
    }

    /// What each place held when the log had `start` entries, in the order of the first change. A length is one of what the place holds now.
    fn first_since(&self, start: usize) -> Vec<(Location, Before)> {
        let mut places = FxHashMap::default();
        let mut first: Vec<(Location, Before)> = Vec::new();
        for (location, before) in &self.log[start..] {
            let place = *places.entry(*location).or_insert(first.len());
            match (first.get_mut(place), before) {
                (None, _) => first.push((*location, before.clone())),
                // More than the end changed since: what was there before is a part of what this change replaced.
                (Some((_, known @ Before::Length(_))), Before::Content(content)) => {
                    if let Before::Length(length) = *known {
                        *known = Before::Content(shortened(content.clone(), length));
                    }
                }
                (Some(_), _) => {}
            }
        }
        first
    }

    /// Undoes all changes since `mark`. Objects made since stay: values outside may name them.
    pub fn undo(&mut self, mark: LogMark) {
        self.undo_all_but(mark, usize::MAX);
    }

    /// The same, but for the objects from `own` on, which only the arm can name that ends here.
    pub fn undo_all_but(&mut self, mark: LogMark, own: usize) {
        while self.log.len() > mark.changes {
            let Some((location, before)) = self.log.pop() else { return };
            let (Location::Attribute(id, _) | Location::Payload(id)) = location;
            if self.is_own(id, own) {
                continue;
            }
            self.put_back(location, before);
        }
    }

    /// Undoes what a script changed since `mark` in objects that outlast it: those that were there before, and those that the modules made which it
    /// imported. What these modules did when they ran stays, as they run once for all scripts; `imports` has where each of them began and ended.
    ///
    /// Where a module ran on a way that was left and joined with others, its changes were logged again elsewhere, and are undone here. The result
    /// is the imports of which something was undone that there was not before: they may lack what they defined.
    pub fn undo_in_lasting(
        &mut self,
        mark: LogMark,
        imports: &mut [(LogMark, LogMark)],
    ) -> FxHashSet<(LogMark, LogMark)> {
        let mut torn = FxHashSet::default();
        imports.sort_unstable();
        let is_within = |place: usize, key: fn(&LogMark) -> usize| {
            let behind = imports.partition_point(|(begin, _)| key(begin) <= place);
            imports[..behind].last().is_some_and(|(_, end)| place < key(end))
        };
        let import_of = |id: ObjectId| {
            let behind = imports.partition_point(|(begin, _)| begin.objects <= id.0 as usize);
            imports[..behind].last().copied().filter(|(_, end)| (id.0 as usize) < end.objects)
        };
        let mut places: Vec<(Location, Before)> = self.log.drain(mark.changes.min(self.log.len())..).collect();
        while let Some((location, before)) = places.pop() {
            let (Location::Attribute(id, _) | Location::Payload(id)) = location;
            let lasts = (id.0 as usize) < mark.objects || is_within(id.0 as usize, |mark| mark.objects);
            if lasts && !is_within(mark.changes + places.len(), |mark| mark.changes) {
                if matches!(before, Before::Content(Content::Attribute(None))) {
                    torn.extend(import_of(id));
                }
                self.put_back(location, before);
            }
        }
        torn
    }

    fn put_back(&mut self, location: Location, before: Before) {
        match (location, before) {
            (location, Before::Length(length)) => self.shorten(location, length),
            (Location::Attribute(id, name), Before::Content(Content::Attribute(value))) => {
                self.objects[id.0 as usize].attributes.replace(name, value);
            }
            (Location::Payload(id), Before::Content(Content::Payload(payload))) => {
                self.objects[id.0 as usize].payload = payload;
            }
            _ => {}
        }
    }

    fn shorten(&mut self, location: Location, length: usize) {
        let Location::Payload(id) = location else { return };
        match &mut self.objects[id.0 as usize].payload {
            Payload::List(data) => Rc::make_mut(data).items.truncate(length),
            Payload::Dict(data) => Rc::make_mut(data).shorten(length),
            _ => {}
        }
    }
}

/// The content with the first items of its list or dictionary only.
fn shortened(content: Content, length: usize) -> Content {
    match content {
        Content::Payload(Payload::List(mut data)) => {
            Rc::make_mut(&mut data).items.truncate(length);
            Content::Payload(Payload::List(data))
        }
        Content::Payload(Payload::Dict(mut data)) => {
            Rc::make_mut(&mut data).shorten(length);
            Content::Payload(Payload::Dict(data))
        }
        other => other,
    }
}

/// An object of a class, or a function or class itself, alone or in a tuple.
fn is_object(value: &Value) -> bool {
    match value {
        Value::Instance(_) | Value::Class(_) | Value::Function(_) => true,
        Value::Tuple(items) => items.iter().any(is_object),
        _ => false,
    }
}
