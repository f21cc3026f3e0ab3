//! Finds in the syntax tree of a loop the names that each iteration assigns before it reads them. What an iteration
//! leaves in them is nothing to the next one.

use rustc_hash::FxHashSet;

use crate::ir::{Case, Comprehension, Expr, ExprKind, Function, Handler, Pattern, Stmt, StmtKind};
use crate::name::Name;
use crate::{Written, subexpressions, visit_written};

/// Functions that read or write names without naming them.
const READ_ALL: [&str; 4] = ["locals", "vars", "eval", "exec"];

/// The names of `function` that an iteration of a loop in it assigns, and does not read before. `test` is what a `while` asks in each
/// iteration. None where functions within it may read its names at any time.
pub fn renewed_names(function: &Function, test: Option<&Expr>, body: &[Stmt]) -> Vec<Name> {
    if has_closures(function) {
        return Vec::new();
    }
    let mut scan = Scan::default();
    test.into_iter().for_each(|test| scan.read(test));
    scan.block(body);
    let Scan { assigned, stale, gives_up, .. } = scan;
    let renewed = assigned.into_iter().filter(|name| function.is_local(*name) && !stale.contains(name));
    if gives_up { Vec::new() } else { renewed.collect() }
}

fn has_closures(function: &Function) -> bool {
    let mut found = false;
    visit_written(&function.body, &mut |part| {
        found |= matches!(part, Written::Function(..) | Written::Lambda(_) | Written::Class(_));
    });
    found
}

/// A walk in the order of execution.
#[derive(Default)]
struct Scan {
    /// Names that this iteration has assigned, on every way to here.
    fresh: FxHashSet<Name>,
    /// Whether no way leads here, as behind a `continue`.
    is_unreachable: bool,
    /// In the order in which they were first met.
    assigned: Vec<Name>,
    /// Names that may be read before.
    stale: FxHashSet<Name>,
    /// A statement of which nothing is known, or a call that may read any name.
    gives_up: bool,
}

