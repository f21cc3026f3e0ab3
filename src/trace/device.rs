//! The devices on which the trace's tensors lie.

/// Where a tensor lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    Cpu,
    Accelerator,
    /// The CPU or an accelerator, as the program decides at run time: `"cuda" if torch.cuda.is_available() else "cpu"`.
    Chosen,
    /// A device of which nothing is known, such as a parameter.
    Unknown,
}

impl Device {
    /// The word for it in the relations.
    pub fn word(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Accelerator => "accelerator",
            Device::Chosen => "chosen",
            Device::Unknown => "unknown",
        }
    }

    /// Where a tensor lies that lies on one or on the other.
    pub fn join(self, other: Device) -> Device {
        match (self, other) {
            (one, other) if one == other => one,
            (Device::Unknown, _) | (_, Device::Unknown) => Device::Unknown,
            _ => Device::Chosen,
        }
    }
}
