//! Which declaration a name in a rule file means. The schema's names are known everywhere; the names of a rule file are
//! its own and of those that include it, so that two packs may both declare a `finding`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::closed_words::ClosedWords;
use super::functors::{Base, Builtin};
use super::lower::base_type;
use super::metadata::documentation;
use super::parser::parse;
use super::query::{Query, VisibleName, parse_query};
use super::rule::{Column, RelationId, RelationInfo, TypeId};
use super::source::{Place, Problem, Source, SourceId, Sources};
use super::syntax::{Declaration, File, Name, Parents, TypeDeclaration};
use crate::did_you_mean::nearest;
use crate::foreign_syntax_hints;

/// Relations may have this many columns.
pub(super) const MOST_COLUMNS: usize = 64;
/// `.include` may bring in this many files.
const MOST_FILES: usize = 1000;
/// Types may build on each other this deep.
const DEEPEST_TYPE: usize = 50;

pub(super) const SYMBOL: TypeId = TypeId(0);
pub(super) const NUMBER: TypeId = TypeId(1);

#[derive(Clone, Debug)]
struct TypeInfo {
    name: String,
    base: Base,
    parent: Option<TypeId>,
    /// Of a union; empty otherwise.
    members: Vec<TypeId>,
    /// How many types it is built on, one upon the other.
    depth: usize,
}

/// One file with the names it declares.
#[derive(Debug, Default)]
pub(super) struct Unit {
    pub file: File,
    pub schema: bool,
    includes: Vec<usize>,
    /// The units whose names this one sees, nearest first.
    visible: Vec<usize>,
    types: BTreeMap<String, TypeId>,
    relations: BTreeMap<String, RelationId>,
}

/// All files, types and relations of a program. Units and sources have the same numbers.
#[derive(Debug)]
pub(super) struct Scopes {
    pub sources: Sources,
    pub units: Vec<Unit>,
    types: Vec<TypeInfo>,
    /// Answers about pairs of types; unions of unions would be looked through again and again.
    subtypes: RefCell<FxHashMap<(TypeId, TypeId), bool>>,
    pub relations: Vec<RelationInfo>,
    pub problems: Vec<Problem>,
}

/// Gives the source that an `.include` means: the name of the including source and the path as written.
pub type Resolver<'a> = dyn FnMut(&str, &str) -> Result<Source, String> + 'a;

impl Scopes {
    /// Parses all sources and what they include, and enters their declarations.
    pub fn load(schema: &[Source], rules: &[Source], resolver: &mut Resolver) -> Scopes {
        Scopes::load_with(schema, rules, None, resolver)
    }

    /// Like [`Scopes::load`], with a query as the unit after those of the schema and the rules.
    pub fn load_with(schema: &[Source], rules: &[Source], query: Option<&Query>, resolver: &mut Resolver) -> Scopes {
        let base =
            |name: &str, base| TypeInfo { name: name.to_owned(), base, parent: None, members: Vec::new(), depth: 0 };
        let mut scopes = Scopes {
            sources: Sources::default(),
            units: Vec::new(),
            types: vec![base("symbol", Base::Symbol), base("number", Base::Number)],
            subtypes: RefCell::default(),
            relations: Vec::new(),
            problems: Vec::new(),
        };
        for (source, is_schema) in
            schema.iter().map(|source| (source, true)).chain(rules.iter().map(|source| (source, false)))
        {
            scopes.add(source.clone(), is_schema);
        }
        if let Some(query) = query {
            let id = scopes.sources.add(query.source.clone());
            let (file, problems) = parse_query(id, query);
            scopes.problems.extend(problems);
            scopes.units.push(Unit { file, ..Unit::default() });
        }
        let mut unit = 0;
        while unit < scopes.units.len() {
            scopes.include(unit, resolver);
            unit += 1;
        }
        for unit in 0..scopes.units.len() {
            let visible = scopes.reachable(unit);
            scopes.units[unit].visible = visible;
        }
        scopes.declare_types();
        (0..scopes.units.len()).for_each(|unit| scopes.declare_relations(unit));
        if let Some(query) = query {
            scopes.name_for_query(schema.len() + rules.len(), &query.names);
        }
        (0..scopes.units.len()).for_each(|unit| scopes.mark_inputs(unit));
        scopes
    }

