//! Audits of small repositories with the whole program.

mod facts;
mod folder;
mod hostile;
mod inputs;
mod reports;
mod resume;
mod sarif;
mod scene;
mod since;
