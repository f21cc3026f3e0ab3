//! `harp test`: the results as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use harp_report::text::Color;
use harp_report::{json, terminal_escape};

use super::Failure;
use super::packs::{PackResult, Page, Totals};
use super::recorded::{Counts, Recorded};

/// For people: every failure as a difference, and a summary.
pub fn text(results: &[PackResult], color: Color, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint { color };
    for result in results {
        for page in &result.pages {
            page.result.failures.iter().try_for_each(|failure| difference(page, failure, &paint, out))?;
        }
        for failure in &result.failures {
            writeln!(out, "{}: {}\n", paint.red("failure"), terminal_escape::line(failure))?;
        }
        for warning in &result.warnings {
            writeln!(out, "{}: {}\n", paint.yellow("warning"), terminal_escape::line(warning))?;
        }
    }
    for result in results {
        if let Some(recorded) = &result.recorded {
            calls(recorded, out)?;
        }
        writeln!(out, "{}: {}", terminal_escape::line(&result.name), summary(result.totals()))?;
    }
    if results.len() > 1 {
        writeln!(out, "{} packs: {}", results.len(), summary(Totals::of(results)))?;
    }
    Ok(())
}

/// How many recorded calls of each API are as Harp says, and of all together in one line.
fn calls(recorded: &Recorded, out: &mut dyn Write) -> io::Result<()> {
    for (api, it) in &recorded.apis {
        let (right, unknown, wrong) = of_api(it);
        writeln!(out, "  {}: {right} right, {unknown} unknown, {wrong} wrong", terminal_escape::line(api))?;
    }
    let it = recorded.totals();
    let Counts { known, unknown, wrong, refused_here, reported, .. } = it;
    let (accepted, refused) = (it.accepted(), it.refused());
    write!(out, "recorded calls: {accepted} accepted ({known} known{}, ", percent(known, accepted))?;
    write!(out, "{unknown} unknown, {wrong} wrong, {refused_here} false), ")?;
    write!(out, "{refused} refused ({reported} reported{})", percent(reported, refused))?;
    for (count, what) in [(it.open, "depend on values"), (recorded.left_out, "left out")] {
        if count > 0 {
            write!(out, ", {count} {what}")?;
        }
    }
    writeln!(out)
}

/// What is right of an API, what is not known, and what is wrong.
fn of_api(it: &Counts) -> (usize, usize, usize) {
    (it.known + it.reported, it.unknown + it.open + it.missed, it.wrong + it.refused_here)
}

/// A part of a whole as ` = 96.3 %`; nothing of nothing. It is rounded down, so that only all is 100 %.
fn percent(part: usize, whole: usize) -> String {
    let Some(thousandths) = (part * 1000).checked_div(whole) else { return String::new() };
    format!(" = {}.{} %", thousandths / 10, thousandths % 10)
}

/// The place with the line's source, then what was expected and what was found.
fn difference(page: &Page, failure: &Failure, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{}:{}: {}",
        terminal_escape::path(&page.file),
        failure.line,
        terminal_escape::line(source(page, failure).trim())
    )?;
    let message = failure.message.as_deref().unwrap_or("");
    message.lines().try_for_each(|line| writeln!(out, "  {}", paint.red(&terminal_escape::line(line))))?;
    for expected in &failure.expected {
        writeln!(out, "  {}", paint.red(&format!("- expected {}", terminal_escape::line(expected))))?;
    }
    for found in &failure.found {
        writeln!(out, "  {}", paint.green(&format!("+ found    {}", terminal_escape::line(found))))?;
    }
    writeln!(out)
}

fn source<'p>(page: &'p Page, failure: &Failure) -> &'p str {
    page.text.lines().nth(failure.line.saturating_sub(1)).unwrap_or("")
}

fn summary(totals: Totals) -> String {
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut parts = vec![
        counted(totals.pages, "page"),
        counted(totals.blocks, "block"),
        counted(totals.statements, "statement"),
        counted(totals.failures, "failure"),
    ];
    if totals.warnings > 0 {
        parts.push(counted(totals.warnings, "warning"));
    }
    parts.join(", ")
}

/// Colours, or none.
struct Paint {
    color: Color,
}

impl Paint {
    fn red(&self, text: &str) -> String {
        self.paint("31", text)
    }

    fn green(&self, text: &str) -> String {
        self.paint("32", text)
    }

    fn yellow(&self, text: &str) -> String {
        self.paint("33", text)
    }

    fn paint(&self, code: &str, text: &str) -> String {
        match self.color {
            Color::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Color::Never => text.to_owned(),
        }
    }
}

/// For programs; `docs/output.md` describes it.
pub fn json(results: &[PackResult], out: &mut dyn Write) -> io::Result<()> {
    let packs: Vec<Value> = results.iter().map(pack).collect();
    let document = json!({
        "version": 1,
        "tool": { "name": "harp", "version": env!("CARGO_PKG_VERSION") },
        "packs": packs,
        "summary": totals(Totals::of(results)),
    });
    json::write(&document, out)
}

fn pack(result: &PackResult) -> Value {
    let pages = result.pages.iter().map(|page| {
        let failures = page.result.failures.iter().map(|failure| {
            json!({
                "line": failure.line,
                "source": source(page, failure).trim(),
                "message": failure.message,
                "expected": failure.expected,
                "found": failure.found,
            })
        });
        json!({
            "file": page.file,
            "blocks": page.result.blocks,
            "statements": page.result.statements,
            "failures": failures.collect::<Vec<_>>(),
        })
    });
    let mut pack = json!({
        "name": result.name,
        "pages": pages.collect::<Vec<_>>(),
        "failures": result.failures,
        "warnings": result.warnings,
        "summary": totals(result.totals()),
    });
    if let Some(recorded) = &result.recorded {
        let apis = recorded.apis.iter().map(|(api, it)| {
            let (right, unknown, wrong) = of_api(it);
            json!({ "api": api, "right": right, "unknown": unknown, "wrong": wrong })
        });
        let gaps = recorded.gaps.iter();
        let gaps = gaps.map(|gap| json!({ "line": gap.line, "code": gap.code, "found": gap.found }));
        let it = recorded.totals();
        pack["recorded"] = json!({
            "apis": apis.collect::<Vec<_>>(),
            "left_out": recorded.left_out,
            "gaps": gaps.collect::<Vec<_>>(),
            "totals": {
                "known": it.known,
                "unknown": it.unknown,
                "depend_on_values": it.open,
                "wrong": it.wrong,
                "false": it.refused_here,
                "reported": it.reported,
                "not_reported": it.missed,
            },
        });
    }
    pack
}

fn totals(totals: Totals) -> Value {
    json!({
        "pages": totals.pages,
        "blocks": totals.blocks,
        "statements": totals.statements,
        "failures": totals.failures,
        "warnings": totals.warnings,
    })
}
