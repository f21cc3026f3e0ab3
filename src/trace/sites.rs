//! What is known of each expression that was executed. There are very many of them, so that they lie one after the other, and what finds
//! them by place is small.

use rustc_hash::FxHashMap;

use crate::ValueKind;
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
    pub dtype: Option<DType>,
    /// Where the tensors that it had as its value lay.
    pub device: Option<Device>,
    /// Functions and classes of libraries and of Python that were called, by qualified name.
    pub library: Few<Name>,
    /// Functions of the program that the call resolved to, by the place of their definition.
    pub callees: Few<Span>,
    /// Whether an object of a library's class is called here, and none made.
    pub calls_object: bool,
}

impl Site {
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
}

impl Sites {
    pub fn get(&self, span: &Span) -> Option<&Site> {
        self.sites.get(*self.numbers.get(span)? as usize)
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
