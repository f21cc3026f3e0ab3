//! The host program as the graph sees it: functions, statements, variables, expressions and calls, each with a number.

use rustc_hash::FxHashMap;

use crate::corpus::Span;
use crate::python::name::Name;

macro_rules! numbers {
    ($($(#[$documentation:meta])* $name:ident,)*) => {
        $(
            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(pub u32);

            impl $name {
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
    StatementId,
    VariableId,
    ExpressionId,
}

#[derive(Debug)]
pub struct FunctionNode {
    pub span: Span,
    /// With the module in front.
    pub name: String,
    pub parameters: Vec<VariableId>,
    /// Outermost first.
    pub decorators: Vec<ExpressionId>,
    /// The statements of the outermost block.
    pub body: Vec<StatementId>,
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
    /// The outermost expressions of its own code, blocks left out.
    pub roots: Vec<ExpressionId>,
    pub definitions: Vec<VariableId>,
    /// In the order of evaluation, possibly several times.
    pub uses: Vec<VariableId>,
    /// What the statement itself changes in place.
    pub mutations: Vec<VariableId>,
    /// What it passes to code that was not resolved.
    pub passed: Vec<VariableId>,
    /// The value of a plain assignment to one name.
    pub value: Option<(VariableId, ExpressionId)>,
    /// It does more than computing values: a call that was not resolved, random numbers, input and output.
    pub is_impure: bool,
    /// It computes gradients or updates parameters.
    pub trains: bool,
    /// A function that it calls changes what others than the statement's own function see.
    pub changes_others: bool,
    /// It may leave the loops around it.
    pub leaves: bool,
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

#[derive(Debug)]
pub struct ExpressionNode {
    pub span: Span,
    pub statement: StatementId,
    pub parent: Option<ExpressionId>,
    pub kind: ExpressionKind,
    /// The part of [`Host::reads`] that the expression reads.
    pub reads: (u32, u32),
    /// Computing it does more than giving a value, or gives another value each time.
    pub is_impure: bool,
    /// Whether it runs library APIs.
    pub has_api: bool,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// What stands before the dot.
    Receiver,
    Position(usize),
    /// Of an operator, the left one first.
    Operand(usize),
    Keyword(Name),
    /// `*arguments` or `**keywords`.
    Unpacked,
}

#[derive(Debug)]
pub struct CallNode {
    pub expression: ExpressionId,
    pub statement: StatementId,
    /// Places of the program's functions that it may call.
    pub callees: Vec<Span>,
    /// The variable that is called: `net`, or `net.encode`.
    pub function: Option<VariableId>,
    pub arguments: Vec<(Slot, ExpressionId, Option<VariableId>)>,
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
    /// Pairs of variables that may name the same object, or share memory.
    pub aliases: Vec<(VariableId, VariableId)>,
    pub function_of_span: FxHashMap<Span, FunctionId>,
    variable_ids: FxHashMap<VariableNode, VariableId>,
}

/// Attribute paths longer than this count as their beginning.
const LONGEST_PATH: usize = 4;

impl Host {
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

    pub fn variable_id(&mut self, node: VariableNode) -> VariableId {
        if let Some(id) = self.variable_ids.get(&node) {
            return *id;
        }
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(node);
        self.variable_ids.insert(node, id);
        id
    }

    /// The attribute of a variable, as a variable.
    pub fn member(&mut self, of: VariableId, path: Name) -> VariableId {
        let node = self.variable(of);
        let joined = match node.path {
            Some(before) if before.as_str().matches('.').count() + 2 > LONGEST_PATH => return of,
            Some(before) => Name::new(&format!("{before}.{path}")),
            None => path,
        };
        self.variable_id(VariableNode { path: Some(joined), ..node })
    }

    /// Gives back the room that was kept for growing: the host stays as large as it is while the rules run.
    pub fn shrink(&mut self) {
        for node in &mut self.statements {
            for (_, block) in &mut node.blocks {
                block.shrink_to_fit();
            }
            node.blocks.shrink_to_fit();
            node.roots.shrink_to_fit();
            for variables in [&mut node.definitions, &mut node.uses, &mut node.mutations, &mut node.passed] {
                variables.shrink_to_fit();
            }
        }
        for call in &mut self.calls {
            call.callees.shrink_to_fit();
            call.arguments.shrink_to_fit();
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
