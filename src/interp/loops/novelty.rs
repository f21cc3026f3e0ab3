//! Ends a loop once its iterations show nothing new. A loop that trains counts its steps and keeps its losses, so that
//! its state never settles; but its iterations run the same operations on the same shapes. An iteration adds something
//! where it runs an operation on an outline of shapes that no iteration before it had, finds something, or leaves
//! behind what has an outline that was not in that place before. Once an iteration added nothing, those that are left
//! need not be executed one by one, and what stands for them need not be executed again.
//!
//! What a loop showed is remembered: a loop within a loop is executed again and again, as is a script with other options.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::heap::objects::{Content, Location, LogMark, Payload};
use crate::loops::loop_statements::{Begin, STEPS_OF_A_SHORT_LOOP};
use crate::loops::outlines::outline_of_operation;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_corpus::FileId;
use harp_python::ir::Stmt;
use harp_python::name::Name;
use harp_shape::{Remembered, remembered};

/// Layers and tables that a loop builds are told apart up to so many iterations.
const BUILT_ONE_BY_ONE: usize = 32;
/// Where it is known how many there are, and an iteration only makes layers and runs none, up to so many: deep networks have dozens of blocks in a stage.
const LAYERS_ONE_BY_ONE: usize = 128;
/// Items tell each what is to be done, so that so many iterations in turn have to add nothing.
const ITEMS_ALIKE: usize = 3;
/// A loop that runs no operation works out what others are given: so many iterations in turn have to add nothing.
const COUNTED_ONE_BY_ONE: usize = 4;
/// Loops that take so few steps are executed to their end also in haste: the layers of a network differ.
const STEPS_OF_A_SHORT_LOOP_IN_HASTE: u64 = 500;
/// Tables are filled by loops that are not nested so deep.
const DEEP_NEST: usize = 4;
/// A loop that asks for a number that it counts may do something else later, and is followed so many times as far as other ones.
const PATIENCE_WHERE_ASKED: u64 = 5;
/// An iteration that takes more steps does not merely count.
const STEPS_OF_COUNTING: u64 = 100;
/// To build a layer takes fewer steps than this.
const STEPS_TO_BUILD: u64 = 1_000;
/// Last iterations of one loop that are remembered.
const MOST_REMEMBERED: usize = 64;

/// What the iterations of loops did after which nothing new came, by the place of the loops' bodies.
pub type LastIterations = FxHashMap<(FileId, u32), FxHashSet<u64>>;

/// A place, with what it held before and holds now.
type Change<'h> = (Location, &'h Content, &'h Content);

/// What the iterations of a loop have shown.
#[derive(Clone, Debug)]
pub struct Watch {
    begin: Begin,
    place: Option<(FileId, u32)>,
    /// What the solver had made when the loop began.
    made: Remembered,
    operations: usize,
    issues: usize,
    layers: usize,
    steps: u64,
    mark: LogMark,
    /// When the iteration began, as lengths of lists were noted.
    lengths: usize,
    /// The outlines of operations.
    seen: FxHashSet<u64>,
    /// The outlines of what places held, of those that changed.
    held: FxHashMap<Location, Vec<u64>>,
    last: Added,
    /// The places of numbers that changed.
    counted: FxHashSet<Location>,
    /// Whether each iteration gets an item of its own.
    has_items: bool,
    /// Iterations in turn that added nothing.
    alike: usize,
}

/// What the last iteration added.
#[derive(Clone, Debug, Default)]
struct Added {
    /// Whether it ran operations.
    runs: bool,
    /// Whether it added an operation, a shape, an issue, or something that lives on.
    anything: bool,
    finds: bool,
    /// What it did: its operations, and what it left behind.
    key: u64,
    /// The names of the numbers and lengths that it changed.
    counted: FxHashSet<Name>,
}

impl Watch {
    /// When the iteration began that was watched last.
    pub(crate) fn iteration(&self) -> LogMark {
        self.mark
    }

    /// When that iteration began, as lengths of lists were noted.
    pub(crate) fn lengths(&self) -> usize {
        self.lengths
    }

