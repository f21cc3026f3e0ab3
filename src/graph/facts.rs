//! The rows of the graph's relations, over symbols and numbers, which rules read.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::defects::DefectOfGraph;
use crate::schema::{Relation, Schema};
use crate::symbols_by_number::SymbolsByNumber;
pub use crate::text_table::Symbol;
use crate::text_table::{Form, Texts};
use harp_corpus::{Corpus, Span};
use harp_limits::{tick, ticks};
use harp_trace::answers::{Asked, Reply};

/// A value in a row. The column's type says whether it is a symbol or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(i64);

impl Cell {
    /// The cell as a number.
    pub fn number(self) -> i64 {
        self.0
    }

    /// The cell as a symbol. Cells of symbol columns were made from symbols.
    pub fn symbol(self) -> Symbol {
        Symbol(self.0 as u32)
    }
}

impl From<Symbol> for Cell {
    fn from(symbol: Symbol) -> Cell {
        Cell(i64::from(symbol.0))
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Cell {
        Cell(number)
    }
}

/// A speculation that rows rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactAssumption {
    /// The pattern of the speculation, such as `member-name`.
    pub kind: String,
    /// What it is about, such as `x`.
    pub subject: String,
    /// A clause: "`x` is a float tensor".
    pub text: String,
    /// Why it is likely: "`x.grad` is read at train.py:4".
    pub evidence: String,
    /// The code that it is about; `None` where it is about no place.
    pub span: Option<Span>,
}

impl FactAssumption {
    /// The assumption as users are asked about it.
    pub fn asked(&self) -> Asked {
        Asked {
            span: self.span,
            kind: self.kind.clone(),
            subject: self.subject.clone(),
            text: self.text.clone(),
            evidence: self.evidence.clone(),
        }
    }
}

/// The rows of one relation, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    arity: usize,
    cells: Vec<Cell>,
    /// Rows that rest on assumptions, in ascending order.
    assumptions: Vec<(usize, Box<[u32]>)>,
}

impl Rows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.arity).unwrap_or(0)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Every row with the assumptions that it needs.
    pub fn iter(&self) -> impl Iterator<Item = (&[Cell], &[u32])> {
        let mut conditional = self.assumptions.iter().peekable();
        self.cells.chunks_exact(self.arity.max(1)).enumerate().map(move |(index, row)| {
            let assumptions = conditional.next_if(|(of, _)| *of == index);
            (row, assumptions.map_or(&[][..], |(_, ids)| &**ids))
        })
    }
}

/// Which relations somebody wants to read; the others are not computed.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Whatever the schema declares.
    All,
    /// These alone.
    Only(Vec<Relation>),
}

impl Wanted {
    /// Whether somebody wants to read the relation.
    pub fn has(&self, relation: Relation) -> bool {
        match self {
            Wanted::All => true,
            Wanted::Only(list) => list.contains(&relation),
        }
    }

    /// Whether any of them is wanted.
    pub fn any(&self, relations: &[Relation]) -> bool {
        relations.iter().any(|relation| self.has(*relation))
    }
}

/// Rows with so many cells take about as long as what ticks once.
const CELLS_OF_A_TICK: usize = 64;
/// So does a text of so many bytes.
const BYTES_OF_A_TICK: usize = 1024;

/// The relations of an analysis.
#[derive(Debug)]
pub struct Facts {
    texts: Texts,
    by_span: FxHashMap<(Span, Form), Symbol>,
    /// The symbols of operations, by their places in the trace.
    pub(crate) of_operations: SymbolsByNumber,
    /// And the places of these symbols.
    pub(crate) by_operation: FxHashMap<Symbol, usize>,
    tables: Vec<Rows>,
    wanted: Vec<bool>,
    /// Relations that somebody reads whose rows are made on request.
    postponed: Vec<bool>,
    /// The relation whose rows are made on request now: what makes them gives no others.
    making: Option<Relation>,
    /// So many rows a relation has at most.
    most_rows: usize,
    /// Relations that would have more.
    cut: Vec<bool>,
    /// The relation that the last row went to.
    last: Option<Relation>,
    /// The first of the numbers that are kept for assumptions of such rows.
    pub kept_numbers: Option<u32>,
    /// What the numbers of assumptions mean; the trace's come first, in its order. A number that is kept for a row on request has none until
    /// the row is made.
    assumptions: Vec<Option<Box<FactAssumption>>>,
    /// Indices into the trace's issues, by the symbols of requirements.
    pub requirements: FxHashMap<Symbol, usize>,
    /// What is left out, because Harp failed on it.
    pub defects: Vec<DefectOfGraph>,
}

