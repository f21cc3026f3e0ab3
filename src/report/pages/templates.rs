//! Pages of a report: the templates, and what makes of their values harmless parts of a page or a document.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Value, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior};

use crate::markdown::{code_span, fence};

use super::styled_text;

/// The style sheet of the page.
pub const STYLE: &str = include_str!("templates/report.css");
/// The script of the page.
pub const SCRIPT: &str = include_str!("templates/report.js");
/// The style sheet of the pages of an audit.
pub const AUDIT_STYLE: &str = concat!(include_str!("templates/report.css"), include_str!("templates/audit.css"));
/// The script of the pages of an audit.
pub const AUDIT_SCRIPT: &str = include_str!("templates/audit.js");

const FILES: [(&str, &str); 17] = [
    ("head.html", include_str!("templates/head.html")),
    ("start.html", include_str!("templates/start.html")),
    ("finding.html", include_str!("templates/finding.html")),
    ("end.html", include_str!("templates/end.html")),
    ("macros.html", include_str!("templates/macros.html")),
    ("start.md", include_str!("templates/start.md")),
    ("finding.md", include_str!("templates/finding.md")),
    ("audit.html", include_str!("templates/audit.html")),
    ("audit-macros.html", include_str!("templates/audit-macros.html")),
    ("audit-start.html", include_str!("templates/audit-start.html")),
    ("audit-finding.html", include_str!("templates/audit-finding.html")),
    ("audit-group.html", include_str!("templates/audit-group.html")),
    ("audit-repository.html", include_str!("templates/audit-repository.html")),
    ("audit-rule.html", include_str!("templates/audit-rule.html")),
    ("audit-changes.html", include_str!("templates/audit-changes.html")),
    ("audit-end.html", include_str!("templates/audit-end.html")),
    ("audit.md", include_str!("templates/audit.md")),
];

/// The form of documents in Markdown: see [`format`].
const MARKDOWN: AutoEscape = AutoEscape::Custom(Cow::Borrowed("markdown"));

/// All templates.
///
/// # Errors
///
/// A template has a mistake.
pub fn environment() -> io::Result<Environment<'static>> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let mut syntax = SyntaxConfig::builder();
    // A tag alone on its line leaves nothing behind.
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build().map_err(io::Error::other)?);
    environment.set_auto_escape_callback(|name| if name.ends_with(".md") { MARKDOWN } else { AutoEscape::Html });
    environment.set_formatter(format);
    environment.add_global("version", env!("CARGO_PKG_VERSION"));
    environment.add_filter("prose", |text: &str| Value::from_safe_string(prose(text)));
    environment.add_filter("styled", |text: &str| Value::from_safe_string(styled(text)));
    environment.add_filter("fenced", |text: &str, info: &str| Value::from_safe_string(fence(info, text)));
    environment.add_filter("cell", |text: &str| Value::from_safe_string(code_span(text).replace('|', "\\|")));
    for (name, text) in FILES {
        environment.add_template(name, text).map_err(io::Error::other)?;
    }
    Ok(environment)
}

/// Writes a template with these values.
pub fn write(environment: &Environment<'_>, name: &str, values: Value, out: &mut dyn Write) -> io::Result<()> {
    let template = environment.get_template(name).map_err(io::Error::other)?;
    let text = template.render(values).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}

/// Writes a value of which the template says nothing. In a page it is the text of an element or a quoted attribute; in Markdown it stands in code:
/// there, nothing in it is a link, a mention, an image or HTML.
fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let is_markdown = *state.auto_escape() == MARKDOWN;
    match (value.kind(), value.as_str()) {
        (ValueKind::String, Some(safe)) if value.is_safe() => out.write_str(safe),
        (ValueKind::String, Some(text)) if is_markdown => out.write_str(&code_span(text)),
        (ValueKind::String, Some(text)) => out.write_str(&escaped(text)),
        (ValueKind::Number, _) => write!(out, "{value}"),
        _ => return Err(Error::new(ErrorKind::InvalidOperation, "only texts and numbers are written")),
    }
    .map_err(|_| Error::new(ErrorKind::WriteFailure, "the report cannot be written"))
}

/// Text with what stands between backticks as code.
fn prose(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    let parts: Vec<&str> = text.split('`').collect();
    for (index, part) in parts.iter().enumerate() {
        let is_code = index % 2 == 1;
        match is_code && index + 1 < parts.len() {
            true => {
                html.push_str("<code>");
                escape(part, &mut html);
                html.push_str("</code>");
            }
            false => {
                html.push_str(if is_code { "`" } else { "" });
                escape(part, &mut html);
            }
        }
    }
    html
}

/// Coloured text of a terminal as elements with classes.
fn styled(text: &str) -> String {
    let mut html = String::with_capacity(text.len() * 2);
    for run in styled_text::runs(text) {
        if run.style.is_empty() {
            escape(&run.text, &mut html);
        } else {
            // Writing to a text does not fail.
            let _ = write!(html, "<b class={}>", run.style);
            escape(&run.text, &mut html);
            html.push_str("</b>");
        }
    }
    html
}

fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    escape(text, &mut html);
    html
}

/// Text of an element or a quoted attribute. Reports have megabytes of it, so that no more is escaped than must be.
fn escape(text: &str, html: &mut String) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&#34;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_between_backticks_are_code() {
        assert_eq!(prose("`a<b>` is not `c`"), "<code>a&lt;b&gt;</code> is not <code>c</code>");
        assert_eq!(prose("one ` alone <"), "one ` alone &lt;");
    }

    #[test]
    fn styles_are_classes() {
        assert_eq!(styled("a\u{1b}[1m\u{1b}[91m<\u{1b}[0m"), "a<b class=red>&lt;</b>");
    }

    #[test]
    fn text_in_markdown_is_code_unless_a_template_says_otherwise() {
        let mut environment = environment().expect("templates");
        environment.add_template("t.md", "{{ x }} {{ n }} {{ x|cell }}{{ x|fenced('text') }}").expect("a template");
        let template = environment.get_template("t.md").expect("a template");
        let told = template.render(minijinja::context! { x => "@a|```", n => 3 }).expect("a text");
        assert_eq!(told, "```` @a|``` ```` 3 ```` @a\\|``` ````````text\n@a|```\n````\n");
        let none = template.render(minijinja::context! { x => (), n => 3 });
        assert!(none.is_err());
    }
}
