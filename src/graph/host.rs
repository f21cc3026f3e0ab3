//! The host program as the graph sees it: functions, statements, variables, expressions and calls, each with a number.

use rustc_hash::{FxHashMap, FxHashSet};

use harp_corpus::Span;
use harp_python::ir::Range;
use harp_python::name::Name;
use harp_trace::small_set::Few;

macro_rules! numbers {
    ($($(#[$documentation:meta])* $name:ident,)*) => {
        $(
            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(pub u32);

            impl $name {
                /// The place in the list of what it numbers.
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

numbers! {
    /// A function, or a module's or class's own statements.
    FunctionId,
    /// A statement.
    StatementId,
    /// A variable of a function or module, or an attribute.
    VariableId,
    /// An expression.
    ExpressionId,
}

#[derive(Debug)]
pub struct FunctionNode {
    pub span: Span,
    /// With the module in front.
    pub name: String,
    pub parameters: Vec<VariableId>,
    /// The first parameter is what stands before the dot of a call: it is a method, and no static one.
    pub takes_receiver: bool,
    /// Outermost first.
    pub decorators: Vec<ExpressionId>,
    /// The statements of the outermost block.
    pub body: Vec<StatementId>,
    /// Which of the modules it is part of, in the order in which they are read.
    pub module: u32,
}

/// Which part of a compound statement a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// Of a loop, a `with`, a `try`, a `def` or a `class`.
    Body,
    Then,
    Else,
    Handler,
}

impl Arm {
    pub fn name(self) -> &'static str {
        match self {
            Arm::Body => "body",
            Arm::Then => "then",
            Arm::Else => "else",
            Arm::Handler => "handler",
        }
    }
}

/// How a loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    Range,
    For,
    While,
}

#[derive(Debug)]
pub struct StatementNode {
    pub span: Span,
    pub kind: &'static str,
    pub function: FunctionId,
    pub parent: Option<(StatementId, Arm)>,
    /// The loop in whose body the statement directly or indirectly stands.
    pub inside: Option<StatementId>,
    pub loop_kind: Option<LoopKind>,
    pub blocks: Vec<(Arm, Vec<StatementId>)>,
    /// Its part of [`Host::roots`].
    pub roots: (u32, u32),
    pub definitions: Few<VariableId>,
    /// What the statement itself changes in place.
    pub mutations: Few<VariableId>,
    /// What it passes to code that was not resolved.
    pub passed: Few<VariableId>,
    /// The value of a plain assignment to one name.
    pub value: Option<(VariableId, ExpressionId)>,
    /// The same for one attribute of a name.
    pub attribute_value: Option<(VariableId, ExpressionId)>,
    /// It does more than computing values: a call that was not resolved, random numbers, input and output.
    pub is_impure: bool,
    /// It computes gradients or updates parameters.
    pub trains: bool,
    /// A function that it calls changes what others than the statement's own function see.
    pub changes_others: bool,
    /// It may leave the loops around it.
    pub leaves: bool,
}

impl StatementNode {
    /// A statement of which nothing is read yet.
    pub fn new(span: Span, kind: &'static str, function: FunctionId) -> StatementNode {
        StatementNode {
            span,
            kind,
            function,
            parent: None,
            inside: None,
            loop_kind: None,
            blocks: Vec::new(),
            roots: (0, 0),
            definitions: Few::None,
            mutations: Few::None,
            passed: Few::None,
            value: None,
            attribute_value: None,
            is_impure: false,
            trains: false,
            changes_others: false,
            leaves: false,
        }
    }
}

/// A name in a scope, or an attribute of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VariableNode {
    pub scope: FunctionId,
    pub root: Name,
    /// Dotted: `layer.weight` of `self.layer.weight`.
    pub path: Option<Name>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionKind {
    Variable(VariableId),
    Constant,
    Call,
    Operator,
    Attribute,
    Subscript,
    Other,
}

/// An expression. There are millions: nothing is kept that follows from the statement, and no room for what most do not have.
#[derive(Debug)]
pub struct ExpressionNode {
    range: Range,
    pub statement: StatementId,
    /// `u32::MAX` for an outermost one.
    parent: u32,
    /// The variable, or, from the end, what else it is.
    kind: u32,
    /// The part of [`Host::reads`] that the expression reads.
    pub reads: (u32, u32),
    /// Computing it does more than giving a value, or gives another value each time.
    pub is_impure: bool,
    /// Whether it runs library APIs.
    pub has_api: bool,
}

/// The kinds of expressions that are no variables.
const KINDS: [ExpressionKind; 6] = [
    ExpressionKind::Constant,
    ExpressionKind::Call,
    ExpressionKind::Operator,
    ExpressionKind::Attribute,
    ExpressionKind::Subscript,
    ExpressionKind::Other,
];
/// Numbers from here on are kinds and not variables.
const FIRST_KIND: u32 = u32::MAX - KINDS.len() as u32;

impl ExpressionNode {
    pub fn new(range: Range, statement: StatementId, parent: Option<ExpressionId>, read: u32) -> ExpressionNode {
        let parent = parent.map_or(u32::MAX, |parent| parent.0);
        let reads = (read, read);
        let mut node = ExpressionNode { range, statement, parent, kind: 0, reads, is_impure: false, has_api: false };
        node.set_kind(ExpressionKind::Other);
        node
    }

    pub fn parent(&self) -> Option<ExpressionId> {
        (self.parent != u32::MAX).then_some(ExpressionId(self.parent))
    }

    pub fn kind(&self) -> ExpressionKind {
        match self.kind.checked_sub(FIRST_KIND) {
            Some(index) => KINDS.get(index as usize).copied().unwrap_or(ExpressionKind::Other),
            None => ExpressionKind::Variable(VariableId(self.kind)),
        }
    }

    pub fn set_kind(&mut self, kind: ExpressionKind) {
        self.kind = match kind {
            ExpressionKind::Variable(variable) => variable.0,
            other => FIRST_KIND + KINDS.iter().position(|known| *known == other).unwrap_or(0) as u32,
        };
    }
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// What stands before the dot.
    Receiver,
    Position(u32),
    /// Of an operator, the left one first.
    Operand(u32),
    Keyword(Name),
    /// `*arguments` or `**keywords`.
    Unpacked,
}

#[derive(Debug)]
pub struct CallNode {
    pub expression: ExpressionId,
    pub statement: StatementId,
    /// Places of the program's functions that it may call.
    pub callees: Few<Span>,
    /// The variable that is called: `net`, or `net.encode`.
    pub function: Option<VariableId>,
    pub arguments: Box<[(Slot, ExpressionId, Option<VariableId>)]>,
    /// What is called, where that was not resolved.
    pub unresolved: Option<Span>,
    /// A function of Python itself, also where nothing executed the call.
    pub builtin: Option<Name>,
}

/// Everything about the host program that relations are made from.
#[derive(Debug, Default)]
pub struct Host {
    pub functions: Vec<FunctionNode>,
    pub statements: Vec<StatementNode>,
    pub variables: Vec<VariableNode>,
    pub expressions: Vec<ExpressionNode>,
    /// Calls of functions of the program, library APIs and unresolved callees.
    pub calls: Vec<CallNode>,
    /// Variables in the order in which expressions read them.
    pub reads: Vec<VariableId>,
    /// The outermost expressions of each statement's own code, blocks left out, in the order of evaluation.
    roots: Vec<ExpressionId>,
    /// Pairs of variables that may name the same object, or share memory.
    pub aliases: Vec<(VariableId, VariableId)>,
    pub function_of_span: FxHashMap<Span, FunctionId>,
    /// The numbers of variables, by the modules of their scopes: whoever reads a module looks up no others, and finds these in the cache.
    variable_ids: Vec<FxHashMap<VariableNode, VariableId>>,
    /// Attribute paths with a further attribute; `None` where they would be too long.
    joined: FxHashMap<(Name, Name), Option<Name>>,
}

/// Attribute paths longer than this count as their beginning.
const LONGEST_PATH: usize = 4;

/// Python mostly has more bytes for each expression,
const BYTES_OF_EXPRESSION: usize = 18;
/// for each variable that is read,
const BYTES_OF_READ: usize = 24;
/// and for each statement.
const BYTES_OF_STATEMENT: usize = 100;

impl Host {
    /// With room for what is read from so many bytes of code. It is not touched before it is needed, and given back by [`Host::finish`].
    pub fn with_room_for(bytes: usize) -> Host {
        Host {
            statements: Vec::with_capacity(bytes / BYTES_OF_STATEMENT),
            expressions: Vec::with_capacity(bytes / BYTES_OF_EXPRESSION),
            reads: Vec::with_capacity(bytes / BYTES_OF_READ),
            ..Host::default()
        }
    }

    /// How much was read so far.
    pub fn extent(&self) -> [usize; 8] {
        [
            self.functions.len(),
            self.statements.len(),
            self.variables.len(),
            self.expressions.len(),
            self.calls.len(),
            self.reads.len(),
            self.aliases.len(),
            self.variable_ids.len(),
        ]
    }

    /// Forgets a module of which only a part was read since there was so much.
    pub fn forget_since(&mut self, extent: [usize; 8]) {
        let [functions, statements, variables, expressions, calls, reads, aliases, variable_ids] = extent;
        self.functions.truncate(functions);
        self.statements.truncate(statements);
        self.variables.truncate(variables);
        self.expressions.truncate(expressions);
        self.calls.truncate(calls);
        self.reads.truncate(reads);
        self.aliases.truncate(aliases);
        self.variable_ids.truncate(variable_ids);
        self.function_of_span.retain(|_, function| function.index() < functions);
    }

    pub fn function(&self, id: FunctionId) -> &FunctionNode {
        &self.functions[id.index()]
    }

    pub fn statement(&self, id: StatementId) -> &StatementNode {
        &self.statements[id.index()]
    }

    pub fn statement_mut(&mut self, id: StatementId) -> &mut StatementNode {
        &mut self.statements[id.index()]
    }

    pub fn variable(&self, id: VariableId) -> VariableNode {
        self.variables[id.index()]
    }

    pub fn expression(&self, id: ExpressionId) -> &ExpressionNode {
        &self.expressions[id.index()]
    }

    /// The variables that an expression reads, in order, possibly several times.
    pub fn reads_of(&self, id: ExpressionId) -> &[VariableId] {
        let (start, end) = self.expression(id).reads;
        &self.reads[start as usize..end as usize]
    }

    pub fn span(&self, node: &ExpressionNode) -> Span {
        node.range.in_file(self.statement(node.statement).span.file)
    }

    pub fn span_of(&self, id: ExpressionId) -> Span {
        self.span(self.expression(id))
    }

    /// The outermost expressions of a statement's own code, blocks left out.
    pub fn roots_of(&self, id: StatementId) -> &[ExpressionId] {
        let (start, end) = self.statement(id).roots;
        &self.roots[start as usize..end as usize]
    }

    /// The variables that a statement reads, in the order of evaluation, possibly several times.
    pub fn uses_of(&self, id: StatementId) -> impl Iterator<Item = VariableId> + '_ {
        self.roots_of(id).iter().flat_map(|root| self.reads_of(*root)).copied()
    }

    pub fn variable_id(&mut self, node: VariableNode) -> VariableId {
        let module = self.functions.get(node.scope.index()).map_or(0, |scope| scope.module as usize);
        if self.variable_ids.len() <= module {
            self.variable_ids.resize_with(module + 1, FxHashMap::default);
        }
        let variables = &mut self.variables;
        *self.variable_ids[module].entry(node).or_insert_with(|| {
            variables.push(node);
            VariableId(variables.len() as u32 - 1)
        })
    }

    /// The attribute of a variable, as a variable.
    pub fn member(&mut self, of: VariableId, path: Name) -> VariableId {
        let node = self.variable(of);
        let joined = match node.path {
            Some(before) => *self.joined.entry((before, path)).or_insert_with(|| {
                let is_short = before.as_str().matches('.').count() + 2 <= LONGEST_PATH;
                is_short.then(|| Name::new(&format!("{before}.{path}")))
            }),
            None => Some(path),
        };
        joined.map_or(of, |joined| self.variable_id(VariableNode { path: Some(joined), ..node }))
    }

    /// Names that nothing but imports assign: modules, functions and classes, which calls are not thought to change.
    fn imported(&self) -> FxHashSet<(FunctionId, Name)> {
        let (mut imported, mut assigned) = (FxHashSet::default(), FxHashSet::default());
        for node in &self.statements {
            let names = if node.kind == "import" { &mut imported } else { &mut assigned };
            let defined = node.definitions.iter().map(|variable| self.variable(*variable));
            names.extend(defined.filter(|variable| variable.path.is_none()).map(|it| (it.scope, it.root)));
        }
        imported.retain(|name| !assigned.contains(name));
        imported
    }

    fn spare_imported(&mut self) {
        let imported = self.imported();
        for index in 0..self.statements.len() {
            let passed = std::mem::take(&mut self.statements[index].passed);
            let is_kept = |variable: &&VariableId| {
                let node = self.variable(**variable);
                !imported.contains(&(node.scope, node.root))
            };
            let kept: Vec<VariableId> = passed.iter().filter(is_kept).copied().collect();
            self.statements[index].passed = if kept.len() == passed.len() { passed } else { kept.into() };
        }
    }

    /// When all is read: gives back the room that was kept for growing, as the host stays as large as it is while the rules run.
    pub fn finish(&mut self) {
        self.spare_imported();
        let numbered = (0u32..).zip(&self.expressions);
        let outermost = numbered.filter(|(_, node)| node.parent().is_none());
        let mut roots: Vec<(StatementId, ExpressionId)> =
            outermost.map(|(index, node)| (node.statement, ExpressionId(index))).collect();
        roots.sort_by_key(|(statement, _)| *statement);
        let mut start = 0;
        for of_one in roots.chunk_by(|one, other| one.0 == other.0) {
            let end = start + of_one.len() as u32;
            self.statements[of_one[0].0.index()].roots = (start, end);
            start = end;
        }
        self.roots = roots.into_iter().map(|(_, root)| root).collect();
        for node in &mut self.statements {
            for (_, block) in &mut node.blocks {
                block.shrink_to_fit();
            }
            node.blocks.shrink_to_fit();
        }
        self.statements.shrink_to_fit();
        self.variables.shrink_to_fit();
        self.expressions.shrink_to_fit();
        self.calls.shrink_to_fit();
        self.reads.shrink_to_fit();
    }

    /// Whether the function is a whole file.
    pub fn is_module(&self, id: FunctionId) -> bool {
        self.function(id).span.end == 0
    }

    /// The loops around a statement, the innermost first.
    pub fn loops_of(&self, statement: StatementId) -> impl Iterator<Item = StatementId> + '_ {
        std::iter::successors(self.statement(statement).inside, |id| self.statement(*id).inside)
    }

    pub fn loops(&self) -> impl Iterator<Item = (StatementId, LoopKind)> + '_ {
        let numbered = self.statements.iter().enumerate();
        numbered.filter_map(|(index, node)| Some((StatementId(index as u32), node.loop_kind?)))
    }

    /// All statements of the blocks of `statement`, at any depth, in order.
    pub fn body_of(&self, statement: StatementId, arm: Option<Arm>) -> Vec<StatementId> {
        let mut found = Vec::new();
        let blocks = self.statement(statement).blocks.iter().filter(|(of, _)| arm.is_none_or(|arm| arm == *of));
        let mut waiting: Vec<StatementId> = blocks.flat_map(|(_, block)| block.iter().copied()).collect();
        while let Some(id) = waiting.pop() {
            found.push(id);
            waiting.extend(self.statement(id).blocks.iter().flat_map(|(_, block)| block.iter().copied()));
        }
        found.sort_unstable();
        found
    }
}