    fn add(&mut self, source: Source, schema: bool) -> usize {
        let text = source.text.clone();
        let id = self.sources.add(source);
        if text.len() > u32::MAX as usize / 2 {
            let place = Place { source: id, start: 0, end: 0 };
            self.problems.push(Problem::error(place, "the file is too large", "more than 2 GB"));
            self.units.push(Unit { schema, ..Unit::default() });
        } else {
            let (file, problems) = parse(id, &text);
            self.problems.extend(problems);
            self.units.push(Unit { file, schema, ..Unit::default() });
        }
        self.units.len() - 1
    }

    /// Lets a query's unit see relations of other units; what it declares itself comes first.
    fn name_for_query(&mut self, unit: usize, names: &[VisibleName]) {
        for name in names {
            let declaring = self.unit_named(&name.source);
            let found = declaring.and_then(|other| self.units[other].relations.get(&name.relation).copied());
            let mut heads = self.units[unit].file.clauses.iter().flat_map(|clause| &clause.heads);
            let is_own = heads.any(|head| head.name.text == name.name);
            if let Some(relation) = found
                && !is_own
                && self.find_relation(unit, &name.name).is_none()
            {
                self.units[unit].relations.insert(name.name.clone(), relation);
            }
        }
    }

    /// Enters a relation that was not declared by a directive.
    pub fn declare(&mut self, unit: usize, name: String, info: RelationInfo) {
        let id = RelationId(self.relations.len() as u32);
        self.relations.push(info);
        self.units[unit].relations.insert(name, id);
    }

    fn unit_named(&self, name: &str) -> Option<usize> {
        (0..self.units.len()).find(|unit| self.sources.get(SourceId(*unit as u32)).name == name)
    }

    fn include(&mut self, unit: usize, resolver: &mut Resolver) {
        for path in self.units[unit].file.includes.clone() {
            let from = self.sources.get(SourceId(unit as u32)).name.clone();
            match resolver(&from, &path.text) {
                Ok(source) => {
                    let included = match self.unit_named(&source.name) {
                        Some(included) => included,
                        None if self.units.len() >= MOST_FILES => {
                            self.problems.push(Problem::error(path.place, "too many included files", "not read"));
                            return;
                        }
                        None => self.add(source, self.units[unit].schema),
                    };
                    self.units[unit].includes.push(included);
                }
                Err(reason) => {
                    let message = format!("`{}` cannot be included", path.text);
                    self.problems.push(Problem::error(path.place, message, reason));
                }
            }
        }
    }

    /// The unit, what it includes, and the schema.
    fn reachable(&self, unit: usize) -> Vec<usize> {
        let mut order = vec![unit];
        let mut next = 0;
        while next < order.len() {
            for included in &self.units[order[next]].includes {
                if !order.contains(included) {
                    order.push(*included);
                }
            }
            next += 1;
        }
        for (other, info) in self.units.iter().enumerate() {
            if info.schema && !order.contains(&other) {
                order.push(other);
            }
        }
        order
    }

    fn declare_types(&mut self) {
        let mut waiting: Vec<(usize, TypeDeclaration)> = Vec::new();
        for (number, unit) in self.units.iter().enumerate() {
            waiting.extend(unit.file.types.iter().map(|declaration| (number, declaration.clone())));
        }
        // A type may be declared after one that builds on it.
        for _ in 0..DEEPEST_TYPE {
            let before = waiting.len();
            waiting.retain(|(unit, declaration)| !self.declare_type(*unit, declaration));
            if waiting.is_empty() || waiting.len() == before {
                break;
            }
        }
        for (unit, declaration) in waiting {
            let parents = match &declaration.parents {
                Parents::Subtype(parent) => std::slice::from_ref(parent),
                Parents::Union(members) => members.as_slice(),
            };
            for parent in parents {
                if self.find_type(unit, &parent.text).is_none() {
                    let problem = self.unknown_type(unit, parent);
                    self.problems.push(problem);
                }
            }
        }
    }

