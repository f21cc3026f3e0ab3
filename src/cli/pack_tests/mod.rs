//! Runs the Python blocks of Markdown files and compares what Harp says with what their comments state. The form is described in
//! `CONTRIBUTING.md`.

pub mod cases;
mod check;
mod command;
mod expectations;
mod library_packs;
mod packs;
mod recorded;
mod render;
mod signatures;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use harp_corpus::{Corpus, NamedPath};
use harp_datalog::Program;
use harp_report::{Finding, RuleDescription, Summary, closest};

use super::config;
use super::defects::Defects;
use super::external_facts::FactSource;
use super::pipeline::{self, AnalysisOptions, Examined, RULES_OF_NO_PACK, Rules, SYNTAX_RULE};
use super::progress::Progress;
use super::subject::Subject;
use crate::answer_findings::{CONTRADICTED_RULE, MALFORMED_RULE, UNUSED_RULE};
use crate::argument_types;

use cases::Case;
pub(super) use command::run as run_command;
pub(super) use library_packs::is_one as is_library_pack;

/// Rules of no pack, whose findings say that the block itself is wrong.
const RULES_OF_BLOCKS: [&str; 4] = [SYNTAX_RULE, CONTRADICTED_RULE, MALFORMED_RULE, UNUSED_RULE];

/// The pack whose findings say that sizes do not fit.
const PACK_OF_SHAPES: &str = "shape";

/// A line whose statements do not hold, or that something is wrong with.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failure {
    /// The line of the Markdown file, from 1.
    pub line: usize,
    /// What is wrong, where it is not a difference between what is stated and what was found.
    pub message: Option<String>,
    /// The statements that do not hold, as they are written.
    pub expected: Vec<String>,
    /// What Harp says of the line and nobody stated, or in place of what was stated.
    pub found: Vec<String>,
}

impl Failure {
    /// Something that is wrong with a line of the Markdown file, counted from 1.
    pub fn new(line: usize, message: impl Into<String>) -> Failure {
        Failure { line, message: Some(message.into()), ..Failure::default() }
    }
}

/// What came of a Markdown file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageResult {
    /// How many Python blocks it has.
    pub blocks: usize,
    /// How many statements their comments make.
    pub statements: usize,
    /// By line.
    pub failures: Vec<Failure>,
    /// What was odd about the rules while they ran, each once.
    pub warnings: BTreeSet<String>,
    /// The rules that have findings which a statement expects.
    pub found: BTreeSet<String>,
    /// Whether some line is stated to have no finding of any rule.
    pub has_ok: bool,
    /// The rules that are stated to have no finding on some line.
    pub silent: BTreeSet<String>,
}

/// Whose findings a page must state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Those of all rules.
    All,
    /// Those of the pack's own rules and of the rules that the page names. Packs that are written later must not break a page.
    OwnAndNamed,
}

/// What Markdown files are run with.
pub struct Bench<'a> {
    program: Option<&'a Program<'a>>,
    rules: Vec<RuleDescription>,
    /// The pack whose rules may be named without it.
    pack: Option<&'a str>,
    counted: Counted,
    /// The folder that files named by a page's configuration lie in.
    folder: Option<PathBuf>,
    /// The library pack that the pages test, and those that it needs.
    libraries: Vec<NamedPath>,
    /// No program with what these libraries say, which is read once.
    ready: OnceLock<Subject>,
}

impl<'a> Bench<'a> {
    /// A bench for the rules; those of `pack` may be named without it.
    pub fn new(rules: &'a Rules<'_>, pack: Option<&'a str>, counted: Counted) -> Bench<'a> {
        let root = rules.packs.iter().find(|known| Some(known.manifest.name.as_str()) == pack);
        let folder = root.and_then(|pack| pack.root()).map(Path::to_owned);
        let (program, rules) = (rules.program.as_ref(), rules.descriptions());
        Bench { program, rules, pack, counted, folder, libraries: Vec::new(), ready: OnceLock::new() }
    }

    /// For the pages of the first of some library packs, whose folder is given with and without links. They state what is said of shapes.
    pub fn of_libraries(rules: &'a Rules<'_>, libraries: &[NamedPath], folder: &Path) -> Bench<'a> {
        let (folder, libraries) = (Some(folder.to_owned()), libraries.to_vec());
        Bench { folder, libraries, ..Bench::new(rules, Some(PACK_OF_SHAPES), Counted::OwnAndNamed) }
    }

    /// Runs all blocks of a Markdown text.
    pub fn run(&self, markdown: &str) -> PageResult {
        let mut page = PageResult::default();
        let cases = cases::parse(markdown, &mut page.failures);
        let stated = self.statements(&cases, &mut page);
        let named: BTreeSet<&str> = stated.iter().flatten().flatten().filter_map(|it| it.what.rule()).collect();
        for (case, stated) in cases.iter().zip(&stated) {
            page.blocks += case.files.len();
            match catch_unwind(AssertUnwindSafe(|| self.analyse(case))) {
                Ok(Ok(analysis)) => {
                    page.warnings.extend(analysis.warnings.iter().cloned());
                    check::check(case, stated, &analysis, &|finding| self.counts(finding, &named), &mut page);
                }
                Ok(Err(failure)) => page.failures.push(failure),
                Err(_) => page.failures.push(Failure::new(case.files[0].line, "the analysis of this block failed")),
            }
        }
        page.failures.sort();
        page
    }

