//! The objects of the heap, and a log of their changes, so that one arm of a branch can be undone and compared with the
//! other.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::generators::generator_objects::GeneratorData;
use crate::heap::dict_key_index;
use crate::heap::dict_key_index::KeyIndex;
use crate::heap::holders::Holders;
pub use crate::heap::location::Location;
use crate::heap::read_log::{Read, ReadLog};
use crate::values::value::{ObjectId, Value};
use harp_limits::{light_tick, tick};
use harp_python::ir;
use harp_python::name::Name;

/// Names with values, in the order of their first assignment. Most objects have none.
#[derive(Clone, Debug, Default)]
pub struct Namespace(Option<Box<Names>>);

/// Names are found by hash once there are more than a few.
#[derive(Clone, Debug, Default)]
struct Names {
    entries: Vec<(Name, Option<Value>)>,
    index: Option<FxHashMap<Name, u32>>,
}

/// Items of a sequence that are not counted when it is made.
const PAID_ITEMS: usize = 16;
/// Below this many names a linear search is faster than hashing.
const LINEAR_LIMIT: usize = 12;

impl Names {
    fn position(&self, name: Name) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(&name).map(|&position| position as usize),
            None => self.entries.iter().position(|(entry, _)| *entry == name),
        }
    }

    /// Sets or (with `None`) removes a name; returns what it was.
    fn replace(&mut self, name: Name, value: Option<Value>) -> Option<Value> {
        if let Some(position) = self.position(name) {
            return std::mem::replace(&mut self.entries[position].1, value);
        }
        value.as_ref()?;
        self.entries.push((name, value));
        if let Some(index) = &mut self.index {
            index.insert(name, (self.entries.len() - 1) as u32);
        } else if self.entries.len() > LINEAR_LIMIT {
            self.index = Some(self.entries.iter().enumerate().map(|(at, (name, _))| (*name, at as u32)).collect());
        }
        None
    }
}

impl Namespace {
    pub fn get(&self, name: Name) -> Option<&Value> {
        let names = self.0.as_ref()?;
        names.entries[names.position(name)?].1.as_ref()
    }