impl Facts {
    /// Relations without rows; those that nobody wants stay so.
    pub fn new(wanted: &Wanted) -> Facts {
        let schema = Schema::get();
        let tables = schema.relations.iter();
        Facts {
            texts: Texts::default(),
            by_span: FxHashMap::default(),
            of_operations: SymbolsByNumber::new(0),
            by_operation: FxHashMap::default(),
            tables: tables.map(|relation| Rows { arity: relation.columns.len(), ..Rows::default() }).collect(),
            wanted: Relation::ALL.iter().map(|relation| wanted.has(*relation)).collect(),
            postponed: vec![false; Relation::ALL.len()],
            making: None,
            most_rows: usize::MAX,
            cut: vec![false; Relation::ALL.len()],
            last: None,
            defects: Vec::new(),
            kept_numbers: None,
            assumptions: Vec::new(),
            requirements: FxHashMap::default(),
        }
    }

    /// The same, with at most so many rows a relation.
    pub fn bounded(wanted: &Wanted, most_rows: usize) -> Facts {
        Facts { most_rows, ..Facts::new(wanted) }
    }

    /// Whether a relation takes no more rows: whoever makes very many may stop.
    pub fn is_cut(&self, relation: Relation) -> bool {
        self.cut[relation as usize]
    }

    /// Relations of which only the first rows are there.
    pub fn cut_relations(&self) -> impl Iterator<Item = Relation> {
        Relation::ALL.iter().copied().filter(|relation| self.is_cut(*relation))
    }

    /// The relation that the last row went to.
    pub fn last_relation(&self) -> Option<Relation> {
        self.last
    }

    /// Whether somebody reads the relation.
    pub fn wants(&self, relation: Relation) -> bool {
        self.making.map_or(self.wanted[relation as usize], |making| making == relation)
    }

    /// Whether somebody reads one of the relations.
    pub fn wants_any(&self, relations: &[Relation]) -> bool {
        relations.iter().any(|relation| self.wants(*relation))
    }

    /// Leaves a relation's rows out until they are asked for.
    pub fn postpone(&mut self, relation: Relation) {
        self.wanted[relation as usize] = false;
        self.postponed[relation as usize] = true;
    }

    /// Whether somebody reads the relation and its rows are made on request.
    pub fn is_postponed(&self, relation: Relation) -> bool {
        self.postponed[relation as usize]
    }

    /// The rows of a postponed relation that `make` adds.
    pub fn made(&mut self, relation: Relation, make: impl FnOnce(&mut Facts)) -> Rows {
        self.making = Some(relation);
        make(self);
        self.making = None;
        self.take(relation)
    }

    /// Takes out the rows of a relation.
    pub fn take(&mut self, relation: Relation) -> Rows {
        let table = &mut self.tables[relation as usize];
        let arity = table.arity;
        std::mem::replace(table, Rows { arity, ..Rows::default() })
    }

    /// Adds a row that holds for certain.
    pub fn add<const N: usize>(&mut self, relation: Relation, row: [Cell; N]) {
        self.add_assuming(relation, row, &[]);
    }

    /// Adds a row that holds if all of these assumptions do.
    pub fn add_assuming<const N: usize>(&mut self, relation: Relation, row: [Cell; N], assumptions: &[u32]) {
        if !self.wants(relation) {
            return;
        }
        let table = &mut self.tables[relation as usize];
        self.last = Some(relation);
        if table.cells.len().is_multiple_of(CELLS_OF_A_TICK) {
            tick();
        }
        if table.len() >= self.most_rows {
            self.cut[relation as usize] = true;
            return;
        }
        debug_assert_eq!(table.arity, N, "the columns of {}", relation.name());
        if !assumptions.is_empty() {
            table.assumptions.push((table.len(), assumptions.into()));
        }
        table.cells.extend_from_slice(&row);
    }

