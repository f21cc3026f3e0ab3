//! Reads the declarations of relations in `schema.dl`.

use std::sync::OnceLock;

/// The public contract: every relation with its columns and a sentence.
pub const SOURCE: &str = include_str!("schema.dl");

/// The version that packs name. It rises when a relation changes its meaning or its columns; what only adds keeps it.
pub const VERSION: u32 = 1;

macro_rules! relations {
    ($($variant:ident $name:literal,)*) => {
        /// A relation of `schema.dl`, in its order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Relation {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant,
            )*
        }

        impl Relation {
            /// All relations, in the order of the schema.
            pub const ALL: &'static [Relation] = &[$(Relation::$variant,)*];

            /// The name in the schema.
            pub fn name(self) -> &'static str {
                match self { $(Relation::$variant => $name,)* }
            }
        }
    };
}

relations! {
    Function "function",
    Parameter "parameter",
    InTests "in_tests",
    Stmt "stmt",
    OnLine "on_line",
    Next "next",
    Parent "parent",
    Within "within",
    Controlled "controlled",
    Context "context",
    Enters "enters",
    InContext "in_context",
    Decorator "decorator",
    Phase "phase",
    CallsFunction "calls_function",
    ReachesEffect "reaches_effect",
    Loop "loop",
    Inside "inside",
    LoopParent "loop_parent",
    Header "header",
    Iterates "iterates",
    LoopVariable "loop_variable",
    RangeBounds "range_bounds",
    TripCount "trip_count",
    DefaultTrips "default_trips",
    RunsOften "runs_often",
    Hot "hot",
    OverBatches "over_batches",
    StraightLine "straight_line",
    LeavesEarly "leaves_early",
    Reassociable "reassociable",
    Conditional "conditional",
    CalledIn "called_in",
    Trains "trains",
    Variable "variable",
    Def "def",
    Use "use",
    Reaching "reaching",
    Carried "carried",
    Mutates "mutates",
    MayMutate "may_mutate",
    Alias "alias",
    AliasOf "alias_of",
    MutatedIn "mutated_in",
    VariesUse "varies_use",
    Varies "varies",
    Flows "flows",
    Call "call",
    Constructs "constructs",
    Argument "argument",
    Part "part",
    ExprStmt "expr_stmt",
    Assigned "assigned",
    Reads "reads",
    StandsFor "stands_for",
    ValueFrom "value_from",
    ComputedFrom "computed_from",
    Text "text",
    OperandText "operand_text",
    VariesExpr "varies_expr",
    Calls "calls",
    UnresolvedCall "unresolved_call",
    ValueKind "value_kind",
    ExprShape "expr_shape",
    ExprDtype "expr_dtype",
    ExprDevice "expr_device",
    Work "work",
    Elements "elements",
    WorkUnknown "work_unknown",
    SubscriptRead "subscript_read",
    SubscriptWrite "subscript_write",
    ElementwiseLoop "elementwise_loop",
    ElementwiseRisk "elementwise_risk",
    LoopContainer "loop_container",
    Pure "pure",
    Effect "effect",
    Role "role",
    ApiParameter "api_parameter",
    Computation "computation",
    Cost "cost",
    Operation "operation",
    OperationStmt "operation_stmt",
    Edge "edge",
    OutputShape "output_shape",
    OutputDim "output_dim",
    OutputRank "output_rank",
    OutputDtype "output_dtype",
    OutputDevice "output_device",
    InputShape "input_shape",
    InputDevice "input_device",
    Transfer "transfer",
    DefaultSize "default_size",
    OutputMutability "output_mutability",
    OperationIn "operation_in",
    EveryIteration "every_iteration",
    Iteration "iteration",
    ValueNumber "value_number",
    Sequence "sequence",
    ControlInput "control_input",
    OperationCall "operation_call",
    State "operation_state",
    Input "input",
    Output "output",
    Source "value_source",
    PartOf "part_of",
    ValueShape "value_shape",
    ValueDim "value_dim",
    ValueRank "value_rank",
    ValueDtype "value_dtype",
    Attribute "attribute",
    AttributeNumber "attribute_number",
    Execution "execution",
    Feeds "feeds",
    Fetches "fetches",
    Updates "updates",
    BuildsGraph "builds_graph",
    Evaluates "operation_evaluates",
    WeightsDevice "weights_device",
    OperationObject "operation_object",
    Object "object",
    ObjectAttribute "object_attribute",
    ObjectNumber "object_number",
    Holds "holds",
    MethodOf "method_of",
    Requirement "requirement",
    RequirementAbout "requirement_about",
    Violated "violated",
    Possible "possible",
    SuspiciousBroadcast "suspicious_broadcast",
    WrongAnnotation "wrong_annotation",
    Operand "operand",
    RequiredBy "required_by",
    PlainAccess "plain_access",
    Repeatable "repeatable",
    Accelerated "accelerated",
    EqualShapes "equal_shapes",
    EveryStep "every_step",
    Unobserved "unobserved",
    Entry "entry",
    EntryRequirement "entry_requirement",
    NotUnderstood "not_understood",
    Assumption "assumption",
}

