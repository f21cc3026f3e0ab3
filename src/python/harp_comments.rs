//! Finds comments in the text that speak to Harp, `# harp: …`, and the statements that they speak of.
//!
//! Comments come from the parser's tokens, so that a string that holds such a text is none. A comment behind code speaks of the
//! statement there; one alone on its line speaks of the next statement.

use crate::ir::{Expr, ExprKind, Range, Stmt, StmtKind};

/// What begins a remark, after `#` and blanks.
const MARKER: &str = "harp:";

/// One comment has at most so many that count.
pub const MOST_REMARKS: usize = 100;

/// A comment that speaks to Harp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What follows `harp:`, up to the next `#` or the end of the comment, without blanks around it.
    pub range: Range,
    /// `None` where no statement follows.
    pub about: Option<About>,
    /// Whether it is the first one too many of its comment: neither it nor what follows it counts.
    pub is_beyond: bool,
}

/// The statement that a remark speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The statement; of a compound one, what stands before its body.
    pub header: Range,
    /// The start of the statement before whose execution the remark holds. Behind or above a `def`, and behind any other header, this
    /// is the first statement of the body.
    pub before: u32,
    /// What the statement assigns, as it is written: places of names, attributes and subscripts. The remark then holds after it.
    pub targets: Vec<Range>,
}

/// Whether a text can have remarks at all.
pub(super) fn may_have_remarks(text: &str) -> bool {
    text.contains(MARKER)
}

/// The remarks among the comments of a file, in the order of the text.
pub(super) fn remarks(text: &str, comments: impl Iterator<Item = Range>, body: &[Stmt]) -> Vec<Remark> {
    let spoken: Vec<(Range, Vec<Range>)> =
        comments.map(|comment| (comment, words(text, comment))).filter(|(_, words)| !words.is_empty()).collect();
    if spoken.is_empty() {
        return Vec::new();
    }
    let statements = flatten(body);
    let mut remarks = Vec::new();
    for (comment, words) in spoken {
        let about = about(text, comment, &statements);
        let words = words.into_iter().enumerate();
        remarks.extend(words.map(|(index, range)| Remark {
            range,
            about: about.clone(),
            is_beyond: index == MOST_REMARKS,
        }));
    }
    remarks
}

/// What each part of a comment says to Harp, up to the first one too many.
fn words(text: &str, comment: Range) -> Vec<Range> {
    let Some(whole) = text.get(comment.start as usize..comment.end as usize) else { return Vec::new() };
    let mut found = Vec::new();
    let mut start = comment.start as usize;
    for part in whole.split('#') {
        if found.len() > MOST_REMARKS {
            break;
        }
        if let Some(words) = part.trim_start().strip_prefix(MARKER) {
            let end = start + part.len();
            let first = end - words.trim_start().len();
            found.push(Range { start: first as u32, end: (first + words.trim().len()) as u32 });
        }
        start += part.len() + 1;
    }
    found
}

/// A statement of the file, at any depth.
struct Flat<'a> {
    range: Range,
    /// Where the first statement of the body begins.
    body: Option<u32>,
    /// The end of the last parameter of a `def`.
    parameters: Option<u32>,
    statement: &'a Stmt,
}

/// All statements by their start.
fn flatten(body: &[Stmt]) -> Vec<Flat<'_>> {
    let mut found = Vec::new();
    let mut waiting: Vec<&[Stmt]> = vec![body];
    while let Some(block) = waiting.pop() {
        for statement in block {
            let before = waiting.len();
            blocks(&statement.kind, &mut |block| waiting.push(block));
            let body = waiting.get(before).and_then(|block| block.first()).map(|first| first.range.start);
            let parameters = match &statement.kind {
                StmtKind::Function(function) => {
                    let ends = function.parameters.iter().map(|parameter| parameter.range.end);
                    Some(ends.max().unwrap_or(function.name_range.end))
                }
                _ => None,
            };
            found.push(Flat { range: statement.range, body, parameters, statement });
        }
    }
    found.sort_by_key(|flat| (flat.range.start, std::cmp::Reverse(flat.range.end)));
    found
}