    /// The rows that were made; of a postponed relation, none.
    pub fn rows(&self, relation: Relation) -> &Rows {
        &self.tables[relation as usize]
    }

    /// The symbol of a text; equal texts have the same symbol.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        ticks(text.len() / BYTES_OF_A_TICK);
        self.texts.symbol(text)
    }

    /// The number of different texts.
    pub fn symbol_count(&self) -> usize {
        self.texts.len()
    }

    /// The text of a symbol; of a place, it is made when it is asked for.
    pub fn text(&self, symbol: Symbol) -> Cow<'_, str> {
        self.texts.get(symbol)
    }

    /// Writes a symbol's text behind what is there.
    pub fn write_text(&self, symbol: Symbol, text: &mut String) {
        self.texts.write_to(symbol, text);
    }

    /// The symbol of a text, where some row or question has made one.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.texts.find(text)
    }

    /// The place that a symbol names.
    pub fn place(&self, symbol: Symbol) -> Option<Span> {
        self.texts.span(symbol)
    }

    /// The symbol of a statement: where it begins.
    pub fn statement(&mut self, corpus: &Corpus, span: Span) -> Symbol {
        self.placed(corpus, span, Form::Start)
    }

    /// The symbol of an expression: where it begins and ends.
    pub fn expression(&mut self, corpus: &Corpus, span: Span) -> Symbol {
        self.placed(corpus, span, Form::Range)
    }

    /// A symbol of its own that names a place, such as one of several operations there.
    pub fn named_place(&mut self, text: &str, span: Span) -> Symbol {
        let symbol = self.symbol(text);
        self.texts.name(symbol, span);
        symbol
    }

    fn placed(&mut self, corpus: &Corpus, span: Span, form: Form) -> Symbol {
        if let Some(symbol) = self.by_span.get(&(span, form)) {
            return *symbol;
        }
        let symbol = self.texts.place(corpus, span, form);
        self.by_span.insert((span, form), symbol);
        symbol
    }

    /// Takes what users say of assumptions for known: rows that rest on a denied one go, and no row names a confirmed one. `replies` has
    /// one for each assumption.
    pub fn settle(&mut self, replies: &[Option<Reply>]) {
        let reply = |id: &u32| replies.get(*id as usize).copied().flatten();
        for table in self.tables.iter_mut().filter(|table| !table.assumptions.is_empty()) {
            let mut settled = Rows { arity: table.arity, ..Rows::default() };
            for (row, assumptions) in table.iter() {
                if assumptions.iter().any(|id| reply(id) == Some(Reply::Denied)) {
                    continue;
                }
                let open: Box<[u32]> = assumptions.iter().copied().filter(|id| reply(id).is_none()).collect();
                if !open.is_empty() {
                    settled.assumptions.push((settled.len(), open));
                }
                settled.cells.extend_from_slice(row);
            }
            *table = settled;
        }
    }

    /// Adds an assumption and gives its number.
    pub fn assume(&mut self, assumption: FactAssumption) -> u32 {
        self.assumptions.push(Some(Box::new(assumption)));
        (self.assumptions.len() - 1) as u32
    }

    /// Keeps so many numbers for assumptions of rows on request, and gives the first. They order assumptions as if all rows were made.
    pub fn keep_numbers(&mut self, count: usize) -> u32 {
        let first = self.assumptions.len() as u32;
        self.assumptions.resize_with(self.assumptions.len() + count, || None);
        first
    }

    /// Adds an assumption under a number that was kept for it.
    pub fn assume_as(&mut self, id: u32, assumption: FactAssumption) {
        if let Some(slot) = self.assumptions.get_mut(id as usize) {
            *slot = Some(Box::new(assumption));
        }
    }

    /// The assumption of a number; `None` while its row on request is not made.
    pub fn assumption(&self, id: u32) -> Option<&FactAssumption> {
        self.assumptions.get(id as usize)?.as_deref()
    }

    /// All assumptions by number.
    pub fn assumptions(&self) -> impl Iterator<Item = Option<&FactAssumption>> {
        self.assumptions.iter().map(Option::as_deref)
    }
}