/// A column of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// As the declaration has it.
    pub name: String,
    /// A type of the schema, `symbol` or `number`.
    pub type_name: String,
    /// The only texts that stand in the column, or that they begin with where `…` follows; empty where any may.
    pub words: Vec<String>,
}

impl Column {
    /// Whether cells of the column are numbers; all types of the schema but `number` are symbols.
    pub fn is_number(&self) -> bool {
        self.type_name == "number"
    }
}

/// A declared relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationSchema {
    /// As rules call it.
    pub name: String,
    /// In the order of a row.
    pub columns: Vec<Column>,
    /// What a row of it means, as the `///` lines above it say.
    pub documentation: String,
    /// Whether rows may be missing where code was not resolved.
    pub open: bool,
    /// What is assumed where a row is missing, with `{column}` for the columns' values.
    pub absence: Option<String>,
}

/// A declared type with the one that it refines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeSchema {
    /// As columns call it.
    pub name: String,
    /// The type that it refines: `symbol`, `number` or another of the schema.
    pub parent: String,
}

/// All declarations of the schema.
#[derive(Debug)]
pub struct Schema {
    /// In the order of the schema.
    pub types: Vec<TypeSchema>,
    /// In the order of the schema, which is that of [`Relation`].
    pub relations: Vec<RelationSchema>,
}

impl Schema {
    /// The declarations, which are read once.
    pub fn get() -> &'static Schema {
        static SCHEMA: OnceLock<Schema> = OnceLock::new();
        SCHEMA.get_or_init(|| parse(SOURCE))
    }

    /// What is declared of one relation.
    pub fn relation(&self, relation: Relation) -> &RelationSchema {
        &self.relations[relation as usize]
    }
}

/// What stands above a declaration.
#[derive(Default)]
struct Above<'a> {
    documentation: Vec<&'a str>,
    open: bool,
    absence: Option<String>,
    /// Columns with words of theirs.
    words: Vec<(&'a str, Vec<String>)>,
}

/// Reads the declarations, each of which stands on one line.
fn parse(source: &str) -> Schema {
    let mut schema = Schema { types: Vec::new(), relations: Vec::new() };
    let mut above = Above::default();
    for line in source.lines() {
        if let Some(sentence) = line.strip_prefix("// absent: ") {
            above.absence = Some(sentence.to_owned());
        } else if let Some(sentence) = line.strip_prefix("///") {
            match sentence.trim() {
                "@open" => above.open = true,
                text => match text.strip_prefix("@words ").and_then(|rest| rest.split_once(' ')) {
                    Some((column, words)) => {
                        above.words.push((column, words.split(',').map(|word| word.trim().to_owned()).collect()));
                    }
                    None => above.documentation.push(text),
                },
            }
        } else if let Some(declaration) = line.strip_prefix(".type ") {
            if let Some((name, parent)) = declaration.split_once(" <: ") {
                schema.types.push(TypeSchema { name: name.trim().to_owned(), parent: parent.trim().to_owned() });
            }
        } else if let Some(declaration) = line.strip_prefix(".decl ") {
            let above = std::mem::take(&mut above);
            schema.relations.extend(relation(declaration, above));
        }
    }
    schema
}

/// `name(column: type, …)`
fn relation(declaration: &str, above: Above<'_>) -> Option<RelationSchema> {
    let (name, columns) = declaration.trim_end().trim_end_matches(')').split_once('(')?;
    let columns = columns.split(", ").filter_map(|column| column.split_once(": ")).map(|(name, type_name)| {
        let words = above.words.iter().filter(|(column, _)| *column == name);
        let words = words.flat_map(|(_, words)| words.iter().cloned()).collect();
        Column { name: name.to_owned(), type_name: type_name.to_owned(), words }
    });
    Some(RelationSchema {
        name: name.to_owned(),
        columns: columns.collect(),
        documentation: above.documentation.join(" "),
        open: above.open,
        absence: above.absence,
    })
}
