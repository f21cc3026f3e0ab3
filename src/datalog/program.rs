//! Compiles rule sources to a program that can be evaluated.

use std::collections::BTreeMap;
use std::ops::Range;

use super::check::check;
use super::closed_words::AskedText;
use super::functors::{Base, Functors};
use super::lower::Constant;
use super::metadata::Metadata;
use super::query::{ANSWER, needed_for};
use super::rule::{RelationId, RelationInfo, Rule, TypeId};
use super::scope::{Resolver, Scopes, among};
use super::source::{Diagnostic, Level, Place, Problem, Source, Sources};
use super::strata::{Stratum, stratify};

/// More diagnostics than this help nobody.
const MOST_DIAGNOSTICS: usize = 100;

/// Checked rules over a schema.
pub struct Program<'f> {
    pub(super) sources: Sources,
    pub(super) relations: Vec<RelationInfo>,
    pub(super) rules: Vec<Rule>,
    pub(super) strata: Vec<Stratum>,
    pub(super) constants: Vec<Constant>,
    pub(super) functors: &'f dyn Functors,
    /// For each type its name and those of the types that contain it.
    pub(super) lineages: Vec<Vec<String>>,
    /// Texts of rules, with the types of what they are compared with.
    pub(super) texts: Vec<AskedText>,
    /// What is odd but no error.
    pub warnings: Vec<Diagnostic>,
}

/// A column of a relation, for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDescription {
    /// As the declaration has it.
    pub name: String,
    /// The narrowest type that its cells have.
    pub type_name: String,
    /// The type and those that contain it, the narrowest first.
    pub lineage: Vec<String>,
    /// What cells of the type are in the end.
    pub base: Base,
    /// `@words`: what may stand in the column; empty where anything may.
    pub words: Vec<String>,
}

/// A declared relation, for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationDescription {
    /// The number by which the program and its evaluations know it.
    pub id: RelationId,
    /// As the declaration has it; other sources may use it, too.
    pub name: String,
    /// In the order of a row.
    pub columns: Vec<ColumnDescription>,
    /// The `///` lines above it that are no metadata.
    pub documentation: String,
    /// `@open`: there may be rows that nobody saw, so that a row's absence is an assumption.
    pub open: bool,
    /// The caller supplies the rows: it is a relation of the schema, or has an `.input`.
    pub input: bool,
    /// The name of the source that declares it.
    pub source: String,
    /// The line of the declaration, counted from 1.
    pub line: usize,
    /// What makes its rows findings; `None` where they are none.
    pub metadata: Option<Metadata>,
    /// Where the source has the id of the finding, in bytes.
    pub id_range: Option<Range<usize>>,
}