    /// Whether the declaration is dealt with.
    fn declare_type(&mut self, unit: usize, declaration: &TypeDeclaration) -> bool {
        let name = &declaration.name;
        let (parent, members, base) = match &declaration.parents {
            Parents::Subtype(parent) => match self.find_type(unit, &parent.text) {
                Some(parent) => (Some(parent), Vec::new(), self.base(parent)),
                None => return false,
            },
            Parents::Union(names) => {
                let found: Option<Vec<TypeId>> = names.iter().map(|name| self.find_type(unit, &name.text)).collect();
                let Some(members) = found else { return false };
                let base = members.first().map_or(Base::Symbol, |member| self.base(*member));
                if members.iter().any(|member| self.base(*member) != base) {
                    let problem =
                        Problem::error(name.place, format!("`{}` mixes symbols and numbers", name.text), "mixed");
                    self.problems.push(problem);
                }
                (None, members, base)
            }
        };
        if let Some(existing) = self.find_type(unit, &name.text) {
            // A file that repeats the schema's declaration can be read alone, by Soufflé too.
            let same =
                self.types[existing.0 as usize].parent == parent && self.types[existing.0 as usize].members == members;
            if !same || self.units[unit].types.contains_key(&name.text) {
                let problem =
                    Problem::error(name.place, format!("the type `{}` is declared already", name.text), "again");
                self.problems.push(problem);
            }
            return true;
        }
        let id = TypeId(self.types.len() as u32);
        let depth_of = |type_id: &TypeId| self.types[type_id.0 as usize].depth;
        let depth = parent.iter().chain(&members).map(depth_of).max().unwrap_or(0) + 1;
        if depth > DEEPEST_TYPE {
            self.problems.push(Problem::error(name.place, "types build on each other too deeply", "one too many"));
            return true;
        }
        self.types.push(TypeInfo { name: name.text.clone(), base, parent, members, depth });
        self.units[unit].types.insert(name.text.clone(), id);
        true
    }

    pub fn find_type(&self, unit: usize, name: &str) -> Option<TypeId> {
        match name {
            "symbol" => return Some(SYMBOL),
            "number" => return Some(NUMBER),
            _ => {}
        }
        self.units[unit].visible.iter().find_map(|unit| self.units[*unit].types.get(name).copied())
    }

    pub fn unknown_type(&self, unit: usize, name: &Name) -> Problem {
        let visible = &self.units[unit].visible;
        let known = visible.iter().flat_map(|unit| self.units[*unit].types.keys().map(String::as_str));
        let near = nearest(&name.text, known.chain(["symbol", "number"]));
        let hint = match (foreign_syntax_hints::for_type(&name.text), near) {
            (Some(hint), _) => hint.to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => format!("declare it: `.type {} <: symbol`", name.text),
        };
        Problem::error(name.place, format!("unknown type `{}`", name.text), "not declared").hint(hint)
    }

    fn declare_relations(&mut self, unit: usize) {
        let declarations = std::mem::take(&mut self.units[unit].file.relations);
        for declaration in &declarations {
            let name = &declaration.name;
            if let Some(existing) = self.find_relation(unit, &name.text) {
                let existing = &self.relations[existing.index()];
                if existing.place.source != name.place.source && self.same_columns(unit, existing, declaration) {
                    continue;
                }
                let problem =
                    Problem::error(name.place, format!("the relation `{}` is declared already", name.text), "again")
                        .note(existing.place, "first declared here");
                self.problems.push(problem);
                continue;
            }
            if let Some(what) = reserved(&name.text) {
                let message = format!("`{}` is the name of {what}, and cannot be that of a relation", name.text);
                self.problems.push(Problem::error(name.place, message, "not free").hint("choose another name"));
            }
            let info = self.relation_info(unit, declaration);
            let id = RelationId(self.relations.len() as u32);
            self.relations.push(info);
            self.units[unit].relations.insert(name.text.clone(), id);
        }
        self.units[unit].file.relations = declarations;
    }

