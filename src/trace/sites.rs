//! The trace's record of expressions: what is known of each that was executed. There are very many of them, so that
//! they lie one after the other, and what finds them by place is small.

use rustc_hash::FxHashMap;

use crate::ValueKind;
use crate::assumption::AssumptionSet;
use crate::device::Device;
use crate::small_set::Few;
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::{DType, Shape};

/// What is known of an expression, over all its executions.
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// Library APIs that the call or operator resolved to.
    pub apis: Few<Name>,
    /// Kinds of value that the expression had.
    pub kinds: Few<ValueKind>,
    pub shape: Option<Shape>,
    elements: Elements,
    rank: Rank,
    pub dtype: Option<DType>,
    /// Where the tensors that it had as its value lay.
    pub device: Option<Device>,
    /// Functions and classes of libraries and of Python that were called, by qualified name.
    pub library: Few<Name>,
    /// Functions of the program that the call resolved to, by the place of their definition.
    pub callees: Few<Span>,
    /// Whether an object of a library's class is called here, and none made.
    pub calls_object: bool,
    /// The calls and operators that made its values, where it was an argument and others than itself made them.
    pub origins: Origins,
    /// What the APIs rest on, and what the value does.
    pub apis_assume: Grounds,
    pub value_assumes: Grounds,
    /// What the number of elements rests on besides.
    pub sizes_assume: Ground,
}

/// The places of calls that made something; few of them, or so many that they say nothing.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    places: Few<Span>,
    are_many: bool,
}

impl Origins {
    /// So many are kept.
    const MOST: usize = 4;

    /// One more.
    pub fn add(&mut self, place: Span) {
        if self.are_many || self.places.contains(&place) {
            return;
        }
        self.are_many = self.places.len() == Self::MOST;
        match self.are_many {
            true => self.places = Few::None,
            false => self.places.add(place),
        }
    }

    /// All of them; none where there are too many.
    pub fn places(&self) -> &[Span] {
        &self.places
    }
}

/// A set of assumptions, by its number in [`Sites`]; there are few different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ground(u32);

impl Ground {
    /// Nothing is assumed.
    pub const CERTAIN: Ground = Ground(1);
}

/// What something that was seen in several executions rests on: nothing where one of them assumed nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Grounds(Ground);

impl Grounds {
    /// Notes a further execution.
    pub fn add(&mut self, ground: Ground) {
        if ground == Ground::CERTAIN || self.0 == Ground::default() {
            self.0 = ground;
        }
    }
}

impl From<Ground> for Grounds {
    fn from(ground: Ground) -> Grounds {
        Grounds(ground)
    }
}

/// A number of elements, and 1; 0 where none is known.
#[derive(Debug, Clone, Copy, Default)]
struct Elements(u64);

/// How many dimensions tensors had.
#[derive(Debug, Clone, Copy, Default)]
enum Rank {
    #[default]
    Unseen,
    Always(u8),
    Unknown,
}

impl Site {
    /// Notes the shape of a tensor that was its value, and what its sizes at the defaults rest on.
    pub fn has_shape(&mut self, shape: &Shape, ground: Ground) {
        if let Some(count) = shape.count_at_defaults().and_then(|count| u64::try_from(count).ok()) {
            let count = count.saturating_add(1);
            if self.elements.0 == 0 || count < self.elements.0 {
                self.elements = Elements(count);
                self.sizes_assume = ground;
            }
        }
        let rank = shape.rank().and_then(|rank| u8::try_from(rank).ok());
        self.rank = match (self.rank, rank) {
            (Rank::Unseen, Some(rank)) => Rank::Always(rank),
            (Rank::Always(known), Some(rank)) if known == rank => Rank::Always(rank),
            _ => Rank::Unknown,
        };
    }

    /// The least number of elements that its value had, at the defaults of what is configured.
    pub fn elements(&self) -> Option<i64> {
        i64::try_from(self.elements.0.checked_sub(1)?).ok()
    }

    /// The number of dimensions, where it is known and always the same.
    pub fn rank(&self) -> Option<usize> {
        if let Rank::Always(rank) = self.rank { Some(usize::from(rank)) } else { None }
    }

    /// Notes where a tensor that was its value lay.
    pub fn lies_on(&mut self, device: Device) {
        self.device = Some(self.device.map_or(device, |known| known.join(device)));
    }
}

/// The expressions that were executed, by place.
#[derive(Debug, Default)]
pub struct Sites {
    numbers: FxHashMap<Span, u32>,
    sites: Vec<Site>,
    /// The one that was noted last: mostly several things are noted of one after the other.
    last: Option<(Span, u32)>,
    /// Sets of assumptions, without the empty one, and where each stands.
    sets: Vec<AssumptionSet>,
    numbers_of_sets: FxHashMap<AssumptionSet, Ground>,
}

impl Sites {
    pub fn get(&self, span: &Span) -> Option<&Site> {
        self.sites.get(*self.numbers.get(span)? as usize)
    }

    /// The number of a set of assumptions.
    pub fn ground(&mut self, assumptions: &AssumptionSet) -> Ground {
        if assumptions.is_empty() {
            return Ground::CERTAIN;
        }
        if let Some(known) = self.numbers_of_sets.get(assumptions) {
            return *known;
        }
        self.sets.push(assumptions.clone());
        let ground = Ground(self.sets.len() as u32 + 1);
        self.numbers_of_sets.insert(assumptions.clone(), ground);
        ground
    }

    /// The numbers of the assumptions that something rests on.
    pub fn assumed(&self, grounds: impl Into<Grounds>) -> Vec<u32> {
        let set = (grounds.into().0.0 as usize).checked_sub(2).and_then(|index| self.sets.get(index));
        set.iter().flat_map(|set| set.iter()).map(|id| id.0).collect()
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Span, &Site)> {
        self.numbers.iter().filter_map(|(span, number)| Some((*span, self.sites.get(*number as usize)?)))
    }

    /// What is known of an expression, to note more of it.
    pub fn at(&mut self, span: Span) -> &mut Site {
        let number = match self.last {
            Some((last, number)) if last == span => number,
            _ => *self.numbers.entry(span).or_insert(self.sites.len() as u32),
        };
        self.last = Some((span, number));
        if number as usize == self.sites.len() {
            self.sites.push(Site::default());
        }
        &mut self.sites[number as usize]
    }

    pub fn clear(&mut self) {
        *self = Sites::default();
    }
}