impl<'f> Program<'f> {
    /// Compiles a schema and rule files. An `.include` means one of the sources given, by its path beside the including file
    /// or by its name.
    pub fn compile(
        schema: &[Source],
        rules: &[Source],
        functors: &'f dyn Functors,
    ) -> Result<Program<'f>, Vec<Diagnostic>> {
        let sources = schema.iter().chain(rules);
        Program::compile_with(schema, rules, functors, &mut |from, path| among(sources.clone(), from, path))
    }

    /// Like [`Program::compile`], with the caller's way from an `.include` to a source. A source of a name that is known already
    /// is the same file.
    pub fn compile_with(
        schema: &[Source],
        rules: &[Source],
        functors: &'f dyn Functors,
        resolver: &mut Resolver,
    ) -> Result<Program<'f>, Vec<Diagnostic>> {
        Program::check_and_order(Scopes::load(schema, rules, resolver), functors, None)
    }

    /// Checks what was parsed and orders its rules: those that `asked` needs, or all.
    pub(super) fn check_and_order(
        mut scopes: Scopes,
        functors: &'f dyn Functors,
        asked: Option<RelationId>,
    ) -> Result<Program<'f>, Vec<Diagnostic>> {
        let signatures = functors.signatures();
        let mut problems = std::mem::take(&mut scopes.problems);
        let mut checked = check(&scopes, &signatures);
        problems.extend(checked.problems);
        duplicate_ids(&scopes.relations, &mut problems);
        without_rules(&scopes, &checked.rules, &mut problems);
        if let Some(asked) = asked {
            checked.rules = needed_for(&[asked], checked.rules);
        }
        let strata = stratify(&scopes.relations, &checked.rules, &mut problems);
        let failed = problems.iter().any(|problem| problem.level == Level::Error);
        if failed {
            problems.retain(|problem| problem.level == Level::Error);
        }
        let diagnostics = sorted(problems, &scopes.sources);
        if failed {
            return Err(diagnostics);
        }
        Ok(Program {
            lineages: scopes.lineages(),
            sources: scopes.sources,
            relations: scopes.relations,
            rules: checked.rules,
            strata,
            constants: checked.constants.list,
            texts: checked.texts,
            functors,
            warnings: diagnostics,
        })
    }

    /// The same relations, by the same numbers, with only the rules that the rows of some of them come from.
    pub fn only(&self, asked: &[RelationId]) -> Program<'f> {
        let rules = needed_for(asked, self.rules.clone());
        // What is wrong with the order of all rules was told when they were compiled.
        let strata = stratify(&self.relations, &rules, &mut Vec::new());
        Program {
            sources: self.sources.clone(),
            relations: self.relations.clone(),
            rules,
            strata,
            constants: self.constants.clone(),
            functors: self.functors,
            lineages: self.lineages.clone(),
            texts: self.texts.clone(),
            warnings: Vec::new(),
        }
    }

    /// The schema, the rule files, and what they include.
    pub fn sources(&self) -> &[Source] {
        self.sources.all()
    }

    /// Every declared relation, in the order of the sources.
    pub fn relations(&self) -> Vec<RelationDescription> {
        (0..self.relations.len()).map(|index| self.describe(RelationId(index as u32))).collect()
    }

    /// The relations of rules that have an id, in the order of the sources.
    pub fn identified(&self) -> impl Iterator<Item = RelationDescription> {
        let has_id = |info: &RelationInfo| info.documentation.metadata.is_some();
        let identified = (0..).zip(&self.relations).filter(move |(_, info)| has_id(info));
        identified.map(|(index, _)| self.describe(RelationId(index)))
    }

    /// What is declared of one relation.
    pub fn describe(&self, id: RelationId) -> RelationDescription {
        let info = &self.relations[id.index()];
        let columns = info.columns.iter().map(|column| ColumnDescription {
            name: column.name.clone(),
            type_name: column.type_name.clone(),
            lineage: self.lineages[column.type_id.0 as usize].clone(),
            base: column.base,
            words: column.words.list.clone(),
        });
        RelationDescription {
            id,
            name: info.name.clone(),
            columns: columns.collect(),
            documentation: info.documentation.text.clone(),
            open: info.documentation.open,
            input: info.input,
            source: self.sources.get(info.place.source).name.clone(),
            line: self.sources.line(info.place),
            metadata: info.documentation.metadata.clone(),
            id_range: info.documentation.id_place.map(Place::range),
        }
    }

    /// What makes a relation's rows findings; `None` where they are none.
    pub fn metadata(&self, id: RelationId) -> Option<&Metadata> {
        self.relations[id.index()].documentation.metadata.as_ref()
    }

    /// The names of a type and of those that contain it.
    pub(super) fn lineage(&self, type_id: TypeId) -> &[String] {
        &self.lineages[type_id.0 as usize]
    }

    /// The names of the types of a relation's columns.
    pub fn column_types(&self, id: RelationId) -> impl Iterator<Item = &str> {
        self.relations[id.index()].columns.iter().map(|column| column.type_name.as_str())
    }

    /// A relation by name. Where several files declare the name, the first one; `file name:relation` tells them apart.
    pub fn relation(&self, name: &str) -> Option<RelationId> {
        let found = self.relations.iter().position(|info| self.is_called(info, name));
        found.map(|index| RelationId(index as u32))
    }

    /// Whether a name means the relation: its own name, or that behind the name of its file, as `file name:relation`.
    pub(super) fn is_called(&self, info: &RelationInfo, name: &str) -> bool {
        info.name == name
            || name
                .strip_suffix(&info.name)
                .and_then(|rest| rest.strip_suffix(':'))
                .is_some_and(|source| source == self.sources.get(info.place.source).name)
    }

    /// The finding relation with a rule id.
    pub fn finding(&self, rule_id: &str) -> Option<RelationId> {
        let mut relations = self.relations.iter();
        let found =
            relations.position(|info| info.documentation.metadata.as_ref().is_some_and(|data| data.id == rule_id));
        found.map(|index| RelationId(index as u32))
    }

    /// A rule as messages speak of it.
    pub(super) fn rule_title(&self, rule: usize) -> String {
        match self.relations[self.rules[rule].head.index()].name.as_str() {
            ANSWER => ANSWER.to_owned(),
            _ => format!("the rule {}", self.rule_name(rule)),
        }
    }

    /// How a rule is called in warnings and profiles: its head's relation and its line.
    pub(super) fn rule_name(&self, rule: usize) -> String {
        let rule = &self.rules[rule];
        let info = &self.relations[rule.head.index()];
        format!("{} ({}:{})", info.name, self.sources.get(rule.place.source).name, self.sources.line(rule.place))
    }
}

fn duplicate_ids(relations: &[RelationInfo], problems: &mut Vec<Problem>) {
    let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
    for info in relations {
        if let (Some(metadata), Some(place)) = (&info.documentation.metadata, info.documentation.id_place) {
            match seen.get(metadata.id.as_str()) {
                Some(first) => problems.push(
                    Problem::error(place, format!("the rule id `{}` is taken", metadata.id), "second")
                        .note(*first, "first used here"),
                ),
                None => {
                    seen.insert(&metadata.id, place);
                }
            }
        }
    }
}

/// A relation that nothing fills is most likely a mistake.
fn without_rules(scopes: &Scopes, rules: &[Rule], problems: &mut Vec<Problem>) {
    let mut filled = vec![false; scopes.relations.len()];
    rules.iter().for_each(|rule| filled[rule.head.index()] = true);
    for (info, filled) in scopes.relations.iter().zip(filled) {
        if !filled && !info.input {
            let problem = Problem::warning(info.place, format!("`{}` has no rules", info.name), "always empty");
            problems.push(problem);
        }
    }
}

/// Problems by source and position, each once.
fn sorted(mut problems: Vec<Problem>, sources: &Sources) -> Vec<Diagnostic> {
    problems.sort_by(|left, right| (left.place, &left.message).cmp(&(right.place, &right.message)));
    problems.dedup_by(|left, right| left.place == right.place && left.message == right.message);
    problems.truncate(MOST_DIAGNOSTICS);
    problems.into_iter().map(|problem| sources.diagnostic(problem)).collect()
}
