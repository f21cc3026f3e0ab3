//! Findings and how they are shown: text, JSON, SARIF.