    /// Whether a declaration repeats one of another file, so that the file can be read alone.
    fn same_columns(&self, unit: usize, existing: &RelationInfo, declaration: &Declaration) -> bool {
        declaration.documentation.is_empty()
            && existing.columns.len() == declaration.columns.len()
            && existing.columns.iter().zip(&declaration.columns).all(|(column, (name, type_name))| {
                column.name == name.text && self.find_type(unit, &type_name.text) == Some(column.type_id)
            })
    }

    fn relation_info(&mut self, unit: usize, declaration: &Declaration) -> RelationInfo {
        let name = &declaration.name;
        if declaration.columns.len() > MOST_COLUMNS {
            let message = format!("`{}` has more than {MOST_COLUMNS} columns", name.text);
            self.problems.push(Problem::error(name.place, message, "too many"));
        }
        let mut columns: Vec<Column> = Vec::new();
        for (column, type_name) in &declaration.columns {
            if columns.iter().any(|other| other.name == column.text) {
                let problem =
                    Problem::error(column.place, format!("`{}` has two columns `{}`", name.text, column.text), "again");
                self.problems.push(problem);
            }
            let type_id = match self.find_type(unit, &type_name.text) {
                Some(type_id) => type_id,
                None => {
                    let problem = self.unknown_type(unit, type_name);
                    self.problems.push(problem);
                    // What follows from the mistake need not be told.
                    if foreign_syntax_hints::is_number(&type_name.text) { NUMBER } else { SYMBOL }
                }
            };
            let base = self.base(type_id);
            let (name, type_name) = (column.text.clone(), type_name.text.clone());
            columns.push(Column { name, type_id, type_name, base, words: ClosedWords::default() });
        }
        let documentation = documentation(declaration, &mut self.problems);
        for (column, words) in &documentation.words {
            columns[*column].words.list.extend(words.iter().cloned());
        }
        self.check_places(unit, name, &columns, &documentation.place_columns);
        let input = self.units[unit].schema;
        RelationInfo { name: name.text.clone(), columns, documentation, input, place: name.place }
    }

    /// Where a schema has a type `Place`, the columns of `@at` and `@related` are places.
    fn check_places(&mut self, unit: usize, relation: &Name, columns: &[Column], named: &[(usize, Place)]) {
        let Some(place_type) = self.find_type(unit, "Place") else { return };
        for (column, place) in named {
            let Some(column) = columns.get(*column) else { continue };
            if self.narrower(column.type_id, place_type).is_none() {
                let message = format!("`{}` is of the type `{}`, which has no places", column.name, column.type_name);
                let problem = Problem::error(*place, message, "not a place")
                    .hint(format!("name a column of `{}` that says where in the code it is", relation.text));
                self.problems.push(problem);
            }
        }
    }

    fn mark_inputs(&mut self, unit: usize) {
        for name in self.units[unit].file.inputs.clone() {
            match self.find_relation(unit, &name.text) {
                Some(relation) => self.relations[relation.index()].input = true,
                None => {
                    let problem = self.unknown_relation(unit, &name);
                    self.problems.push(problem);
                }
            }
        }
    }

    pub fn find_relation(&self, unit: usize, name: &str) -> Option<RelationId> {
        if let Some(relation) = self.units[unit].relations.get(name) {
            return Some(*relation);
        }
        self.units[unit].visible.iter().find_map(|unit| self.units[*unit].relations.get(name).copied())
    }

    pub fn unknown_relation(&self, unit: usize, name: &Name) -> Problem {
        let visible = &self.units[unit].visible;
        let known = visible.iter().flat_map(|unit| self.units[*unit].relations.keys().map(String::as_str));
        let hint = nearest(&name.text, known).map(|near| format!("did you mean `{near}`?"));
        Problem::error(name.place, format!("unknown relation `{}`", name.text), "not declared").maybe_hint(hint)
    }

