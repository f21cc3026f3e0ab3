//! The one content hash of files and texts (BLAKE3): equal content has equal digests, and nobody finds other content of
//! the same digest.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// BLAKE3 of a value, as its `Hash` feeds it: the same in every run of one build of the program on one kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of a value.
    pub fn of<T: Hash + ?Sized>(value: &T) -> Digest {
        let mut hasher = Feeding(blake3::Hasher::new());
        value.hash(&mut hasher);
        Digest(hasher.0.finalize().into())
    }

    /// The digest of bytes alone.
    pub fn of_bytes(bytes: &[u8]) -> Digest {
        Digest(blake3::hash(bytes).into())
    }

    /// The digest in hexadecimal digits.
    pub fn hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

struct Feeding(blake3::Hasher);

impl Hasher for Feeding {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let Digest(bytes) = Digest(self.0.finalize().into());
        u64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_one_text_ends_and_the_next_begins_matters() {
        assert_ne!(Digest::of(&("ab", "c")), Digest::of(&("a", "bc")));
        assert_eq!(Digest::of(&("ab", "c")), Digest::of(&("ab", "c")));
        assert_eq!(Digest::of_bytes(b"").hex(), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    }
}