impl Scan {
    fn block(&mut self, body: &[Stmt]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(value) => self.read(value),
            StmtKind::Assign { targets, value } => {
                self.read(value);
                targets.iter().for_each(|target| self.write(target));
            }
            StmtKind::AnnotatedAssign { target, value, .. } => {
                if let Some(value) = value {
                    self.read(value);
                    self.write(target);
                }
            }
            StmtKind::AugmentedAssign { target, value, .. } => {
                self.read(target);
                self.read(value);
                self.write(target);
            }
            StmtKind::Return(value) => self.leave(value.as_ref(), None),
            StmtKind::Raise { exception, cause } => self.leave(exception.as_ref(), cause.as_ref()),
            StmtKind::Break | StmtKind::Continue => self.leave(None, None),
            StmtKind::Assert { test, message } => {
                self.read(test);
                message.iter().for_each(|message| self.read(message));
            }
            StmtKind::If { test, body, orelse } => {
                self.read(test);
                self.ways([&mut |scan: &mut Scan| scan.block(body), &mut |scan: &mut Scan| scan.block(orelse)]);
            }
            StmtKind::While { test, body, orelse } => {
                self.read(test);
                self.perhaps(|scan| scan.block(body));
                self.perhaps(|scan| scan.block(orelse));
            }
            StmtKind::For { target, iterable, body, orelse } => {
                self.read(iterable);
                self.perhaps(|scan| {
                    scan.write(target);
                    scan.block(body);
                });
                self.perhaps(|scan| scan.block(orelse));
            }
            StmtKind::With { items, body } => {
                for item in items.iter() {
                    self.read(&item.context);
                    item.target.iter().for_each(|target| self.write(target));
                }
                self.block(body);
            }
            StmtKind::Try { body, handlers, orelse, finally } => self.attempt(body, handlers, orelse, finally),
            StmtKind::Match { subject, cases } => {
                self.read(subject);
                cases.iter().for_each(|case| self.perhaps(|scan| scan.case(case)));
            }
            StmtKind::Import(modules) => {
                let bound = |text: &str| Name::new(text.split('.').next().unwrap_or_default());
                let names = modules.iter().map(|it| it.alias.unwrap_or_else(|| bound(it.module.as_str())));
                names.for_each(|name| self.assign(name));
            }
            StmtKind::ImportFrom(import) => {
                import.names.iter().for_each(|it| self.assign(it.alias.unwrap_or(it.name)));
            }
            StmtKind::Delete(targets) => targets.iter().for_each(|target| self.forget(target)),
            StmtKind::Pass => {}
            StmtKind::Function(_)
            | StmtKind::Class(_)
            | StmtKind::Global(_)
            | StmtKind::Nonlocal(_)
            | StmtKind::Unsupported { .. } => self.gives_up = true,
        }
    }

    fn leave(&mut self, first: Option<&Expr>, second: Option<&Expr>) {
        [first, second].into_iter().flatten().for_each(|value| self.read(value));
        self.is_unreachable = true;
    }

    /// What may run or not: what it assigns may be missing behind it.
    fn perhaps(&mut self, run: impl FnOnce(&mut Scan)) {
        let (fresh, is_unreachable) = (self.fresh.clone(), self.is_unreachable);
        run(self);
        (self.fresh, self.is_unreachable) = (fresh, is_unreachable);
    }

    /// One of these runs: what all assign that come to their end is assigned behind them.
    fn ways<const N: usize>(&mut self, ways: [&mut dyn FnMut(&mut Scan); N]) {
        let before = self.fresh.clone();
        let was_unreachable = self.is_unreachable;
        let mut common: Option<FxHashSet<Name>> = None;
        for run in ways {
            (self.fresh, self.is_unreachable) = (before.clone(), was_unreachable);
            run(self);
            if self.is_unreachable {
                continue;
            }
            let fresh = std::mem::take(&mut self.fresh);
            common = Some(match common {
                Some(common) => common.intersection(&fresh).copied().collect(),
                None => fresh,
            });
        }
        self.is_unreachable = common.is_none();
        self.fresh = common.unwrap_or(before);
    }

    /// An exception may come from the beginning of the block or from its end.
    fn attempt(&mut self, body: &[Stmt], handlers: &[Handler], orelse: &[Stmt], finally: &[Stmt]) {
        let before = (self.fresh.clone(), self.is_unreachable);
        self.block(body);
        self.block(orelse);
        let mut ends: Vec<FxHashSet<Name>> = Vec::new();
        ends.extend((!self.is_unreachable).then(|| std::mem::take(&mut self.fresh)));
        for handler in handlers {
            (self.fresh, self.is_unreachable) = before.clone();
            handler.exception.iter().for_each(|exception| self.read(exception));
            handler.name.iter().for_each(|name| self.assign(*name));
            self.block(&handler.body);
            handler.name.iter().for_each(|name| self.lose(*name));
            ends.extend((!self.is_unreachable).then(|| std::mem::take(&mut self.fresh)));
        }
        (self.fresh, self.is_unreachable) = before.clone();
        self.block(finally);
        let ended = std::mem::take(&mut self.is_unreachable);
        let common = ends.into_iter().reduce(|common, end| common.intersection(&end).copied().collect());
        self.is_unreachable = ended || common.is_none();
        self.fresh.extend(common.unwrap_or(before.0));
    }

    fn case(&mut self, case: &Case) {
        self.pattern(&case.pattern);
        case.guard.iter().for_each(|guard| self.read(guard));
        self.block(&case.body);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Capture(name) | Pattern::Star(name) => name.iter().for_each(|name| self.assign(*name)),
            Pattern::Value(value) | Pattern::Singleton(value) => self.read(value),
            Pattern::Sequence(parts) | Pattern::Or(parts) => parts.iter().for_each(|part| self.pattern(part)),
            Pattern::Mapping { entries, rest } => {
                for (key, part) in entries {
                    self.read(key);
                    self.pattern(part);
                }
                rest.iter().for_each(|name| self.assign(*name));
            }
            Pattern::Class { class, positional, keywords } => {
                self.read(class);
                positional.iter().for_each(|part| self.pattern(part));
                keywords.iter().for_each(|(_, part)| self.pattern(part));
            }
            Pattern::As { pattern, name } => {
                self.pattern(pattern);
                self.assign(*name);
            }
        }
    }

    fn write(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => self.assign(*name),
            ExprKind::Tuple(parts) | ExprKind::List(parts) => parts.iter().for_each(|part| self.write(part)),
            ExprKind::Starred(part) => self.write(part),
            _ => subexpressions(target).into_iter().for_each(|part| self.read(part)),
        }
    }

    fn assign(&mut self, name: Name) {
        if !self.assigned.contains(&name) {
            self.assigned.push(name);
        }
        self.fresh.insert(name);
    }

    /// After `del`, the name is missing for whoever reads it next.
    fn forget(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => self.lose(*name),
            _ => self.read(target),
        }
    }

    fn lose(&mut self, name: Name) {
        self.fresh.remove(&name);
        self.stale.insert(name);
    }

    fn read(&mut self, expression: &Expr) {
        match &expression.kind {
            ExprKind::Name(name) => {
                self.gives_up |= READ_ALL.contains(&name.as_str());
                if !self.fresh.contains(name) {
                    self.stale.insert(*name);
                }
            }
            // It may stand where it is not always evaluated.
            ExprKind::Named { target, value, .. } => {
                self.read(value);
                self.stale.insert(*target);
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(comprehension),
            ExprKind::Lambda(_) => self.gives_up = true,
            _ => subexpressions(expression).into_iter().for_each(|part| self.read(part)),
        }
    }

    /// Its own names hide those of the same name around it.
    fn comprehension(&mut self, comprehension: &Comprehension) {
        self.perhaps(|scan| {
            for generator in &comprehension.generators {
                scan.read(&generator.iterable);
                scan.hide(&generator.target);
                generator.conditions.iter().for_each(|condition| scan.read(condition));
            }
            scan.read(&comprehension.element);
            comprehension.value.iter().for_each(|value| scan.read(value));
        });
    }

    fn hide(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => _ = self.fresh.insert(*name),
            _ => subexpressions(target).into_iter().for_each(|part| self.hide(part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_module;
    use harp_corpus::FileId;

    /// The renewed names of the first loop of a function with such a body.
    fn renewed(body: &str) -> String {
        let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
        let text = format!("def f(xs, carried):\n    for x in xs:\n{body}");
        let parsed = parse_module(FileId(0), Name::new("m"), false, &text);
        let StmtKind::Function(function) = &parsed.module.body[0].kind else { panic!("no function") };
        let StmtKind::For { body, .. } = &function.body[0].kind else { panic!("no loop") };
        let names: Vec<&str> = renewed_names(function, None, body).iter().map(|name| name.as_str()).collect();
        names.join(" ")
    }

    #[test]
    fn a_name_that_is_assigned_before_it_is_read_is_renewed() {
        assert_eq!(renewed("y = g(x)\nz, (*w, v) = y\nu: int = v\nprint(z, w, u)"), "y z w v u");
        assert_eq!(renewed("a = carried\ncarried = a + 1"), "a");
        assert_eq!(renewed("carried += 1"), "");
        assert_eq!(renewed("with g() as y:\n    z = y\nprint(z)"), "y z");
    }

    #[test]
    fn one_that_may_be_missing_is_not() {
        assert_eq!(renewed("if x:\n    y = 1\nprint(y)"), "");
        assert_eq!(renewed("if x:\n    y = 1\nelse:\n    y = 2\nprint(y)"), "y");
        assert_eq!(renewed("if x:\n    y = 1\nelse:\n    continue\nprint(y)"), "y");
        assert_eq!(renewed("for z in x:\n    y = z\nprint(y)"), "z");
        assert_eq!(renewed("try:\n    y = g()\nexcept OSError:\n    pass\nprint(y)"), "");
        assert_eq!(renewed("try:\n    y = g()\nexcept OSError as e:\n    raise\nprint(y)"), "y");
        assert_eq!(renewed("try:\n    y = g()\nfinally:\n    z = 1\nprint(y, z)"), "y z");
        assert_eq!(renewed("y = 1\ndel y"), "");
        assert_eq!(renewed("match x:\n    case [a, *b]:\n        y = a\nprint(y)"), "a b");
        assert_eq!(renewed("print(y := x)"), "");
    }

    #[test]
    fn parts_of_functions_may_read_at_any_time() {
        assert_eq!(renewed("y = x\ng = lambda: y"), "");
        assert_eq!(renewed("y = x\nz = [w + y for w in x if w]"), "y z");
        assert_eq!(renewed("z = [w + y for w in x]\ny = 1"), "z");
        assert_eq!(renewed("y = x\nprint(locals())"), "");
    }
}