    /// Whether rules for a relation may stand in a unit: where it is declared.
    pub fn owns(&self, unit: usize, relation: RelationId) -> bool {
        let declared = self.relations[relation.index()].place.source.0 as usize;
        declared == unit || (self.units[declared].schema && self.units[unit].schema)
    }

    pub fn base(&self, type_id: TypeId) -> Base {
        self.types[type_id.0 as usize].base
    }

    pub fn type_name(&self, type_id: TypeId) -> &str {
        &self.types[type_id.0 as usize].name
    }

    pub fn is_subtype(&self, lower: TypeId, upper: TypeId) -> bool {
        if let Some(known) = self.subtypes.borrow().get(&(lower, upper)) {
            return *known;
        }
        let answer = self.find_subtype(lower, upper);
        self.subtypes.borrow_mut().insert((lower, upper), answer);
        answer
    }

    fn find_subtype(&self, lower: TypeId, upper: TypeId) -> bool {
        if lower == upper || self.types[upper.0 as usize].members.iter().any(|member| self.is_subtype(lower, *member)) {
            return true;
        }
        let info = &self.types[lower.0 as usize];
        match info.parent {
            Some(parent) => self.is_subtype(parent, upper),
            None if info.members.is_empty() => false,
            None => info.members.iter().all(|member| self.is_subtype(*member, upper)),
        }
    }

    /// The narrowest type that contains both, as far as supertypes go; else what the left one is at bottom.
    pub fn wider(&self, left: TypeId, right: TypeId) -> TypeId {
        let mut wide = left;
        for _ in 0..=DEEPEST_TYPE {
            if self.is_subtype(right, wide) {
                return wide;
            }
            match self.types[wide.0 as usize].parent {
                Some(parent) => wide = parent,
                None => break,
            }
        }
        base_type(self.base(left))
    }

    /// For each type its name and those of the types that contain it, the narrowest first.
    pub fn lineages(&self) -> Vec<Vec<String>> {
        let lineage = |index: usize| {
            let mut names = Vec::new();
            let mut next = Some(TypeId(index as u32));
            while let Some(type_id) = next
                && names.len() <= DEEPEST_TYPE
            {
                let info = &self.types[type_id.0 as usize];
                names.push(info.name.clone());
                let mut members = info.members.iter().copied();
                let union = members.next().map(|first| members.fold(first, |wide, member| self.wider(wide, member)));
                next = info.parent.or(union);
            }
            names
        };
        (0..self.types.len()).map(lineage).collect()
    }

    /// The narrower of two types of which one contains the other.
    pub fn narrower(&self, left: TypeId, right: TypeId) -> Option<TypeId> {
        if self.is_subtype(left, right) {
            Some(left)
        } else if self.is_subtype(right, left) {
            Some(right)
        } else {
            None
        }
    }
}

/// Names with a meaning of their own, here or in Soufflé.
fn reserved(name: &str) -> Option<&'static str> {
    match name {
        "count" | "sum" | "min" | "max" | "mean" => Some("an aggregate"),
        "as" | "nil" | "true" | "false" => Some("a part of the language"),
        _ if Builtin::find(name).is_some() || foreign_syntax_hints::for_functor(name).is_some() => Some("a functor"),
        _ => None,
    }
}

/// Finds an included file among sources that were given, beside the including one or by its whole name.
pub(super) fn among<'a>(
    sources: impl Iterator<Item = &'a Source> + Clone,
    from: &str,
    path: &str,
) -> Result<Source, String> {
    let folder = from.rfind('/').map_or("", |end| &from[..=end]);
    let beside = normalise(&format!("{folder}{path}"));
    let file_name = path.rsplit('/').next().unwrap_or(path);
    let mut found = sources.clone().find(|source| normalise(&source.name) == beside);
    found = found.or_else(|| sources.clone().find(|source| source.name == path));
    found = found.or_else(|| {
        sources.clone().find(|source| source.name.rsplit('/').next() == Some(file_name) && file_name == path)
    });
    found.cloned().ok_or_else(|| "no such file in the pack".to_owned())
}

fn normalise(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
