//! The slot of a name in the tables of built-in annotations: the build script and the reader compute it alike.

/// The first slot at which a name may lie, in a table of `slots` slots, a power of two; the next ones follow it.
pub fn first_slot(name: &str, slots: usize) -> usize {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = name.len() as u64;
    for chunk in name.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(SPREAD);
    }
    // The upper bits depend on all that was mixed in.
    (hash ^ (hash >> 32)).wrapping_mul(SPREAD).checked_shr(64 - slots.trailing_zeros()).unwrap_or(0) as usize
}
