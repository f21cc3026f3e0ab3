//! Which relations are asked for.

use harp_corpus::NamedPath;
use harp_datalog::{Base, Program, RelationDescription, RelationId, VisibleName};
use harp_graph::Relation;
use harp_report::{UserError, closest};
use harp_tables::facts::Column;

use super::super::options::AuditOptions;
use crate::packs::{self, Pack};
use crate::pipeline::Rules;
use crate::query::visible_names;
use crate::rule_findings;

/// A name of a relation that nobody declares is told so many that end with it.
const MOST_MEANT: usize = 5;

/// A relation whose rows are asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The name of its table.
    pub table: String,
    pub columns: Vec<Column>,
    pub id: RelationId,
    /// In the schema, where it stands there.
    pub of_schema: Option<Relation>,
}

impl Asked {
    /// What the options ask for, by the names that a query knows.
    pub fn of(options: &AuditOptions) -> Result<Vec<Asked>, UserError> {
        if options.facts.is_empty() {
            return Ok(Vec::new());
        }
        let packs: Vec<NamedPath> = options.analysis.pack.iter().map(NamedPath::by_user).collect();
        let functors = rule_findings::functors();
        let rules = Rules::load(&packs, &functors);
        match (rules.errors.into_iter().next(), &rules.program) {
            (None, Some(program)) => Asked::among(&options.relations(), program, &rules.packs),
            (mistake, _) => Err(mistake.unwrap_or_else(|| UserError::new("the packs have mistakes"))),
        }
    }

    pub fn among(names: &[&str], program: &Program<'_>, packs: &[Pack]) -> Result<Vec<Asked>, UserError> {
        let relations = program.relations();
        let known = visible_names(Some(program), packs);
        let mut all: Vec<Asked> = Vec::new();
        for name in names {
            let asked = Asked::new(name, &relations, &known)?;
            if let Some(other) = all.iter().position(|other| other.table == asked.table) {
                let message = format!("`{}` and `{name}` would have the same table", names[other]);
                return Err(UserError::new(message).hint("ask for one of them"));
            }
            all.push(asked);
        }
        Ok(all)
    }

    fn new(name: &str, relations: &[RelationDescription], known: &[VisibleName]) -> Result<Asked, UserError> {
        let of_schema = Relation::ALL.iter().copied().find(|relation| relation.name() == name);
        let known_as = known.iter().find(|known| known.name == name);
        let found = relations.iter().find(|it| match (of_schema, known_as) {
            (Some(_), _) => it.source == packs::SCHEMA_NAME && it.name == name,
            (None, Some(known)) => it.source == known.source && it.name == known.relation,
            (None, None) => false,
        });
        let relation = found.ok_or_else(|| unknown(name, known))?;
        let columns = relation
            .columns
            .iter()
            .map(|column| Column { name: column.name.clone(), is_number: column.base == Base::Number });
        // What no file may be called by: the names of files in packs are anything.
        let is_plain = |char: char| char.is_alphanumeric() || "_-.".contains(char);
        let table = name.chars().map(|char| if is_plain(char) { char } else { '.' }).collect();
        Ok(Asked { table, columns: columns.collect(), id: relation.id, of_schema })
    }
}

/// No relation has this name.
fn unknown(name: &str, known: &[VisibleName]) -> UserError {
    let schema = Relation::ALL.iter().map(|relation| relation.name());
    let all: Vec<&str> = schema.chain(known.iter().map(|known| known.name.as_str())).collect();
    let is_meant = |known: &&&str| known.rsplit_once('.').is_some_and(|(_, end)| end == name);
    let meant: Vec<String> = all.iter().filter(is_meant).map(|known| format!("`{known}`")).take(MOST_MEANT).collect();
    let hint = match closest(name, all) {
        _ if !meant.is_empty() => format!("several files declare it: write {}", meant.join(" or ")),
        Some(near) => format!("did you mean `{near}`?"),
        None => "`harp schema` prints the relations; those of packs are called PACK/FILE.RELATION".to_owned(),
    };
    UserError::new(format!("unknown relation `{name}`")).hint(hint)
}