    /// What the solver had made when the loop began.
    pub(crate) fn made(&self) -> Remembered {
        self.made
    }

    /// Whether it ran an operation.
    pub(crate) fn runs(&self) -> bool {
        self.last.runs
    }
}

impl Interpreter<'_> {
    /// A loop begins.
    pub(crate) fn watch(&mut self, begin: Begin, body: &[Stmt]) -> Watch {
        Watch {
            begin,
            place: self.place_of_body(body),
            made: remembered(),
            operations: self.trace.operations.len(),
            issues: self.trace.issues.len(),
            layers: self.work.costs.work()[1],
            steps: self.entry.steps,
            mark: self.heap.mark(),
            lengths: self.moment_of_lengths(),
            seen: FxHashSet::default(),
            held: FxHashMap::default(),
            last: Added::default(),
            counted: FxHashSet::default(),
            has_items: false,
            alike: 0,
        }
    }

    /// A loop over items begins that are known, or told apart.
    pub(crate) fn watch_items(&mut self, begin: Begin, body: &[Stmt]) -> Watch {
        Watch { has_items: true, ..self.watch(begin, body) }
    }

    /// An iteration begins.
    pub(crate) fn watch_iteration(&self, watch: &mut Watch) {
        watch.operations = self.trace.operations.len();
        watch.issues = self.trace.issues.len();
        watch.layers = self.work.costs.work()[1];
        watch.steps = self.entry.steps;
        watch.mark = self.heap.mark();
        watch.lengths = self.moment_of_lengths();
    }

    /// The iteration of this number is over, and `left` are left, where that is known. Whether they are not executed one by one: the loop is no short
    /// one, and this iteration added nothing, but in places that it `renewed`.
    pub(crate) fn is_stale(
        &mut self,
        watch: &mut Watch,
        renewed: &[Location],
        index: usize,
        left: Option<usize>,
    ) -> bool {
        self.compare_iterations(watch, renewed);
        let used = self.entry.steps.saturating_sub(watch.begin.steps);
        let per_iteration = used / (index as u64 + 1);
        let total = left.map_or(u64::MAX, |left| per_iteration.saturating_mul(left as u64));
        let is_within = |steps: u64| used <= steps || used.saturating_add(total) <= steps;
        let is_hasty = self.is_in_haste();
        let is_short = match is_hasty {
            true => is_within(STEPS_OF_A_SHORT_LOOP_IN_HASTE),
            false => {
                is_within(STEPS_OF_A_SHORT_LOOP)
                    || is_within(PATIENCE_WHERE_ASKED * STEPS_OF_A_SHORT_LOOP)
                        && per_iteration < STEPS_OF_COUNTING
                        && self.asks_for(&watch.last.counted, watch.steps)
            }
        };
        let is_last = self.is_last(watch);
        watch.alike = if is_last { watch.alike + 1 } else { 0 };
        // Of items that are known each is another one, and the table that they fill has an entry for each.
        let needed = match watch.last.runs {
            true if watch.has_items && !is_hasty => ITEMS_ALIKE,
            true => 1,
            false if watch.has_items && !(is_hasty && self.loops.stack.len() >= DEEP_NEST) => usize::MAX,
            false if self.is_in_great_haste() => 1,
            false => COUNTED_ONE_BY_ONE,
        };
        let is_stale = watch.alike >= needed
            && !is_short
            && left.is_none_or(|left| left > usize::from(watch.last.runs || !is_hasty))
            && (index >= BUILT_ONE_BY_ONE && !self.builds_layers(watch, index, left)
                || per_iteration > STEPS_TO_BUILD && !is_hasty
                || !self.heap.builds_since(watch.mark));
        if is_stale {
            self.note_last(watch);
        }
        is_stale
    }

    /// Whether items that differ are executed one by one, whatever those before them showed: not in the depth of nests, whose iterations multiply.
    pub(crate) fn tells_items_apart(&self) -> bool {
        self.loops.stack.len() < DEEP_NEST || !self.is_in_haste()
    }

    /// Whether the iteration that is over made a layer and ran none, as all those do that are left, of which there are not too many.
    fn builds_layers(&self, watch: &Watch, index: usize, left: Option<usize>) -> bool {
        let [_, layers] = self.work.costs.work();
        layers > watch.layers && !watch.last.runs && left.is_some_and(|left| index + left <= LAYERS_ONE_BY_ONE)
    }

    /// A round that stands for others is over, for which the head of the loop `assigned` these places. Whether another one, of values that are widened
    /// further, would show nothing that this one and those before it did not.
    pub(crate) fn adds_nothing(&mut self, watch: &mut Watch, assigned: &[Location]) -> bool {
        self.compare_iterations(watch, assigned);
        let adds_nothing =
            self.is_last(watch) && (self.is_in_haste() || !self.asks_for(&watch.last.counted, watch.steps));
        if adds_nothing {
            self.note_last(watch);
        }
        adds_nothing
    }

    /// Whether the iteration that was compared last counted a number that the program asks for, so that those to come may do something else.
    pub(crate) fn counts_what_is_asked(&mut self, watch: &Watch) -> bool {
        self.inference.is_none() && self.asks_for(&watch.last.counted, watch.steps)
    }

    /// Whether nothing new comes after the iteration that was compared last: it added nothing, or nothing came after one that did the same in an earlier
    /// execution of the loop.
    fn is_last(&self, watch: &Watch) -> bool {
        let is_known = || {
            let known = watch.place.and_then(|place| self.loops.last_iterations.get(&place));
            known.is_some_and(|known| known.contains(&watch.last.key))
        };
        let showed_nothing = || self.is_in_haste() && !self.showed_since(watch.steps);
        self.inference.is_none() && (!watch.last.anything || !watch.last.finds && (is_known() || showed_nothing()))
    }

    fn note_last(&mut self, watch: &Watch) {
        let Some(place) = watch.place else { return };
        let known = self.loops.last_iterations.entry(place).or_default();
        if known.len() < MOST_REMEMBERED {
            known.insert(watch.last.key);
        }
    }

    /// Compares the iteration that is over with those before it.
    fn compare_iterations(&mut self, watch: &mut Watch, assigned: &[Location]) {
        // Signatures are inferred of all iterations.
        if self.inference.is_some() {
            return;
        }
        let (operations, runs_new) = self.compare_operations(watch);
        let (places, leaves_new, counted) = self.compare_places(watch, assigned);
        let finds = self.trace.issues.len() != watch.issues;
        watch.last = Added {
            runs: self.trace.operations.len() > watch.operations,
            anything: runs_new || leaves_new || finds,
            finds,
            key: operations ^ places,
            counted,
        };
    }

    /// The operations of the iteration in one number, and whether one of them ran on an outline of shapes that was not seen before.
    fn compare_operations(&self, watch: &mut Watch) -> (u64, bool) {
        let (mut all, mut is_new) = (FxHashSet::default(), false);
        let mut together: u64 = 0;
        for operation in self.trace.operations.get(watch.operations..).unwrap_or_default() {
            let outline = outline_of_operation(operation, watch.made);
            if all.insert(outline) {
                together = together.wrapping_add(outline);
                is_new |= watch.seen.insert(outline);
            }
        }
        (together, is_new)
    }

    /// What the iteration left behind in one number; whether a place that lives on holds what has an outline that it did not have before; and the names
    /// of numbers and lengths that changed.
    fn compare_places(&self, watch: &mut Watch, assigned: &[Location]) -> (u64, bool, FxHashSet<Name>) {
        let before = self.heap.peek_old_since(watch.mark);
        let now = self.heap.peek_delta_since(watch.mark);
        let lives_on = |place: &Location, old: &Content| {
            !(self.is_note(*place, old) || self.heap.is_newer(*place, watch.mark) || assigned.contains(place))
        };
        let changes = before.iter().zip(&now).filter(|((place, old), _)| lives_on(place, old));
        let changes: Vec<Change<'_>> = changes.map(|((place, old), (_, new))| (*place, old, new)).collect();
        let counted = self.counted_names(&changes);
        let mut is_new = false;
        for (place, old, new) in &changes {
            // What changes only some iterations later may be handed on from place to place.
            is_new |= self.counted_name(*place, old, new).is_some() && watch.counted.insert(*place);
        }
        let mut together = 0_u64;
        for (location, old, new) in changes {
            let [old, new] = [old, new].map(|content| self.outline_of_content(content, watch.made));
            // An object that gets one attribute after another grows as a list does.
            let (Location::Attribute(id, _) | Location::Payload(id)) = location;
            let place = if old.is_some() { location } else { Location::Payload(id) };
            let held = watch.held.entry(place).or_insert_with(|| old.into_iter().collect());
            let Some(new) = new else { continue };
            if !held.contains(&new) {
                held.push(new);
                is_new = true;
            }
            if let Location::Attribute(_, name) = location {
                together = together.wrapping_add(FxBuildHasher.hash_one((name, new)));
            }
        }
        (together, is_new, counted)
    }

    /// The names of the numbers and of the lengths that changed.
    fn counted_names(&self, changes: &[Change<'_>]) -> FxHashSet<Name> {
        let mut counted: FxHashSet<Name> =
            changes.iter().filter_map(|(place, old, new)| self.counted_name(*place, old, new)).collect();
        let grown = changes.iter().filter_map(|(place, old, new)| match place {
            Location::Payload(id) if has_other_length(old, new) => Some(*id),
            _ => None,
        });
        let grown: FxHashSet<ObjectId> = grown.collect();
        if !grown.is_empty() {
            counted.extend(self.names_of(&grown));
        }
        counted
    }

    /// Whether a place holds what the analysis notes for itself, or what it was asked of an unknown value, which was so before.
    fn is_note(&self, location: Location, old: &Content) -> bool {
        let (Location::Attribute(id, _) | Location::Payload(id)) = location;
        let is_unknown = matches!(self.heap.peek(id).payload, Payload::Symbolic(_));
        matches!(location, Location::Attribute(_, name) if name.as_str().starts_with('#'))
            || is_unknown && matches!(old, Content::Attribute(None) | Content::Payload(_))
    }

    fn outline_of_content(&self, content: &Content, since: Remembered) -> Option<u64> {
        match content {
            Content::Attribute(value) => value.as_ref().map(|value| self.outline_of(value, since)),
            Content::Payload(payload) => Some(self.outline_of_payload(payload, since)),
        }
    }

    /// Names by which the running functions and methods know one of these collections.
    fn names_of(&self, collections: &FxHashSet<ObjectId>) -> Vec<Name> {
        let is_one = |value: &Value| match value {
            Value::List(id) | Value::Dict(id) | Value::Set(id) => collections.contains(id),
            _ => false,
        };
        let receivers = self.frames.iter().filter_map(|frame| match &frame.receiver {
            Some(Value::Instance(id)) => Some(*id),
            _ => None,
        });
        let scopes = self.frames.iter().map(|frame| frame.locals).chain(receivers);
        scopes
            .flat_map(|scope| self.heap.peek(scope).attributes.iter())
            .filter(|(_, value)| is_one(value))
            .map(|(name, _)| name)
            .collect()
    }

    /// The name of a number that an iteration changed, where it does not stand for any number already.
    fn counted_name(&self, location: Location, old: &Content, new: &Content) -> Option<Name> {
        let Location::Attribute(_, name) = location else { return None };
        let (Content::Attribute(Some(old)), Content::Attribute(Some(new))) = (old, new) else { return None };
        let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(Some(_)) | Value::Bool(_));
        (is_number(old) && is_number(new) && !self.is_equivalent(old, new)).then_some(name)
    }
}

/// Whether a collection of which all is known has more or fewer items than before.
fn has_other_length(old: &Content, new: &Content) -> bool {
    match (old, new) {
        (Content::Payload(Payload::List(old)), Content::Payload(Payload::List(new))) => {
            new.rest.is_none() && old.items.len() != new.items.len()
        }
        (Content::Payload(Payload::Dict(old)), Content::Payload(Payload::Dict(new))) => {
            new.rest.is_none() && old.entries.len() != new.entries.len()
        }
        _ => false,
    }
}
