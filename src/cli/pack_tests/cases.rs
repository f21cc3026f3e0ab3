//! `harp test`: finds in a Markdown text the projects that it holds.

use super::Failure;

/// A project to analyse.
#[derive(Debug, Default)]
pub struct Case {
    /// The Python files, in the order of the text.
    pub files: Vec<File>,
    /// Files that are not Python, by name: what the program reads.
    pub data: Vec<(String, String)>,
    /// A `harp.toml`.
    pub configuration: Option<Block>,
    /// The command line of the analysed program.
    pub arguments: Option<Block>,
}

/// A Python file of a project.
#[derive(Debug)]
pub struct File {
    /// Its path in the project, such as `main.py`.
    pub name: String,
    /// The line of the Markdown file on which the text begins.
    pub line: usize,
    /// All of it.
    pub text: String,
}

/// A block that is not Python.
#[derive(Clone, Debug)]
pub struct Block {
    /// The line of the Markdown file on which the text begins.
    pub line: usize,
    /// All of it.
    pub text: String,
}

/// The name of a block without one.
const NAMELESS: &str = "main.py";

/// All projects in the order of the text: of each section, its named blocks together, and each nameless block on its own.
pub fn parse(markdown: &str, failures: &mut Vec<Failure>) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut section = Section::default();
    let mut lines = markdown.lines().enumerate();
    let mut before = "";
    while let Some((index, line)) = lines.next() {
        if let Some(fence) = Fence::open(line) {
            let mut text = String::new();
            let closed = lines.by_ref().map(|(_, line)| line).any(|line| {
                let ends = fence.is_closed_by(line);
                if !ends {
                    text.push_str(fence.unindent(line));
                    text.push('\n');
                }
                ends
            });
            if !closed {
                failures.push(Failure::new(index + 1, "the block is not closed"));
            }
            section.add(&fence, before, Block { line: index + 2, text }, failures);
            before = "";
        } else if line.starts_with('#') {
            std::mem::take(&mut section).finish(&mut cases);
            before = "";
        } else if !line.trim().is_empty() {
            before = line.trim();
        }
    }
    section.finish(&mut cases);
    cases
}

/// What stands under one heading.
#[derive(Default)]
struct Section {
    project: Vec<File>,
    nameless: Vec<File>,
    data: Vec<(String, String)>,
    configuration: Option<Block>,
    arguments: Option<Block>,
}

impl Section {
    fn add(&mut self, fence: &Fence<'_>, before: &str, block: Block, failures: &mut Vec<Failure>) {
        let title = fence.title().or_else(|| before.strip_prefix('`')?.strip_suffix("`:"));
        match (fence.language(), title) {
            ("python" | "py", Some(name)) => {
                if self.project.iter().any(|file| file.name == name) {
                    failures.push(Failure::new(block.line - 1, format!("a second block named {name} in this section")));
                    return;
                }
                self.project.push(File { name: name.to_owned(), line: block.line, text: block.text });
            }
            ("python" | "py", None) => {
                self.nameless.push(File { name: NAMELESS.to_owned(), line: block.line, text: block.text });
            }
            ("toml", Some("harp.toml")) => self.configuration = Some(block),
            ("text", Some("args")) => self.arguments = Some(block),
            (_, Some(name)) => self.data.push((name.to_owned(), block.text)),
            _ => {}
        }
    }

    fn finish(self, cases: &mut Vec<Case>) {
        let nameless = self.nameless.into_iter().map(|file| vec![file]);
        let projects = std::iter::once(self.project).filter(|files| !files.is_empty()).chain(nameless);
        cases.extend(projects.map(|files| Case {
            files,
            data: self.data.clone(),
            configuration: self.configuration.clone(),
            arguments: self.arguments.clone(),
        }));
    }
}

/// The opening line of a block.
struct Fence<'a> {
    indent: usize,
    ticks: usize,
    info: &'a str,
}

impl<'a> Fence<'a> {
    fn open(line: &'a str) -> Option<Fence<'a>> {
        let rest = line.trim_start();
        let info = rest.trim_start_matches('`');
        let ticks = rest.len() - info.len();
        // A line with more ticks later is inline code.
        (ticks >= 3 && !info.contains('`')).then(|| Fence { indent: line.len() - rest.len(), ticks, info: info.trim() })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.ticks && line.bytes().all(|byte| byte == b'`')
    }

    fn unindent<'l>(&self, line: &'l str) -> &'l str {
        let blanks = line.bytes().take(self.indent).take_while(|byte| *byte == b' ').count();
        &line[blanks..]
    }

    fn language(&self) -> &'a str {
        self.info.split_whitespace().next().unwrap_or("")
    }

    /// The second word, also as `title="…"`.
    fn title(&self) -> Option<&'a str> {
        let title = self.info.split_whitespace().nth(1)?;
        Some(title.strip_prefix("title=").unwrap_or(title).trim_matches('"'))
    }
}
