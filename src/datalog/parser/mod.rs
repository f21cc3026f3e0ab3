//! The parser of rules: from text to syntax tree. Parsing never fails: it yields a tree of what it understood, and
//! problems.

pub(crate) mod body;

use super::lexer::{LexError, Token, Tokens};
use super::source::{Place, Problem, SourceId};
use super::syntax::{Atom, Clause, Declaration, DocLine, File, Name, Parents, TypeDeclaration};
use crate::did_you_mean::nearest;
use crate::foreign_syntax_hints;

/// Parentheses, braces and operators may nest this deep.
pub(super) const DEEPEST: usize = 64;
/// A clause may have this many literals, operators and arguments. Trees of chained operators are as deep as they are long.
const LARGEST_CLAUSE: usize = 400;
/// More problems than this in one file are not worth reading.
const MOST_PROBLEMS: usize = 50;

/// Reads one file. A problem skips to the end of its clause or directive.
pub(super) fn parse(source: SourceId, text: &str) -> (File, Vec<Problem>) {
    Parser::new(source, text).file()
}

pub(super) type Parsed<T> = Result<T, Box<Problem>>;

pub(super) struct Parser<'a> {
    pub text: &'a str,
    source: SourceId,
    pub tokens: Vec<(Token, u32, u32)>,
    at: usize,
    pub depth: usize,
    /// Literals and operators of the present clause.
    pub size: usize,
    documentation: Vec<DocLine>,
    /// Where the lexer had problems.
    lexical: Vec<Place>,
    pub problems: Vec<Problem>,
}

impl<'a> Parser<'a> {
    pub fn new(source: SourceId, text: &'a str) -> Self {
        let mut tokens = Vec::new();
        let mut problems: Vec<Problem> = Vec::new();
        for (token, range) in Tokens::of(text) {
            let place = Place { source, start: range.start as u32, end: range.end as u32 };
            match token {
                // The end of a clause with the next one right behind it.
                Ok(Token::Directive) if !is_directive(text, place) => {
                    tokens.push((Token::Dot, place.start, place.start + 1));
                    tokens.push((Token::Identifier, place.start + 1, place.end));
                }
                Ok(Token::SingleQuoted) if problems.len() < MOST_PROBLEMS => {
                    let problem = Problem::error(place, "a text stands in double quotes", "in single quotes");
                    problems.push(problem);
                    tokens.push((Token::Text, place.start, place.end));
                }
                Ok(token) => tokens.push((token, place.start, place.end)),
                Err(_) if problems.len() >= MOST_PROBLEMS => break,
                // A run of strange characters is one problem.
                Err(LexError::UnknownCharacter)
                    if problems.last().is_some_and(|last| last.place.end == place.start) =>
                {
                    if let Some(last) = problems.last_mut() {
                        last.place.end = place.end;
                    }
                }
                Err(error) => problems.push(lex_problem(error, place, text)),
            }
        }
        let lexical = problems.iter().map(|problem| problem.place).collect();
        Parser { lexical, text, source, tokens, at: 0, depth: 0, size: 0, documentation: Vec::new(), problems }
    }

    /// Reads all items. A problem skips to the end of its clause or directive.
    pub fn file(mut self) -> (File, Vec<Problem>) {
        let mut file = File::default();
        while self.peek().is_some() && self.problems.len() < MOST_PROBLEMS {
            let before = self.at;
            let start = self.here().start;
            if let Err(problem) = self.item(&mut file) {
                // What the lexer could not read explains what the parser missed there.
                let range = start..=problem.place.end;
                if !self.lexical.iter().any(|place| range.contains(&place.start)) {
                    self.problems.push(*problem);
                }
                self.recover();
            }
            // Every round takes at least one token.
            self.at = self.at.max(before + 1);
        }
        self.flush_documentation();
        (file, self.problems)
    }

    /// Makes one name of `acme/host-copy.in_loop(`, where that is one: tokens without blanks between them up to a parenthesis.
    pub fn join_names(&mut self, is_name: impl Fn(&str) -> bool) {
        let mut joined: Vec<(Token, u32, u32)> = Vec::with_capacity(self.tokens.len());
        let mut at = 0;
        while let Some(first) = self.tokens.get(at).copied() {
            let mut last = at;
            while let (Some((token, _, end)), Some((next, start, _))) =
                (self.tokens.get(last), self.tokens.get(last + 1))
                && end == start
                && *token != Token::Text
                && *next != Token::OpenParen
            {
                last += 1;
            }
            let opens = self.tokens.get(last + 1).is_some_and(|(token, ..)| *token == Token::OpenParen);
            let (_, start, end) = (first.0, first.1, self.tokens[last].2);
            let text = self.text.get(start as usize..end as usize).unwrap_or("");
            if first.0 == Token::Identifier && opens && text.contains('/') && is_name(text) {
                joined.push((Token::Identifier, start, end));
                at = last + 1;
            } else {
                joined.push(first);
                at += 1;
            }
        }
        self.tokens = joined;
    }

