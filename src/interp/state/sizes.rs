//! Interpreter state: what is remembered of sizes beside the solver's constraints, and of guesses about them.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::paths::join::SharedSizes;
use crate::values::math_of_settings::SettledMath;
use crate::values::random_integers::Draws;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_shape::{ShapeVar, Var};
use harp_trace::assumption::AssumptionId;

/// What is remembered of sizes beside the solver's constraints, and of guesses about them.
pub struct Sizes {
    /// The tuples that were made last of sizes of tensors: a class of tensors takes them for sizes, and others for data.
    pub recent: VecDeque<Rc<[Value]>>,
    /// Integers that were drawn at random.
    pub draws: Draws,
    /// What functions of numbers gave for settings.
    pub settled_math: SettledMath,
    /// Sizes that stand for several where ways meet.
    pub shared: SharedSizes,
    /// Sizes of the weights of layers that were made: no layer is made without channels or features.
    pub layer_sizes: FxHashSet<Var>,
    /// The places that reasons of the solver stand for.
    pub reasons: Vec<Span>,
    /// How often a tensor was given another shape where it is.
    pub reshapes: u64,
    /// By the assumption that an operand has some number of dimensions: how many more it could have instead, or less.
    pub guessed_ranks: FxHashMap<AssumptionId, Vec<i64>>,
    /// How many speculations were not made, since the user denies them.
    pub denials: usize,
    /// These assumptions by the variables of the operand's shape.
    pub guessed_shapes: FxHashMap<ShapeVar, AssumptionId>,
}

impl Sizes {
    /// The same before anything ran.
    pub(crate) fn new() -> Self {
        Sizes {
            recent: VecDeque::new(),
            draws: Default::default(),
            settled_math: Default::default(),
            shared: Default::default(),
            layer_sizes: Default::default(),
            reasons: Vec::new(),
            reshapes: 0,
            guessed_ranks: FxHashMap::default(),
            denials: 0,
            guessed_shapes: FxHashMap::default(),
        }
    }

    /// Forgets what is remembered of the sizes of an entry.
    pub(crate) fn forget(&mut self) {
        self.recent.clear();
        self.guessed_shapes.clear();
        self.draws.clear();
        self.settled_math.clear();
    }
}