/// The blocks of a compound statement, its body first.
fn blocks<'a>(kind: &'a StmtKind, visit: &mut dyn FnMut(&'a [Stmt])) {
    match kind {
        StmtKind::If { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::For { body, orelse, .. } => {
            visit(body);
            visit(orelse);
        }
        StmtKind::With { body, .. } => visit(body),
        StmtKind::Try { body, handlers, orelse, finally } => {
            visit(body);
            handlers.iter().for_each(|handler| visit(&handler.body));
            visit(orelse);
            visit(finally);
        }
        StmtKind::Match { cases, .. } => cases.iter().for_each(|case| visit(&case.body)),
        StmtKind::Function(function) => visit(&function.body),
        StmtKind::Class(class) => visit(&class.body),
        _ => {}
    }
}

fn about(text: &str, comment: Range, statements: &[Flat<'_>]) -> Option<About> {
    let after = statements.partition_point(|flat| flat.range.start < comment.start);
    let is_alone = {
        let before = text.get(..comment.start as usize)?;
        let line = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
        before[line..].trim().is_empty()
    };
    let last = after.checked_sub(1).and_then(|index| statements.get(index));
    if let Some(last) = last.filter(|last| speaks_of(last, text, comment, is_alone)) {
        return Some(of(last));
    }
    let next = statements.get(after)?;
    Some(match next.parameters {
        // Above a `def`, it speaks of the parameters.
        Some(_) => of(next),
        None => About { before: next.range.start, targets: Vec::new(), ..of(next) },
    })
}

/// Whether a comment behind the start of a statement, and before that of any other, belongs to it.
fn speaks_of(flat: &Flat<'_>, text: &str, comment: Range, is_alone: bool) -> bool {
    if comment.start < flat.parameters.unwrap_or(0) {
        return true;
    }
    match flat.body {
        // Behind a header; alone on its line, it is about the first statement of the body.
        Some(_) => !is_alone,
        None if comment.start < flat.range.end => true,
        None => {
            let between = text.get(flat.range.end as usize..comment.start as usize).unwrap_or("\n");
            !between.contains(['\n', '\r'])
        }
    }
}

/// What is said of a statement by a comment in or behind it.
fn of(flat: &Flat<'_>) -> About {
    match flat.body {
        Some(body) => About { header: Range { end: body, ..flat.range }, before: body, targets: Vec::new() },
        None => About { header: flat.range, before: flat.range.start, targets: targets(flat.statement) },
    }
}

fn targets(statement: &Stmt) -> Vec<Range> {
    let mut waiting: Vec<&Expr> = match &statement.kind {
        StmtKind::Assign { targets, .. } => targets.iter().collect(),
        StmtKind::AnnotatedAssign { target, value: Some(_), .. } | StmtKind::AugmentedAssign { target, .. } => {
            vec![target]
        }
        _ => Vec::new(),
    };
    let mut found = Vec::new();
    while let Some(target) = waiting.pop() {
        match &target.kind {
            ExprKind::Tuple(items) | ExprKind::List(items) => waiting.extend(items),
            ExprKind::Starred(inner) => waiting.push(inner),
            _ => found.push(target.range),
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use crate::name::Name;
    use crate::parse::parse_module;
    use harp_corpus::FileId;

    /// Each remark with the line of the statement before which it holds, and whether it holds after an assignment.
    fn read(text: &str) -> Vec<(String, Option<(usize, bool)>)> {
        let parsed = parse_module(FileId(0), Name::new("m"), false, text);
        let line = |offset: u32| text[..offset as usize].matches('\n').count() + 1;
        let remarks = parsed.module.remarks.iter().map(|remark| {
            let words = text[remark.range.start as usize..remark.range.end as usize].to_owned();
            (words, remark.about.as_ref().map(|about| (line(about.before), !about.targets.is_empty())))
        });
        remarks.collect()
    }

    fn one(text: &str) -> Option<(usize, bool)> {
        let remarks = read(text);
        assert_eq!(remarks.len(), 1, "{text}");
        assert_eq!(remarks[0].0, "w");
        remarks[0].1
    }

    #[test]
    fn a_comment_behind_code_speaks_of_it() {
        assert_eq!(one("x = f()\ny = g()  # harp: w\n"), Some((2, true)));
        assert_eq!(one("f(x)  # harp: w\n"), Some((1, false)));
        assert_eq!(one("y = f(\n    x,  # harp: w\n)\n"), Some((1, true)));
        assert_eq!(one("y = f(\n    x,\n)  # harp: w\n"), Some((1, true)));
        assert_eq!(one("y = f(x)\r\nz = 1 # harp: w\r\n"), Some((2, true)));
        assert_eq!(one("if a: y = f(x)  # harp: w\n"), Some((1, true)));
    }

    #[test]
    fn a_comment_behind_a_header_speaks_of_the_beginning_of_the_body() {
        assert_eq!(one("for x in xs:  # harp: w\n    f(x)\n"), Some((2, false)));
        assert_eq!(one("def f(x):  # harp: w\n    '''Doc.'''\n    return x\n"), Some((2, false)));
        assert_eq!(one("def f(\n    x,  # harp: w\n    y,\n):\n    return x\n"), Some((5, false)));
        assert_eq!(one("def f(\n    # harp: w\n    x,\n):\n    return x\n"), Some((5, false)));
        assert_eq!(one("if a:\n    pass\nelse:  # harp: w\n    f(x)\n"), Some((4, false)));
    }

    #[test]
    fn a_comment_of_its_own_speaks_of_the_next_statement() {
        assert_eq!(one("x = f()\n# harp: w\n\ny = g()\n"), Some((4, false)));
        assert_eq!(one("# harp: w\ndef f(x):\n    return x\n"), Some((3, false)));
        assert_eq!(one("def f(x):\n    # harp: w\n    return x\n"), Some((3, false)));
        assert_eq!(one("for a in b:\n    f(a)\n    # harp: w\ng(a)\n"), Some((4, false)));
        assert_eq!(one("f(a)\n# harp: w\n"), None);
    }

    #[test]
    fn strings_hold_no_comments() {
        assert_eq!(read("x = '# harp: w'\ny = \"\"\"\n# harp: w\n\"\"\"\n"), []);
        assert_eq!(read("x = 1  # sharp: w\n# we use harp: often\n"), []);
    }

    #[test]
    fn a_comment_may_have_several_parts() {
        let words: Vec<String> = read("f()  # noqa # harp: a b #harp:c  # rest\n").into_iter().map(|it| it.0).collect();
        assert_eq!(words, ["a b", "c"]);
    }
}