    pub(crate) fn replace(&mut self, name: Name, value: Option<Value>) -> Option<Value> {
        if self.0.is_none() && value.is_none() {
            return None;
        }
        self.0.get_or_insert_default().replace(name, value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (Name, &Value)> + Clone {
        let entries = self.0.as_ref().map_or(&[][..], |names| &names.entries);
        entries.iter().filter_map(|(name, value)| value.as_ref().map(|value| (*name, value)))
    }
}

/// What an object is besides its attributes.
#[derive(Clone, Debug)]
pub enum Payload {
    /// A namespace: locals of a call, a module, a plain object.
    Plain,
    List(Rc<ListData>),
    Dict(Rc<DictData>),
    Class(Rc<ClassData>),
    Instance(Rc<InstanceData>),
    Module(Rc<ModuleData>),
    Symbolic(Rc<SymbolicData>),
    Generator(Rc<GeneratorData>),
}

impl Payload {
    /// Whether two containers are one and the same that nobody has changed in between.
    pub fn is_one_with(&self, other: &Payload) -> bool {
        match (self, other) {
            (Payload::List(one), Payload::List(other)) => Rc::ptr_eq(one, other),
            (Payload::Dict(one), Payload::Dict(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// A list or set: known items, and whether more of a kind may follow.
#[derive(Clone, Debug, Default)]
pub struct ListData {
    pub items: Vec<Value>,
    /// A representative of an unknown number of further items.
    pub rest: Option<Value>,
}

/// Keys of a dictionary of which not all is known: further ones are any number of entries.
const MOST_OPEN_KEYS: usize = 16;

/// A dictionary in insertion order.
#[derive(Clone, Debug, Default)]
pub struct DictData {
    pub entries: Vec<(Value, Value)>,
    /// A representative of an unknown number of further entries.
    pub rest: Option<(Value, Value)>,
    /// Keys of entries that only some of the ways to here have made, with the truth of their being there.
    pub doubtful: Vec<(Value, Value)>,
    index: KeyIndex,
}

impl DictData {
    pub fn new(entries: Vec<(Value, Value)>, rest: Option<(Value, Value)>) -> DictData {
        DictData { entries, rest, doubtful: Vec::new(), index: KeyIndex::default() }
    }

    /// Whether a key that was found is there on every way; else the truth of it.
    pub fn doubt_of(&self, key: &Value) -> Option<&Value> {
        let (_, truth) = self.doubtful.iter().find(|(known, _)| known.same_key(key))?;
        self.find(key).map(|_| truth)
    }

    pub(crate) fn shorten(&mut self, length: usize) {
        self.entries.truncate(length);
        self.index.forget();
    }

    /// The entry of a key.
    pub fn find(&self, key: &Value) -> Option<&(Value, Value)> {
        self.entries.get(self.place_of(key)?)
    }

    /// The place of a key among the entries.
    fn place_of(&self, key: &Value) -> Option<usize> {
        if let Ok(place) = self.index.find(&self.entries, key) {
            return place;
        }
        // Those that the index does not tell apart are looked through one by one.
        let is_large = self.entries.len() >= dict_key_index::FEWEST;
        let mut looked = self.entries.iter().inspect(|_| {
            if is_large {
                light_tick()
            }
        });
        match key.as_text() {
            Some(text) => looked.position(|(known, _)| known.as_text() == Some(text)),
            None => looked.position(|(known, _)| known.same_key(key)),
        }
    }

    /// Whether a key of which not all is known is one of too many to be told from each other.
    fn has_many_open_keys(&self, key: &Value) -> bool {
        let is_open = |key: &Value| dict_key_index::may_be_constant(key);
        let are_many = |entries: &[(Value, Value)]| {
            entries.iter().filter(|(key, _)| is_open(key)).take(MOST_OPEN_KEYS).count() == MOST_OPEN_KEYS
        };
        self.entries.len() >= MOST_OPEN_KEYS && is_open(key) && are_many(&self.entries)
    }

    /// Sets a key, keeping the place of an equal one.
    pub fn insert(&mut self, key: Value, value: Value) {
        light_tick();
        match self.place_of(&key) {
            // Keys of which nothing is known are any number of entries, and so are many that may be each other.
            place if dict_key_index::is_any_key(&key) || place.is_none() && self.has_many_open_keys(&key) => {
                let value = match &self.rest {
                    Some((_, known)) if !known.same(&value) => Value::Unknown("one of several entries"),
                    _ => value,
                };
                self.rest = Some((key, value));
            }
            Some(place) => {
                self.entries[place].1 = value;
                self.doubtful.retain(|(doubtful, _)| !doubtful.same_key(&key));
            }
            None => {
                self.doubtful.retain(|(doubtful, _)| !doubtful.same_key(&key));
                self.entries.push((key, value));
            }
        }
    }
}

#[derive(Debug)]
pub struct ClassData {
    pub definition: Arc<ir::Class>,
    /// The class itself, then the classes searched after it: of the program or of libraries.
    pub resolution_order: Vec<Value>,
}

#[derive(Debug)]
pub struct InstanceData {
    /// `Value::Class` or `Value::Library`.
    pub class: Value,
    /// Constructor arguments of a library class, by parameter name.
    pub arguments: Vec<(Name, Value)>,
    pub origin: harp_corpus::Span,
}

#[derive(Debug)]
pub struct ModuleData {
    pub module: harp_python::project::ModuleId,
    pub name: Name,
}

/// What may be said of a value that nothing is known of.
#[derive(Clone, Debug, Default)]
pub enum Standing {
    /// An input, or what a call gave that was said not to be understood.
    #[default]
    Plain,
    /// Data from outside, such as a file's.
    Outside,
    /// The same of a package that computes with no tensors: whatever its functions and objects get, they give such data.
    Apart,
    /// What a call gave that was not understood, which is still to be said: what, and where.
    Open(Rc<(String, harp_corpus::Span)>),
    /// A text.
    Text,
}

/// A value whose type is not known (yet).
#[derive(Clone, Debug)]
pub struct SymbolicData {
    /// How the program names it: `x`, `self.encoder`, `f(x)`.
    pub description: Rc<str>,
    pub origin: harp_corpus::Span,
    /// What it turned out to be.
    pub refined: Option<Value>,
    /// Whether it stands for code that was not understood (as against an input of an entry).
    pub is_result: bool,
    pub standing: Standing,
    /// The value of which it is an attribute, and the attribute's name.
    pub owner: Option<(ObjectId, Name)>,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub attributes: Namespace,
    pub payload: Payload,
}

/// What a place holds.
#[derive(Clone, Debug)]
pub enum Content {
    Attribute(Option<Value>),
    Payload(Payload),
}

/// What the log keeps of a place before a change.
#[derive(Clone, Debug)]
pub(crate) enum Before {
    Content(Content),
    /// A list or dictionary had so many items; what came behind them is all that changed. A program that fills a table item by item would
    /// otherwise leave a copy for each item.
    Length(usize),
}

/// A position in the log of changes, and how many objects there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogMark {
    pub changes: usize,
    pub objects: usize,
}

/// What places hold at the end of an arm that was undone, in the order of their first change.
pub type Delta = Vec<(Location, Content)>;

#[derive(Debug, Default)]
pub struct Heap {
    pub(crate) objects: Vec<Object>,
    pub(crate) log: Vec<(Location, Before)>,
    /// Items of sequences and dictionaries that were made, or copied to be changed.
    copied: usize,
    /// Objects that more than the arm which made them can name.
    /// In the order of their making.
    common: Vec<ObjectId>,
    pub(super) holders: Holders,
    pub(crate) reads: ReadLog,
}

impl Heap {
    pub fn allocate(&mut self, payload: Payload) -> ObjectId {
        tick();
        self.count_copied(match &payload {
            Payload::List(data) => data.items.len(),
            Payload::Dict(data) => data.entries.len(),
            _ => 0,
        });
        self.objects.push(Object { attributes: Namespace::default(), payload });
        ObjectId((self.objects.len() - 1) as u32)
    }

    /// A plain object that is remembered elsewhere than on the heap, so that an arm which is explored later finds it there, too.
    pub fn allocate_common(&mut self) -> ObjectId {
        let id = self.allocate(Payload::Plain);
        self.common.push(id);
        id
    }

    /// Whether only the arm can name the object whose own objects are those from `own` on.
    pub(crate) fn is_own(&self, id: ObjectId, own: usize) -> bool {
        id.0 as usize >= own && self.common.binary_search(&id).is_err()
    }

    pub fn allocate_list(&mut self, items: Vec<Value>) -> ObjectId {
        self.allocate(Payload::List(Rc::new(ListData { items, rest: None })))
    }

    pub fn allocate_dict(&mut self, entries: Vec<(Value, Value)>) -> ObjectId {
        self.allocate(Payload::Dict(Rc::new(DictData::new(entries, None))))
    }

    /// Items of sequences and dictionaries that were made or copied since they are counted. The log keeps the copies, so that a program which changes a long
    /// list again and again takes memory beyond all measure.
    pub fn copied(&self) -> usize {
        self.copied
    }

    /// Counts the items of a sequence that was made of others; short ones are paid for by the steps that make them.
    pub fn count_copied(&mut self, items: usize) {
        self.copied += items.saturating_sub(PAID_ITEMS);
    }

    /// Goes on counting copies from so many.
    pub fn count_copies_from(&mut self, copied: usize) {
        self.copied = copied;
    }

    /// Whether no object was made after this one but values of libraries, such as a device.
    pub fn is_newest(&self, id: ObjectId) -> bool {
        let later = self.objects.get(id.0 as usize + 1..).unwrap_or_default();
        let is_value = |object: &Object| match &object.payload {
            Payload::Instance(data) => matches!(data.class, Value::Library(_)),
            _ => false,
        };
        later.len() < 4 && later.iter().all(is_value)
    }

    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is no object.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many objects are remembered elsewhere than on the heap.
    pub(crate) fn common_objects(&self) -> usize {
        self.common.len()
    }

    /// An object with all its attributes. What it is besides is read with [`Heap::payload`].
    pub fn object(&self, id: ObjectId) -> &Object {
        self.reads.note(|| Read::Attributes(id));
        &self.objects[id.0 as usize]
    }

    /// An object, for what is no part of the program: nothing is noted.
    pub fn peek(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    pub fn payload(&self, id: ObjectId) -> &Payload {
        self.reads.note(|| Read::Place(Location::Payload(id)));
        &self.objects[id.0 as usize].payload
    }

    pub fn attribute(&self, id: ObjectId, name: Name) -> Option<&Value> {
        self.reads.note(|| Read::Place(Location::Attribute(id, name)));
        self.objects[id.0 as usize].attributes.get(name)
    }

    pub fn set_attribute(&mut self, id: ObjectId, name: Name, value: Value) {
        self.write_attribute(id, name, Some(value));
    }

    pub fn delete_attribute(&mut self, id: ObjectId, name: Name) {
        self.write_attribute(id, name, None);
    }

    pub(crate) fn write_attribute(&mut self, id: ObjectId, name: Name, value: Option<Value>) {
        let object = &mut self.objects[id.0 as usize];
        if matches!((&object.payload, &value), (Payload::Instance(_), Some(Value::Instance(_)))) {
            self.holders.note(id, name);
        }
        let old = object.attributes.replace(name, value);
        self.log.push((Location::Attribute(id, name), Before::Content(Content::Attribute(old))));
    }

    pub fn set_payload(&mut self, id: ObjectId, payload: Payload) {
        let old = std::mem::replace(&mut self.objects[id.0 as usize].payload, payload);
        self.log.push((Location::Payload(id), Before::Content(Content::Payload(old))));
    }

    /// The data of a list or set.
    pub fn list(&self, id: ObjectId) -> Option<&Rc<ListData>> {
        match self.payload(id) {
            Payload::List(data) => Some(data),
            _ => None,
        }
    }

    pub fn dict(&self, id: ObjectId) -> Option<&Rc<DictData>> {
        match self.payload(id) {
            Payload::Dict(data) => Some(data),
            _ => None,
        }
    }

    pub fn class(&self, id: ObjectId) -> Option<&Rc<ClassData>> {
        match self.payload(id) {
            Payload::Class(data) => Some(data),
            _ => None,
        }
    }

    pub fn instance(&self, id: ObjectId) -> Option<&Rc<InstanceData>> {
        match self.payload(id) {
            Payload::Instance(data) => Some(data),
            _ => None,
        }
    }

    pub fn symbolic(&self, id: ObjectId) -> Option<&Rc<SymbolicData>> {
        match self.payload(id) {
            Payload::Symbolic(data) => Some(data),
            _ => None,
        }
    }

    pub fn change_list(&mut self, id: ObjectId, change: impl FnOnce(&mut ListData)) {
        if let Some(data) = self.list(id) {
            let mut data = ListData::clone(data);
            self.copied += data.items.len();
            change(&mut data);
            self.set_payload(id, Payload::List(Rc::new(data)));
        }
    }

    pub fn change_dict(&mut self, id: ObjectId, change: impl FnOnce(&mut DictData)) {
        if let Some(data) = self.dict(id) {
            let mut data = DictData::clone(data);
            self.copied += data.entries.len();
            change(&mut data);
            data.index.forget();
            self.set_payload(id, Payload::Dict(Rc::new(data)));
        }
    }

    /// Appends an item to a list or set.
    pub fn push_item(&mut self, id: ObjectId, item: Value) {
        if let Payload::List(data) = &mut self.objects[id.0 as usize].payload {
            self.log.push((Location::Payload(id), Before::Length(data.items.len())));
            if Rc::strong_count(data) > 1 {
                self.copied += data.items.len();
            }
            Rc::make_mut(data).items.push(item);
        }
    }

    /// Adds an entry to a dictionary that has none with the key.
    pub fn push_entry(&mut self, id: ObjectId, key: Value, value: Value) {
        if let Payload::Dict(data) = &mut self.objects[id.0 as usize].payload {
            self.log.push((Location::Payload(id), Before::Length(data.entries.len())));
            if Rc::strong_count(data) > 1 {
                self.copied += data.entries.len();
            }
            Rc::make_mut(data).entries.push((key, value));
        }
    }

    /// Makes all changes final: nobody holds a mark any more.
    pub fn forget_changes(&mut self) {
        self.log = Vec::new();
        self.settle_holders();
    }

    /// Empties the objects that are not wanted; nobody can name them any more. Their places stay.
    pub fn empty_all_but(&mut self, wanted: &[bool]) {
        for (object, _) in self.objects.iter_mut().zip(wanted).filter(|(_, is_wanted)| !**is_wanted) {
            *object = Object { attributes: Namespace::default(), payload: Payload::Plain };
        }
    }

    /// Undoes all changes since `mark` and frees the objects made since there were `length` of them. Only for the end of an entry, when no
    /// value made since is kept.
    pub fn restore(&mut self, mark: LogMark, length: usize) {
        self.undo(mark);
        self.objects.truncate(length);
        self.common.truncate(self.common.partition_point(|id| (id.0 as usize) < length));
        self.forget_holders(length);
    }
}
