//! The keys of the configuration: one table that the reader, its complaints and the JSON schema are made of.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::table::Table;
use super::values::{EffortName, GradeName, ProgramArguments, Seconds, Size};
use crate::options::SolverName;

/// A key of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As the reader names it, with `_` where its user writes `-`.
    field: &'static str,
    /// What it says, in a sentence or two.
    description: &'static str,
    /// What values it takes.
    pub form: Form,
}

impl Key {
    /// As it is written.
    pub fn name(&self) -> String {
        self.field.replace('_', "-")
    }

    /// What it says, in a sentence or two.
    pub fn description(&self) -> &'static str {
        self.description.trim()
    }
}

/// What values a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// `true` or `false`.
    Flag,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// One of these.
    OneOf(&'static [&'static str]),
    /// The name of a kind of assumption.
    AssumptionKind,
    /// A whole number from that on.
    WholeNumber(u64),
    /// A number of bytes, or a text such as `"5MiB"`.
    Size,
    /// A number of seconds.
    Seconds,
    /// A text, or a list of its words.
    Words,
    /// A table from rules to one of these.
    TableOf(&'static [&'static str]),
    /// A table from patterns to lists of rules.
    TableOfTexts,
    /// A table with these keys.
    Table(&'static [Key]),
    /// A list of tables with these keys.
    Tables(&'static [Key]),
}

/// Makes what reads a table of the configuration, and the list of its keys.
macro_rules! keys {
    ($(#[doc = $about:literal])* $raw:ident, $list:ident: $($(#[doc = $text:literal])+ $field:ident: $type:ty = $form:expr;)+) => {
        $(#[doc = $about])*
        #[derive(Default, Deserialize)]
        #[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
        pub(crate) struct $raw {
            $($(#[doc = $text])+ pub $field: $type,)+
        }

        $(#[doc = $about])*
        pub const $list: &[Key] = &[
            $(Key { field: stringify!($field), description: concat!($($text),+), form: $form }),+
        ];
    };
}

type Texts = Vec<Spanned<String>>;

keys! {
    /// The configuration.
    RawConfig, KEYS:

    /// Annotation files, library packs, or folders of such, beside the built-in ones; relative to this file.
    annotations: Vec<PathBuf> = Form::Texts;
    /// The command line of the analysed programs, without their names.
    args: Option<ProgramArguments> = Form::Words;
    /// Assumptions that hold.
    assume: Vec<Spanned<Table<RawAnswer>>> = Form::Tables(ANSWER_KEYS);
    /// The file with the findings that are known already and not reported; relative to this file.
    baseline: Option<Spanned<PathBuf>> = Form::Text;
    /// Assumptions that do not hold.
    deny: Vec<Spanned<Table<RawAnswer>>> = Form::Tables(ANSWER_KEYS);
    /// How far each entry is followed.
    effort: Option<EffortName> = Form::OneOf(&["low", "normal", "high"]);
    /// Files and folders to leave out: patterns as in a `.gitignore`.
    exclude: Texts = Form::Texts;
    /// Rules, packs or beginnings of ids (`perf/loop-*`) that are reported beside those of `select`.
    extend_select: Texts = Form::Texts;
    /// Whether `exclude` also leaves out what is given by name.
    force_exclude: bool = Form::Flag;
    /// Rules, packs or beginnings of ids (`perf/loop-*`) that are not reported.
    ignore: Texts = Form::Texts;
    /// Larger files are skipped and reported.
    max_file_size: Option<Size> = Form::Size;
    /// The memory that an analysis may use; a configuration of the project sets no more than 2GiB.
    memory: Option<Spanned<Size>> = Form::Size;
    /// Folders with rule packs of your own, relative to this file.
    packs: Vec<PathBuf> = Form::Texts;
    /// Rules that are not reported in some files: a table from patterns as in a `.gitignore`, relative to this file, to rules, packs or beginnings of ids.
    per_file_ignores: BTreeMap<Spanned<String>, Texts> = Form::TableOfTexts;
    /// The Python environment whose packages are read and never executed: its folder or interpreter, relative to this file.
    python: Option<PathBuf> = Form::Text;
    /// Rules, packs or beginnings of ids (`perf/loop-*`) that are reported, and no others.
    select: Option<Texts> = Form::Texts;
    /// Severities in place of the rules' own, by rule, pack or beginning of ids; the more specific name wins, and `off` means that nothing is reported.
    severity: BTreeMap<Spanned<String>, GradeName> = Form::TableOf(&["error", "warning", "note", "off"]);
    /// Who is asked about what the solver cannot decide, where the machine has it; in a configuration outside of the project alone.
    solver: Option<Spanned<SolverName>> = Form::OneOf(&["z3"]);
    /// What is not speculated on.
    speculate: Table<RawSpeculation> = Form::Table(SPECULATION_KEYS);
    /// The statements and calls of one entry that are followed at most, in place of those of the effort; a configuration of the project sets no more than 1,000,000.
    steps: Option<Spanned<u64>> = Form::WholeNumber(0);
    /// The seconds after which the programs of this configuration are not followed any more; results depend on the machine.
    time_limit: Option<Seconds> = Form::Seconds;
}

keys! {
    /// Which assumptions an answer means: all that is given fits.
    RawAnswer, ANSWER_KEYS:

    /// Assumptions of this kind.
    kind: Option<Spanned<String>> = Form::AssumptionKind;
    /// Assumptions placed in files whose last parts fit: `train.py`, `src/**/*.py`.
    file: Option<String> = Form::Text;
    /// Assumptions placed on this line, of a notebook's cell; only together with `file`.
    line: Option<Spanned<u32>> = Form::WholeNumber(0);
    /// Assumptions about exactly this, as the program names it.
    subject: Option<String> = Form::Text;
    /// Assumptions whose sentence contains this.
    text: Option<String> = Form::Text;
}

keys! {
    /// What is said of speculation as a whole.
    RawSpeculation, SPECULATION_KEYS:

    /// Patterns of speculation that are not used, by name or class.
    disable: Texts = Form::Texts;
}
