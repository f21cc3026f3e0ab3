//! The rule language: parser, checker, evaluation, proofs.
