//! Interpreter state of library models: settings, files that were saved, loaders and their batches, masks, layouts in
//! memory, modes.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::api::fed_operations::FedOperations;
use crate::heap::objects::Payload;
use crate::loops::lists_filled_by_batches::Pass;
use crate::state::saved_file::SavedFile;
use crate::state::scoped_table::Scoped;
use crate::state::settings_in_files::Settings;
use crate::state::tracing::Tracing;
use crate::values::memory_layout::Strides;
use crate::values::value::{DecisionId, Device, ObjectId, OperationId};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::{DType, Dim, Remembered, ShapeVar, Var};

/// What libraries remember while a program runs: settings, files that were saved, loaders and their batches, masks, layouts in memory, modes.
pub struct ModelState<'p> {
    /// The numbers of samples and sizes of batches of loaders, with the size of the last batch.
    pub last_batches: Vec<(Dim, Dim, Dim)>,
    /// How much a mask selects, by the operation that made the mask.
    pub mask_counts: Scoped<OperationId, Dim>,
    /// The object whose attributes are the files that the entry has written, by path.
    pub saved: Option<ObjectId>,
    /// Where the entry wrote each of them last.
    pub saved_at: BTreeMap<Name, Span>,
    /// The files that scripts before the entry have written.
    pub saved_files: Vec<SavedFile>,
    /// Tables of text that were read: by the number of their records, the shape of one.
    pub text_tables: Scoped<Var, ShapeVar>,
    /// Lists that a pass over mini-batches filled, as they were then.
    pub passes: Scoped<ObjectId, (Payload, Pass)>,
    /// Whether a loader has a smaller last batch, by where it was made and how the question reads.
    pub batch_decisions: Scoped<(Span, String), DecisionId>,
    /// Where tensors are made of which the program does not say where.
    pub default_device: Device,
    /// The element type of new tensors of floats; not known once the program has set another than PyTorch's.
    pub default_float: DType,
    /// Operations on tensors that runs of the program feed.
    pub(crate) fed: FedOperations<'p>,
    /// The traces of `torch.fx` that are running.
    pub tracing: Tracing,
    /// The modules that run in replicas, each with the sizes that a replica's part of the batch decides, and what they are of the whole batch.
    pub replicas: Vec<Vec<(Dim, Dim)>>,
    /// How the results of operations lie in memory, where that is known.
    pub strides: Scoped<OperationId, Strides>,
    /// Whether weights of the program may lie in memory channel by channel.
    pub channels_last: OnceCell<bool>,
    /// Files of settings that were read, and what they made.
    pub settings: Settings,
}

/// How many changes of each table can be taken back at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelMoment {
    mask_counts: usize,
    strides: usize,
    batch_decisions: usize,
    text_tables: usize,
    passes: usize,
}

impl<'p> ModelState<'p> {
    /// The same before anything ran.
    pub(crate) fn new(registry: ObjectId) -> Self {
        ModelState {
            last_batches: Vec::new(),
            mask_counts: Default::default(),
            saved: None,
            saved_at: BTreeMap::new(),
            saved_files: Vec::new(),
            text_tables: Scoped::default(),
            passes: Scoped::default(),
            batch_decisions: Scoped::default(),
            default_device: Device::Cpu,
            default_float: DType::Float32,
            fed: FedOperations::default(),
            tracing: Default::default(),
            replicas: Vec::new(),
            strides: Scoped::default(),
            channels_last: OnceCell::new(),
            settings: Settings::new(registry),
        }
    }

    /// Forgets what the last entry left behind.
    pub(crate) fn begin_entry(&mut self) {
        self.last_batches.clear();
        self.saved = None;
        self.saved_at.clear();
    }

    /// The moment to which it can go back.
    pub(crate) fn moment(&self) -> ModelMoment {
        ModelMoment {
            mask_counts: self.mask_counts.len(),
            strides: self.strides.len(),
            batch_decisions: self.batch_decisions.len(),
            text_tables: self.text_tables.len(),
            passes: self.passes.len(),
        }
    }

    /// Takes back what was said of objects and operations since a moment.
    pub(crate) fn go_back(&mut self, moment: ModelMoment) {
        self.mask_counts.forget_since(moment.mask_counts);
        self.strides.forget_since(moment.strides);
        self.batch_decisions.forget_since(moment.batch_decisions);
        self.passes.forget_since(moment.passes);
    }

    /// Takes back what was said of sizes since a moment, of which `remembered` tells those that were there.
    pub(crate) fn forget_sizes(&mut self, moment: ModelMoment, remembered: Remembered) {
        self.text_tables.forget_since(moment.text_tables);
        self.settings.retain(&|var| remembered.has(var));
        self.last_batches.clear();
    }
}
