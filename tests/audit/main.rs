//! Audits of small repositories with the whole program.

mod hostile;
mod inputs;
mod resume;
mod scene;
mod since;
