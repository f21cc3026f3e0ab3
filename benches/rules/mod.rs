//! Three rule programs, each for Harp's engine and for `crepe`, with a generator of facts: a transitive closure, a
//! field-sensitive points-to analysis, and rules like those that find loop-invariant work.

use std::collections::BTreeSet;

use harp::datalog::{Cell, Database, Limits, NoFunctors, Program, Source, Value};

/// A small generator of numbers, the same on every machine.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(limit.max(1))) >> 32) as u32
    }
}

/// Facts: a relation's name with rows of numbers; columns of APIs hold indices into [`APIS`].
pub type Facts = Vec<(&'static str, Vec<Vec<u32>>)>;

/// Results: a name with its rows.
pub type Results = Vec<(&'static str, BTreeSet<Vec<u32>>)>;

pub const APIS: [&str; 8] = [
    "torch.eye",
    "torch.zeros",
    "torch.matmul",
    "torch.rand",
    "numpy.arange",
    "builtins.print",
    "torch.optim.step",
    "torch.arange",
];

pub const CLOSURE: &str = "
.decl edge(a: number, b: number)
.input edge
.decl path(a: number, b: number)
path(x, y) :- edge(x, y).
path(x, z) :- path(x, y), edge(y, z).
";

pub const POINTS_TO: &str = "
.decl alloc(v: number, h: number)
.input alloc
.decl assign(to: number, from: number)
.input assign
.decl load(to: number, base: number, f: number)
.input load
.decl store(base: number, f: number, from: number)
.input store
.decl points(v: number, h: number)
.decl heap(h: number, f: number, g: number)
points(v, h) :- alloc(v, h).
points(v, h) :- assign(v, u), points(u, h).
heap(h, f, g) :- store(v, f, u), points(v, h), points(u, g).
points(v, g) :- load(v, u, f), points(u, h), heap(h, f, g).
";

pub const INVARIANT: &str = "
.type Stmt <: symbol
.type Loop <: symbol
.type Name <: symbol
.decl inside(s: Stmt, l: Loop)
.input inside
.decl nested(l: Loop, outer: Loop)
.input nested
.decl defines(s: Stmt, v: Name)
.input defines
.decl reads(s: Stmt, v: Name)
.input reads
.decl call(s: Stmt, api: symbol)
.input call
.decl pure(api: symbol)
.input pure
.decl counts(l: Loop, v: Name)
.input counts
.decl within(s: Stmt, l: Loop)
within(s, l) :- inside(s, l).
within(s, outer) :- within(s, l), nested(l, outer).
.decl varies(v: Name, l: Loop)
varies(v, l) :- counts(l, v).
varies(v, l) :- within(s, l), defines(s, v), call(s, api), !pure(api).
varies(v, l) :- varies(u, l), reads(s, u), within(s, l), defines(s, v).
.decl depends(s: Stmt, l: Loop)
depends(s, l) :- reads(s, v), varies(v, l), within(s, l).
.decl finding(s: Stmt, l: Loop, api: symbol)
finding(s, l, api) :- within(s, l), call(s, api), match(\"torch\\\\.(eye|zeros|arange|matmul)\", api), pure(api), !depends(s, l).
";

/// A ring of nodes with further edges between random ones: everything reaches everything.
pub fn closure_facts(nodes: u32, further: u32, seed: u64) -> Facts {
    let mut numbers = Numbers::new(seed);
    let mut edges: Vec<Vec<u32>> = (0..nodes).map(|node| vec![node, (node + 1) % nodes]).collect();
    edges.extend((0..further).map(|_| vec![numbers.below(nodes), numbers.below(nodes)]));
    vec![("edge", edges)]
}

/// Groups of variables as in functions: what points to what stays within a group.
pub fn points_to_facts(variables: u32, seed: u64) -> Facts {
    const GROUP: u32 = 100;
    let mut numbers = Numbers::new(seed);
    let near =
        |variable: u32, numbers: &mut Numbers| (variable / GROUP * GROUP + numbers.below(GROUP)).min(variables - 1);
    let (mut alloc, mut assign, mut load, mut store) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for variable in 0..variables {
        if numbers.below(4) == 0 {
            alloc.push(vec![variable, variable / 2]);
        }
        assign.push(vec![variable, near(variable, &mut numbers)]);
        if numbers.below(4) == 0 {
            load.push(vec![variable, near(variable, &mut numbers), numbers.below(6)]);
        }
        if numbers.below(4) == 0 {
            store.push(vec![variable, numbers.below(6), near(variable, &mut numbers)]);
        }
    }
    vec![("alloc", alloc), ("assign", assign), ("load", load), ("store", store)]
}

pub fn invariant_facts(statements: u32, seed: u64) -> Facts {
    let mut numbers = Numbers::new(seed);
    let loops = statements / 12 + 2;
    let (mut inside, mut nested, mut defines, mut reads, mut call, mut counts) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for one in 1..loops {
        if numbers.below(2) == 0 {
            nested.push(vec![one, one - 1]);
        }
        counts.push(vec![one, numbers.below(statements)]);
    }
    for statement in 0..statements {
        let around = (statement / 12 + numbers.below(2)).min(loops - 1);
        inside.push(vec![statement, around]);
        defines.push(vec![statement, statement]);
        for _ in 0..2 {
            reads.push(vec![statement, statement.saturating_sub(1 + numbers.below(30))]);
        }
        call.push(vec![statement, numbers.below(APIS.len() as u32)]);
    }
    let pure = [0, 1, 2, 4, 7].map(|api| vec![api]).to_vec();
    vec![
        ("inside", inside),
        ("nested", nested),
        ("defines", defines),
        ("reads", reads),
        ("call", call),
        ("pure", pure),
        ("counts", counts),
    ]
}

/// How the engine's database names a cell: statements, loops and names are symbols in the invariance rules.
fn cell(database: &mut Database, rules: &str, relation: &str, column: usize, value: u32) -> Cell {
    if rules != INVARIANT {
        return database.number(i64::from(value));
    }
    match (relation, column) {
        ("call", 1) | ("pure", 0) => database.symbol(APIS[value as usize]),
        ("inside", 1) | ("nested", _) | ("counts", 0) => database.symbol(&format!("loop {value}")),
        ("defines" | "reads" | "counts", 1) => database.symbol(&format!("name {value}")),
        _ => database.symbol(&format!("statement {value}")),
    }
}

fn number(value: &Value) -> u32 {
    match value {
        Value::Number(number) => *number as u32,
        Value::Symbol(text) => match text.rsplit_once(' ') {
            Some((_, number)) => number.parse().unwrap_or(0),
            None => APIS.iter().position(|api| api == text).unwrap_or(0) as u32,
        },
    }
}

pub fn database(rules: &str, facts: &Facts) -> Database {
    let mut database = Database::new();
    let mut row_cells = Vec::new();
    for (relation, rows) in facts {
        for row in rows {
            row_cells.clear();
            for (column, value) in row.iter().enumerate() {
                row_cells.push(cell(&mut database, rules, relation, column, *value));
            }
            database.insert(relation, &row_cells, &[]);
        }
    }
    database
}

pub fn compile(rules: &str) -> Program<'static> {
    Program::compile(&[], &[Source::new("rules.dl", rules)], &NoFunctors).expect("the rules are in order")
}

pub fn limits(provenance: bool) -> Limits {
    Limits { provenance, ..Limits::unbounded() }
}

/// Evaluates rules with Harp's engine.
pub fn with_harp(rules: &str, facts: &Facts, wanted: &[&'static str]) -> Results {
    let program = compile(rules);
    let evaluation = program.evaluate(database(rules, facts), &limits(true));
    assert!(evaluation.warnings.is_empty(), "{:?}", evaluation.warnings);
    wanted
        .iter()
        .map(|name| {
            let relation = program.relation(name).expect("the relation is declared");
            (*name, evaluation.rows(relation).iter().map(|row| row.iter().map(number).collect()).collect())
        })
        .collect()
}

fn rows<'a>(facts: &'a Facts, name: &str) -> &'a [Vec<u32>] {
    facts.iter().find(|(other, _)| *other == name).map_or(&[], |(_, rows)| rows)
}

pub mod closure {
    use crepe::crepe;

    crepe! {
        @input
        pub struct Edge(pub u32, pub u32);
        @output
        pub struct Path(pub u32, pub u32);
        Path(x, y) <- Edge(x, y);
        Path(x, z) <- Path(x, y), Edge(y, z);
    }

    type FastHasher = std::hash::BuildHasherDefault<rustc_hash::FxHasher>;

    pub fn run(facts: &super::Facts) -> std::collections::HashSet<Path, FastHasher> {
        let mut runtime = Crepe::new();
        runtime.extend(super::rows(facts, "edge").iter().map(|row| Edge(row[0], row[1])));
        runtime.run_with_hasher::<FastHasher>().0
    }
}

pub mod points_to {
    use crepe::crepe;

    crepe! {
        @input
        pub struct Alloc(pub u32, pub u32);
        @input
        pub struct Assign(pub u32, pub u32);
        @input
        pub struct Load(pub u32, pub u32, pub u32);
        @input
        pub struct Store(pub u32, pub u32, pub u32);
        @output
        pub struct Points(pub u32, pub u32);
        @output
        pub struct Heap(pub u32, pub u32, pub u32);
        Points(v, h) <- Alloc(v, h);
        Points(v, h) <- Points(u, h), Assign(v, u);
        Heap(h, f, g) <- Store(v, f, u), Points(v, h), Points(u, g);
        Points(v, g) <- Load(v, u, f), Points(u, h), Heap(h, f, g);
    }

    type FastHasher = std::hash::BuildHasherDefault<rustc_hash::FxHasher>;
    type Set<T> = std::collections::HashSet<T, FastHasher>;

    pub fn run(facts: &super::Facts) -> (Set<Points>, Set<Heap>) {
        let mut runtime = Crepe::new();
        runtime.extend(super::rows(facts, "alloc").iter().map(|row| Alloc(row[0], row[1])));
        runtime.extend(super::rows(facts, "assign").iter().map(|row| Assign(row[0], row[1])));
        runtime.extend(super::rows(facts, "load").iter().map(|row| Load(row[0], row[1], row[2])));
        runtime.extend(super::rows(facts, "store").iter().map(|row| Store(row[0], row[1], row[2])));
        runtime.run_with_hasher::<FastHasher>()
    }
}

pub mod invariant {
    use crepe::crepe;

    crepe! {
        @input
        pub struct Inside(pub u32, pub u32);
        @input
        pub struct Nested(pub u32, pub u32);
        @input
        pub struct Defines(pub u32, pub u32);
        @input
        pub struct Reads(pub u32, pub u32);
        @input
        pub struct Call<'a>(pub u32, pub &'a str);
        @input
        pub struct Pure<'a>(pub &'a str);
        @input
        pub struct Counts(pub u32, pub u32);
        @output
        pub struct Within(pub u32, pub u32);
        @output
        pub struct Varies(pub u32, pub u32);
        struct Depends(u32, u32);
        @output
        pub struct Finding<'a>(pub u32, pub u32, pub &'a str);
        Within(s, l) <- Inside(s, l);
        Within(s, outer) <- Within(s, l), Nested(l, outer);
        Varies(v, l) <- Counts(l, v);
        Varies(v, l) <- Within(s, l), Defines(s, v), Call(s, api), !Pure(api);
        Varies(v, l) <- Varies(u, l), Reads(s, u), Within(s, l), Defines(s, v);
        Depends(s, l) <- Reads(s, v), Varies(v, l), Within(s, l);
        Finding(s, l, api) <- Within(s, l), Call(s, api), (matches(api)), Pure(api), !Depends(s, l);
    }

    /// The pattern of the rule, as a compiled rule would have it.
    fn matches(api: &str) -> bool {
        matches!(api.strip_prefix("torch."), Some("eye" | "zeros" | "arange" | "matmul"))
    }

    type FastHasher = std::hash::BuildHasherDefault<rustc_hash::FxHasher>;
    type Set<T> = std::collections::HashSet<T, FastHasher>;

    pub fn run(facts: &super::Facts) -> (Set<Within>, Set<Varies>, Set<Finding<'static>>) {
        let mut runtime = Crepe::new();
        runtime.extend(super::rows(facts, "inside").iter().map(|row| Inside(row[0], row[1])));
        runtime.extend(super::rows(facts, "nested").iter().map(|row| Nested(row[0], row[1])));
        runtime.extend(super::rows(facts, "defines").iter().map(|row| Defines(row[0], row[1])));
        runtime.extend(super::rows(facts, "reads").iter().map(|row| Reads(row[0], row[1])));
        runtime.extend(super::rows(facts, "call").iter().map(|row| Call(row[0], super::APIS[row[1] as usize])));
        runtime.extend(super::rows(facts, "pure").iter().map(|row| Pure(super::APIS[row[0] as usize])));
        runtime.extend(super::rows(facts, "counts").iter().map(|row| Counts(row[0], row[1])));
        runtime.run_with_hasher::<FastHasher>()
    }
}

fn api_number(api: &str) -> u32 {
    APIS.iter().position(|other| *other == api).unwrap_or(0) as u32
}

/// Evaluates rules with the compiled engine.
pub fn with_crepe(rules: &str, facts: &Facts) -> Results {
    match rules {
        CLOSURE => vec![("path", closure::run(facts).into_iter().map(|row| vec![row.0, row.1]).collect())],
        POINTS_TO => {
            let (points, heap) = points_to::run(facts);
            vec![
                ("points", points.into_iter().map(|row| vec![row.0, row.1]).collect()),
                ("heap", heap.into_iter().map(|row| vec![row.0, row.1, row.2]).collect()),
            ]
        }
        _ => {
            let (within, varies, finding) = invariant::run(facts);
            vec![
                ("within", within.into_iter().map(|row| vec![row.0, row.1]).collect()),
                ("varies", varies.into_iter().map(|row| vec![row.0, row.1]).collect()),
                ("finding", finding.into_iter().map(|row| vec![row.0, row.1, api_number(row.2)]).collect()),
            ]
        }
    }
}