    pub fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).map(|(token, ..)| *token)
    }

    pub fn peek_after(&self, distance: usize) -> Option<Token> {
        self.tokens.get(self.at + distance).map(|(token, ..)| *token)
    }

    /// The place of the next token, or of the end of the text.
    pub fn here(&self) -> Place {
        match self.tokens.get(self.at) {
            Some((_, start, end)) => Place { source: self.source, start: *start, end: *end },
            None => {
                let end = self.text.len() as u32;
                Place { source: self.source, start: end, end }
            }
        }
    }

    /// The place of a token further on, or of the next one where there is none.
    fn after(&self, distance: usize) -> Place {
        match self.tokens.get(self.at + distance) {
            Some((_, start, end)) => Place { source: self.source, start: *start, end: *end },
            None => self.here(),
        }
    }

    /// The place of the token just consumed.
    pub fn previous(&self) -> Place {
        match self.at.checked_sub(1).and_then(|at| self.tokens.get(at)) {
            Some((_, start, end)) => Place { source: self.source, start: *start, end: *end },
            None => self.here(),
        }
    }

    pub fn next(&mut self) -> Option<Token> {
        let token = self.peek();
        self.at += 1;
        token
    }

    pub fn eat(&mut self, token: Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    pub fn slice(&self, place: Place) -> &'a str {
        self.text.get(place.range()).unwrap_or("")
    }

    pub fn expect(&mut self, token: Token, after: &str) -> Parsed<Place> {
        if self.eat(token) {
            return Ok(self.previous());
        }
        Err(self.unexpected(&format!("expected {} {after}", token.describe())))
    }

    pub fn unexpected(&self, expected: &str) -> Box<Problem> {
        let found = match self.peek() {
            Some(token @ (Token::Identifier | Token::Number | Token::Directive)) => {
                format!("{} `{}`", token.describe(), self.slice(self.here()))
            }
            Some(token) => token.describe().to_owned(),
            None => "the end of the file".to_owned(),
        };
        let problem = Problem::error(self.here(), format!("{expected}, found {found}"), "here");
        Box::new(self.with_hint(problem))
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.peek() != Some(Token::Identifier) {
            return Err(self.unexpected(&format!("expected {what}")));
        }
        let place = self.here();
        self.at += 1;
        Ok(Name { text: self.slice(place).to_owned(), place })
    }

    /// Skips to what may start the next clause or directive.
    fn recover(&mut self) {
        while let Some(token) = self.peek() {
            if matches!(token, Token::Directive | Token::Doc) || self.begins_line() {
                return;
            }
            self.at += 1;
            if token == Token::Dot {
                return;
            }
        }
    }

    /// Whether the next token is a name at the very beginning of a line, as clauses mostly are.
    fn begins_line(&self) -> bool {
        let start = self.here().start as usize;
        let after_newline = start == 0 || self.text.as_bytes().get(start - 1) == Some(&b'\n');
        self.peek() == Some(Token::Identifier) && after_newline
    }

    fn item(&mut self, file: &mut File) -> Parsed<()> {
        self.depth = 0;
        self.size = 0;
        match self.peek() {
            Some(Token::Doc) => {
                self.doc_line();
                Ok(())
            }
            Some(Token::Directive) => self.directive(file),
            _ => {
                self.flush_documentation();
                let clause = self.clause()?;
                file.clauses.push(clause);
                Ok(())
            }
        }
    }

    /// Counts a part of the present clause.
    pub fn grow(&mut self) -> Parsed<()> {
        self.size += 1;
        if self.size <= LARGEST_CLAUSE {
            return Ok(());
        }
        let message = format!("the rule is too large: more than {LARGEST_CLAUSE} literals, arguments and operators");
        let problem =
            Problem::error(self.here(), message, "one too many").hint("give a part of it a relation of its own");
        Err(Box::new(problem))
    }

    fn doc_line(&mut self) {
        let place = self.here();
        self.at += 1;
        let line = self.slice(place).trim_end_matches('\r');
        let place = Place { start: place.start + 3, ..place };
        self.documentation.push(DocLine { text: line.get(3..).unwrap_or("").to_owned(), place });
    }

    /// Metadata that stands above something that cannot have any.
    fn flush_documentation(&mut self) {
        for line in std::mem::take(&mut self.documentation) {
            if line.text.trim_start().starts_with('@') {
                let problem = Problem::error(line.place, "metadata belongs above a `.decl`", "no `.decl` follows")
                    .hint("move the `///` lines to stand directly above the finding's declaration");
                self.problems.push(problem);
            }
        }
    }

    fn directive(&mut self, file: &mut File) -> Parsed<()> {
        let place = self.here();
        self.at += 1;
        let directive = self.slice(place);
        if directive != ".decl" {
            self.flush_documentation();
        }
        match directive {
            ".decl" => self.declaration(file),
            ".type" => self.type_declaration(file),
            ".include" => {
                let path = self.string("the path of the file to include")?;
                file.includes.push(path);
                Ok(())
            }
            ".input" => {
                let names = self.io_directive()?;
                file.inputs.extend(names);
                Ok(())
            }
            ".output" | ".printsize" | ".limitsize" => self.io_directive().map(|_| ()),
            ".functor" => self.functor(file),
            ".pragma" => {
                while self.peek() == Some(Token::Text) {
                    self.at += 1;
                }
                Ok(())
            }
            _ => {
                if directive == ".comp" {
                    self.skip_braces();
                }
                Err(Box::new(unknown_directive(directive, place)))
            }
        }
    }

    /// Skips to behind the next group in braces.
    fn skip_braces(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.next() {
            match token {
                Token::OpenBrace => depth += 1,
                Token::CloseBrace if depth <= 1 => return,
                Token::CloseBrace => depth -= 1,
                _ => {}
            }
        }
    }

    fn string(&mut self, what: &str) -> Parsed<Name> {
        let place = self.here();
        if !self.eat(Token::Text) {
            return Err(self.unexpected(&format!("expected {what} in quotes")));
        }
        Ok(Name { text: self.unescape(place)?, place })
    }

    /// `.input a, b` and `.output a(IO=file, …)`; parameters are read over.
    fn io_directive(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name("the name of a relation")?];
        loop {
            if self.eat(Token::OpenParen) {
                while let Some(token) = self.next() {
                    if token == Token::CloseParen {
                        break;
                    }
                }
            }
            if !self.eat(Token::Comma) {
                return Ok(names);
            }
            names.push(self.name("the name of a relation")?);
        }
    }

    fn functor(&mut self, file: &mut File) -> Parsed<()> {
        let name = self.name("the name of the functor")?;
        self.expect(Token::OpenParen, "after the functor's name")?;
        while !self.eat(Token::CloseParen) {
            if self.next().is_none() {
                return Err(self.unexpected("expected `)`"));
            }
        }
        self.expect(Token::Colon, "before the functor's type")?;
        self.name("a type")?;
        if self.peek() == Some(Token::Identifier) && self.slice(self.here()) == "stateful" {
            self.at += 1;
        }
        file.functors.push(name);
        Ok(())
    }

    fn declaration(&mut self, file: &mut File) -> Parsed<()> {
        let documentation = std::mem::take(&mut self.documentation);
        let name = self.name("the name of the relation")?;
        self.expect(Token::OpenParen, "after the relation's name")?;
        let mut columns = Vec::new();
        while !self.eat(Token::CloseParen) {
            if !columns.is_empty() {
                self.expect(Token::Comma, "or `)` after a column")?;
            }
            let column = self.name("the name of a column")?;
            self.expect(Token::Colon, "and a type after the column's name")?;
            columns.push((column, self.name("the column's type")?));
        }
        self.storage_hints()?;
        file.relations.push(Declaration { name, columns, documentation });
        Ok(())
    }

    /// Soufflé's storage hints do not change what a relation means; other words behind a declaration do.
    fn storage_hints(&mut self) -> Parsed<()> {
        while self.peek() == Some(Token::Identifier) && !self.begins_line() {
            let place = self.here();
            let hint = match self.slice(place) {
                "btree" | "brie" | "inline" | "no_inline" | "magic" | "no_magic" | "overridable" => {
                    self.at += 1;
                    continue;
                }
                "eqrel" => "write the rules for symmetry and transitivity",
                "btree_delete" => "rows are never taken away; write a rule with a negation",
                "choice" if self.slice(place.to(self.after(2))) == "choice-domain" => {
                    "take one row of each group with `min` or `max`"
                }
                _ => return Ok(()),
            };
            let word = if self.slice(place) == "choice" { "choice-domain" } else { self.slice(place) };
            let message = format!("`{word}` relations are not supported");
            return Err(Box::new(Problem::error(place, message, "not supported").hint(hint)));
        }
        Ok(())
    }

    fn type_declaration(&mut self, file: &mut File) -> Parsed<()> {
        let name = self.name("the name of the type")?;
        let parents = match self.next() {
            Some(Token::Subtype) => Parents::Subtype(self.name("the type that this is a subtype of")?),
            Some(Token::Equal) if self.peek() != Some(Token::Identifier) => return Err(self.no_record()),
            Some(Token::Equal) => {
                let mut names = vec![self.name("a type")?];
                while self.eat(Token::Bar) {
                    names.push(self.name("a type")?);
                }
                // `A = B {…}` is a type with constructors.
                if self.peek() == Some(Token::OpenBrace) {
                    return Err(self.no_record());
                }
                Parents::Union(names)
            }
            _ => {
                self.at -= 1;
                let problem = *self.unexpected("expected `<:` after the type's name");
                return Err(Box::new(problem.hint(format!("for example `.type {} <: symbol`", name.text))));
            }
        };
        file.types.push(TypeDeclaration { name, parents });
        Ok(())
    }

    /// The problem of a record or of a type with constructors here.
    pub fn no_record(&self) -> Box<Problem> {
        let problem = match self.peek() {
            Some(Token::OpenBracket | Token::OpenBrace | Token::Dollar) => {
                Problem::error(self.here(), "records are not part of the rule language", "not supported")
                    .hint("give the relation a column for each part")
            }
            _ => *self.unexpected("expected a type"),
        };
        Box::new(problem)
    }

    fn clause(&mut self) -> Parsed<Clause> {
        let start = self.here();
        let mut heads = vec![self.head()?];
        while self.eat(Token::Comma) {
            heads.push(self.head()?);
        }
        if self.peek() == Some(Token::LessEqual) {
            let problem = Problem::error(self.here(), "rows are never taken away by better ones", "not supported")
                .hint("choose the best row with `min` or `max`");
            return Err(Box::new(problem));
        }
        let body = if self.eat(Token::If) { Some(self.body()?) } else { None };
        if !self.eat(Token::Dot) {
            let expected = if body.is_some() {
                "expected `,`, `;` or `.` in the rule"
            } else {
                "expected `:-` or `.` after the head"
            };
            return Err(self.unfinished(expected, body.is_some()));
        }
        Ok(Clause { heads, body, place: start.to(self.previous()) })
    }

    fn head(&mut self) -> Parsed<Atom> {
        if self.peek() != Some(Token::Identifier) {
            return Err(self.unexpected("expected a rule, a fact or a directive"));
        }
        let name = self.name("the name of a relation")?;
        self.atom(name)
    }
}

