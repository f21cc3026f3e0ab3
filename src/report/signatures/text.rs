//! Inferred signatures as text for people.

use std::io::{self, Write};

use crate::terminal_escape::{line, path};
use harp_corpus::Span;
use harp_trace::inferred_signature::{Alternative, InferredFunction, Problem};

use super::{Names, Signatures, conjunction, signature};

/// Writes every function with its signatures, and what each rests on.
pub fn render(signatures: &Signatures<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut is_first = true;
    for function in signatures.shown() {
        if !std::mem::take(&mut is_first) {
            writeln!(out)?;
        }
        Page { signatures, function }.write(out)?;
    }
    let hidden = signatures.hidden();
    if hidden > 0 {
        let gap = if is_first { "" } else { "\n" };
        match hidden {
            1 => writeln!(out, "{gap}1 function takes no tensor and gives none; `--all` shows it too")?,
            _ => writeln!(out, "{gap}{hidden} functions take no tensor and give none; `--all` shows them too")?,
        }
    }
    Ok(())
}

struct Page<'a> {
    signatures: &'a Signatures<'a>,
    function: &'a InferredFunction,
}

impl Page<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let function = self.function;
        writeln!(out, "{}: {}", self.place(function.span), line(&function.name))?;
        for alternative in &function.alternatives {
            self.alternative(alternative, out)?;
        }
        for problem in &function.problems {
            let lead = if function.alternatives.is_empty() { "incomplete: " } else { "perhaps not all: " };
            writeln!(out, "    {lead}{}", self.problem(problem))?;
        }
        Ok(())
    }

    fn alternative(&self, alternative: &Alternative, out: &mut dyn Write) -> io::Result<()> {
        let mut indent = "    ";
        if !alternative.conditions.is_empty() {
            writeln!(out, "{indent}when {}:", line(&conjunction(&alternative.conditions)))?;
            indent = "      ";
        }
        if let Some(clash) = &alternative.clash {
            return writeln!(out, "{indent}fails: {}", self.problem(clash));
        }
        writeln!(out, "{indent}{}", line(&signature(&self.function.parameters, alternative, Names::Shown)))?;
        for requirement in &alternative.requirements {
            writeln!(out, "{indent}  requires {}", line(requirement))?;
        }
        if let Some(reason) = alternative.result.unknown() {
            writeln!(out, "{indent}  result unknown: nothing is known of `{}`", line(reason))?;
        }
        let mut number = 0;
        for assumption in &alternative.assumptions {
            number += 1;
            writeln!(out, "{indent}  assumes {number}: {}", line(&assumption.text))?;
        }
        for problem in &alternative.not_understood {
            number += 1;
            let text = format!("not understood, and taken to leave shapes alone: {}", self.problem(problem));
            writeln!(out, "{indent}  assumes {number}: {text}")?;
        }
        Ok(())
    }

    fn problem(&self, problem: &Problem) -> String {
        match problem.span {
            Some(span) => format!("{} ({})", line(&problem.text), self.place(span)),
            None => line(&problem.text),
        }
    }

    fn place(&self, span: Span) -> String {
        let position = self.signatures.sources.position(span.file, span.start);
        let name = path(self.signatures.sources.name(span.file));
        match position.cell {
            Some(cell) => format!("{name}:cell {cell}:{}:{}", position.line, position.column),
            None => format!("{name}:{}:{}", position.line, position.column),
        }
    }
}
