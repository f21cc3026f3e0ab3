//! Rows on the lines of files: where statements stand.

use crate::facts::Symbol;
use crate::host::StatementId;
use crate::host_rows::Emitter;
use crate::schema::Relation;
use harp_corpus::SourceFile;

impl Emitter<'_> {
    /// The lines of all statements.
    pub fn source_lines(&mut self) {
        if !self.facts.wants(Relation::OnLine) {
            return;
        }
        for index in 0..self.host.statements.len() {
            self.lines_of(StatementId(index as u32));
        }
    }

    /// A compound statement has its header's lines: those of its blocks are of the statements there.
    fn lines_of(&mut self, id: StatementId) {
        let (host, node) = (self.host, self.host.statement(id));
        let Some(file) = self.program.corpus.file(node.span.file) else { return };
        let inner = node.blocks.iter().filter_map(|(_, block)| block.first()).map(|first| host.statement(*first).span);
        let block = inner.filter(|inner| inner.file == node.span.file).map(|inner| inner.start).min();
        let end = match block {
            Some(start) => before_line(file, start).max(node.span.start),
            None => node.span.end.max(node.span.start),
        };
        let statement = self.statement(id);
        let (first, last) = (file.line_column(node.span.start), file.line_column(end));
        let name = self.file_name(file, first.cell);
        for line in first.line..=last.line {
            self.facts.add(Relation::OnLine, [statement.into(), name.into(), i64::from(line).into()]);
        }
    }

    fn file_name(&mut self, file: &SourceFile, cell: Option<u32>) -> Symbol {
        match cell {
            Some(cell) => self.facts.symbol(&format!("{}[{cell}]", file.display_path)),
            None => self.facts.symbol(&file.display_path),
        }
    }
}

/// The last byte before the line of another byte.
fn before_line(file: &SourceFile, offset: u32) -> u32 {
    (file.line(offset as usize).start as u32).saturating_sub(1)
}