    /// The statements of each file of each case. Rules get their full names.
    fn statements(&self, cases: &[Case], page: &mut PageResult) -> Vec<Vec<Vec<expectations::Expectation>>> {
        let mut all = Vec::new();
        for case in cases {
            let mut of_case = Vec::new();
            for file in &case.files {
                let mut stated = expectations::parse(&file.text, file.line, &mut page.failures);
                page.statements += stated.len();
                stated.retain_mut(|expectation| {
                    let Some(rule) = expectation.what.rule_mut() else { return true };
                    match self.full_name(rule) {
                        Ok(full) => {
                            *rule = full;
                            true
                        }
                        Err(message) => {
                            page.failures.push(Failure::new(file.line + expectation.stands_on - 1, message));
                            false
                        }
                    }
                });
                of_case.push(stated);
            }
            all.push(of_case);
        }
        all
    }

    fn full_name(&self, rule: &str) -> Result<String, String> {
        let of_no_pack = |name: &str| RULES_OF_NO_PACK.contains(&name);
        let known = |name: &str| of_no_pack(name) || self.rules.iter().any(|known| known.id == name);
        let own = self.pack.map(|pack| format!("{pack}/{rule}")).filter(|own| known(own));
        if let Some(full) = own.or_else(|| known(rule).then(|| rule.to_owned())) {
            return Ok(full);
        }
        let names = self.rules.iter().flat_map(|known| {
            let short = known.id.split_once('/').filter(|(pack, _)| Some(*pack) == self.pack).map(|(_, name)| name);
            [Some(known.id.as_str()), short]
        });
        Err(match closest(rule, names.flatten()) {
            Some(meant) => format!("there is no rule `{rule}`; did you mean `{meant}`?"),
            None => format!("there is no rule `{rule}`"),
        })
    }

    /// Whether a page must state the finding. Of rules on request only those pages speak that name them.
    fn counts(&self, finding: &Finding, named: &BTreeSet<&str>) -> bool {
        let rule = finding.rule.as_str();
        if finding.kind.is_on_request {
            return named.contains(rule);
        }
        let is_own = self.pack.is_some_and(|pack| rule.strip_prefix(pack).is_some_and(|rest| rest.starts_with('/')));
        self.counted == Counted::All || is_own || RULES_OF_BLOCKS.contains(&rule) || named.contains(rule)
    }

    fn analyse(&self, case: &Case) -> Result<Analysed, Failure> {
        let options = self.options(case)?;
        let files = case.files.iter().map(|file| (file.name.clone(), file.text.clone())).collect();
        let subject = self.subject(Corpus::in_memory(files).with_data(case.data.clone()), &options);
        let extent = pipeline::Extent::Findings;
        let analysed = pipeline::examine(&subject, self.program, extent, &options, &Progress::hidden(), |examined| {
            let mut defects = Defects::default();
            let (findings, summary, _) = examined.findings(&options.selection, &mut defects);
            let Examined { mut errors, warnings, defects: before, .. } = examined;
            defects.extend(before);
            errors.extend(defects.messages());
            let warnings = warnings.into_iter().map(|warning| warning.message).collect();
            match errors.first() {
                Some(error) => Err(Failure::new(case.files[0].line, error.to_string())),
                None => Ok((findings, summary, warnings)),
            }
        });
        let (findings, summary, warnings) = analysed?;
        Ok(Analysed { subject, findings, summary, warnings })
    }

    /// A program with the libraries of its options.
    fn subject(&self, corpus: Corpus, options: &AnalysisOptions) -> Subject {
        // Reading the libraries takes longer than most programs do.
        if options.annotations != self.libraries || !options.targets.is_empty() {
            return Subject::new(corpus, options);
        }
        let ready = self.ready.get_or_init(|| Subject::new(Corpus::default(), options));
        ready.with_corpus(corpus.with_libraries(Arc::clone(&ready.corpus.libraries)))
    }

    fn options(&self, case: &Case) -> Result<AnalysisOptions, Failure> {
        let mut options = AnalysisOptions::default();
        if let Some(block) = &case.configuration {
            let folder = self.folder.as_deref().unwrap_or(Path::new("."));
            let config = config::parse("harp.toml", &block.text, NamedPath::within(folder, folder));
            options = config.map_err(|error| Failure::new(block.line, error.to_string()))?.into();
            if !options.packs.is_empty() {
                return Err(Failure::new(block.line, "the configuration of a block cannot name packs"));
            }
            let inside = |named: &NamedPath| self.folder.is_some() && named.resolve().is_ok();
            if let Some(outside) = options.annotations.iter().find(|named| !inside(named)) {
                let message = format!("{} is not in the pack", outside.path.display());
                return Err(Failure::new(block.line, message));
            }
        }
        options.annotations.extend(self.libraries.iter().cloned());
        // Pages show what rules on request find.
        options.selection.extend_select.push("*".to_owned());
        if let Some(block) = &case.arguments {
            let words = argument_types::split(&block.text).map_err(|error| Failure::new(block.line, error))?;
            options.arguments = words.0;
        }
        options.facts = FactSource::Given(facts(case));
        Ok(options)
    }
}

/// The rows for inputs of rules that a case has: its files in a folder `facts`.
fn facts(case: &Case) -> Vec<(String, String)> {
    let named = case.data.iter().filter_map(|(name, text)| Some((name.strip_prefix("facts/")?, text)));
    named.map(|(name, text)| (name.to_owned(), text.clone())).collect()
}

/// What Harp says of a case.
struct Analysed {
    subject: Subject,
    findings: Vec<Finding>,
    summary: Summary,
    warnings: Vec<String>,
}

#[cfg(test)]
mod tests;
