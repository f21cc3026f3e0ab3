//! The augmented computation graph and its relations, the contract with rule authors.