const DIRECTIVES: [&str; 9] =
    [".decl", ".type", ".include", ".input", ".output", ".printsize", ".limitsize", ".functor", ".pragma"];

/// Whether a dot and a word are a directive: a known one, or at the beginning of a line.
fn is_directive(text: &str, place: Place) -> bool {
    let line = text[..place.start as usize].rsplit('\n').next().unwrap_or("");
    DIRECTIVES.contains(&&text[place.range()]) || line.trim().is_empty()
}

/// A directive that there is not, or that is left out.
fn unknown_directive(directive: &str, place: Place) -> Problem {
    let message = format!("`{directive}` is not part of the rule language");
    match directive {
        ".comp" | ".init" | ".override" => Problem::error(place, message, "components are not supported")
            .hint("declare the relations themselves; files share them by `.include`"),
        ".plan" => {
            Problem::error(place, message, "not supported").hint("leave it out; Harp orders a rule's literals itself")
        }
        _ => {
            let begins = DIRECTIVES.into_iter().find(|known| directive.starts_with(known));
            let hint = begins.or_else(|| nearest(directive, DIRECTIVES)).map(|near| format!("did you mean `{near}`?"));
            Problem::error(place, message, "unknown").maybe_hint(hint)
        }
    }
}

fn lex_problem(error: LexError, place: Place, text: &str) -> Problem {
    match error {
        LexError::UnknownCharacter => Problem::error(place, "this is not part of the rule language", "not understood")
            .maybe_hint(foreign_syntax_hints::for_characters(text.get(place.range()).unwrap_or("")).map(str::to_owned)),
        LexError::UnclosedString => Problem::error(place, "the string does not end", "starts here")
            .hint("a string ends with `\"` on the line where it began"),
        LexError::UnclosedComment => Problem::error(
            Place { end: place.start + 2, ..place },
            "the comment does not end",
            "starts here and takes the rest of the file",
        ),
    }
}
