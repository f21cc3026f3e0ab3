//! The trace's record of what tells whether two executions of an operation compute the same.

use std::num::NonZeroU64;

use crate::device::Device;

/// What an execution depends on besides the tensors that it is given.
///
/// Two executions of one API give equal results if they are given the same tensors, and all of this is equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Identity {
    /// The library object that was called, and with it its weights; 0 for functions.
    pub object: u32,
    /// What is known of that object: its index in the trace and 1; 0 for functions.
    pub described: u32,
    /// Whether it is a module that evaluates: then dropout does nothing, and statistics stay as they are.
    pub evaluates: bool,
    /// Where the weights of the called module lie, as far as the program has moved them.
    pub weights: Option<Device>,
    /// Stands for the arguments that are no tensors; `None` where not all of them are known.
    pub settings: Option<NonZeroU64>,
    /// How often something that later executions may read was changed in place before: a tensor, the weights of a module, anything that was
    /// given to code that is not followed.
    pub state: u32,
    /// After how many of these changes what it reads itself was as it is: its tensors, and the object that is called.
    pub read: u32,
    /// Stands for the shape of its result; `None` where it gives several tensors or none.
    pub result: Option<NonZeroU64>,
    /// The loop in which one execution stands for many; 0 for one that is followed for itself.
    pub many: u32,
    /// Executions with the same number run one after the other, whatever branches are taken.
    pub way: u32,
}
