//! `harp facts`, `harp graph` and `harp schema`: what rules read.

use std::io::Write;
use std::path::Path;

use harp_graph::{self, Relation, Wanted, dot, export, schema};
use harp_report::text::Color;
use harp_report::{Guard, Notation, UserError, json};

use harp_python::Project;

use super::defects::Defects;
use super::options::{ColorChoice, FactsFormat, FactsOptions, GraphOptions, SchemaFormat, SchemaOptions};
use super::output::{self, Destination};
use super::pipeline::{self, AnalysisOptions, PART_FOR_RULES};
use super::progress::Progress;
use super::subject::Subject;
use super::{functors, packs};
use crate::Outcome;
use crate::writing::files;

const PLAIN: Notation = Notation::Text(Color::Never);

/// Reads and executes the program, and hands it on. Also tells whether all was done.
fn with_program<T: Send>(
    options: &AnalysisOptions,
    color: ColorChoice,
    then: impl FnOnce(harp_graph::Program<'_>, &Project, &mut Vec<UserError>) -> Result<T, UserError> + Send,
) -> Result<(T, bool), UserError> {
    let run = || {
        let (subject, mut errors) = Subject::load(options);
        pipeline::execute(&subject, options, &Wanted::All, &Progress::hidden(), |executed| {
            errors.extend(executed.errors);
            let mut defects = Defects::default();
            defects.add_of_entries(&executed.program.trace.defects, &subject.corpus);
            errors.extend(defects.messages());
            output::show_errors(&errors, color);
            output::show_errors(&executed.replaced.warnings(), color);
            output::show_errors(pipeline::followed_in_part(executed.program.trace).as_slice(), color);
            let mut more = Vec::new();
            let result = then(executed.program, &executed.project, &mut more)?;
            output::show_errors(&more, color);
            Ok((result, errors.is_empty() && more.is_empty()))
        })
    };
    pipeline::with_threads(options.threads, run)
}

/// Writes what came of a program, within what the run may use.
fn write_within(
    options: &AnalysisOptions,
    program: harp_graph::Program<'_>,
    write: impl FnOnce() -> Result<(), UserError>,
) -> Result<(), UserError> {
    pipeline::within_bounds(options, pipeline::ticks_of(program.corpus), "the output", write)
}

/// Writes a file for each relation, or one JSON document.
pub(super) fn facts(options: FactsOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let analysis = AnalysisOptions::new(&options.input)?;
    let folder = options.output;
    let format = options.format;
    let (_, is_complete) = with_program(&analysis, color, |program, project, errors| {
        let watch = analysis.ceilings().part(PART_FOR_RULES).with_ticks(pipeline::ticks_of(program.corpus));
        let facts = harp_graph::build(program, project, &Wanted::All, watch);
        let mut defects = Defects::default();
        defects.add_of_facts(&facts);
        errors.extend(defects.messages());
        errors.extend(pipeline::stopped_early(&facts));
        let write = |folder: &Path| match format {
            FactsFormat::Souffle => {
                for relation in Relation::ALL {
                    let path = folder.join(format!("{}.facts", relation.name()));
                    files::write_new(&path, Notation::Values, |out| export::souffle(&facts, *relation, out))?;
                }
                let path = folder.join(packs::SCHEMA_NAME);
                files::write_new(&path, PLAIN, |out| out.write_all(schema::SOURCE.as_bytes()))
            }
            FactsFormat::Json => {
                files::write_new(&folder.join("facts.json"), Notation::Json, |out| export::json(&facts, out))
            }
        };
        write_within(&analysis, program, || output::write_folder(&folder, write))
    })?;
    Ok(if is_complete { Outcome::Clean } else { Outcome::Failed })
}

/// Draws the operations.
pub(super) fn graph(options: GraphOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let analysis = AnalysisOptions::new(&options.input)?;
    let destination = Destination::from(options.output);
    let (_, is_complete) = with_program(&analysis, color, |program, _, _| {
        let draw = |out: &mut dyn Write| dot::write(program, &mut Guard::new(out, Notation::Dot));
        write_within(&analysis, program, || destination.write(Color::Never, draw))
    })?;
    Ok(if is_complete { Outcome::Clean } else { Outcome::Failed })
}

/// Prints the relations and the functors.
pub(super) fn schema(options: &SchemaOptions) -> Result<Outcome, UserError> {
    Destination::StandardOutput.write(Color::Never, |out| match options.format {
        SchemaFormat::Dl => {
            out.write_all(schema::SOURCE.as_bytes())?;
            out.write_all(functors::as_comments().as_bytes())
        }
        SchemaFormat::Json => {
            let mut document = export::schema_json();
            document["functors"] = functors::as_json();
            json::write(&document, out)
        }
    })?;
    Ok(Outcome::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_annotations::Library;
    use harp_corpus::Corpus;
    use harp_graph::Schema;
    use std::collections::BTreeSet;

    const PROGRAM: &str = "\
import torch
import math
import torch.nn as nn

def helper(x, count):
    with torch.no_grad():
        for step in range(count):
            x.add_(1)
    return x

def train(model, optimizer, data, limit):
    for batch in data:
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()
        unknown_function(batch)
        if limit:
            break

D = torch.rand(512, 512)
X = torch.rand(512, 512)
y = X
A = torch.zeros(512, 512)
for i in range(100):
    product = D @ X
    A = product - A
    A = helper(A, 3)
    other = torch.randn(3, 3)
for j in range(10):
    A[j] = D[j] * math.sqrt(2.0) + A[j]
for j in range(10):
    total = [torch.eye(3)]
    total[0] = 1
def f(D, X):
    for k in range(len(D)):
        Z = D @ X
        Z.add_(1)
net = nn.Linear(3, 4)
net(torch.rand(2, 5))
if D.sum() > 0:
    net(torch.rand(2, 3))
loss = nn.functional.mse_loss(torch.rand(5, 1), torch.rand(5))
said: torch.Tensor[[5, 2]] = torch.rand(5, 1)
def last(n, m):
    layer = nn.Linear(n, 4)
    return layer(torch.rand(2, m))
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--wide', type=int, default=3)
args = parser.parse_args()
nn.Linear(3, 4)(torch.rand(2, args.wide))
loader = torch.utils.data.DataLoader([torch.rand(3)] * 100, batch_size=32)
@torch.no_grad()
def report(path, x):
    with open(path) as file:
        file.write(str(x))
for batch in loader:
    report('report.txt', torch.zeros(3).to('cuda'))
    while limit:
        pass
class Held(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
    def forward(self, x):
        return self.conv(x)
held = Held().eval()
held(torch.rand(1, 3, 9, 9))
for row in torch.rand(4, 4):
    row + 1
import numpy as np
def doubled(first, last):
    source, target = np.ones(100), np.zeros(100)
    for place in range(first, last):
        target[place] = source[place] * 2
    return target
moved = torch.nn.Linear(4, 4).to(\"cuda\")
moved(torch.rand(2, 4).to(\"cuda\"))

import tensorflow.compat.v1 as tf
fed = tf.placeholder(tf.float32, [None, 4])
kept = tf.get_variable(\"kept\", [4])
write = kept.assign(kept + 1.0)
with tf.Session() as session:
    session.run([write, fed * 2.0], {fed: np.ones((3, 4))})
";

    /// Relations that are never filled would be a promise not kept.
    #[test]
    fn every_relation_can_have_rows() {
        let corpus = Corpus::single("test_main.py", PROGRAM).with_libraries(harp_builtin::sources());
        let library = Library::of(&harp_builtin::ANNOTATIONS);
        let project = Project::build(&corpus);
        let trace = harp_interp::analyse(
            (&corpus, &project),
            (&library, harp_libraries::ALL),
            &harp_interp::Options { details: true, ..harp_interp::Options::default() },
        );
        let names = harp_graph::ApiNames::default();
        let program = harp_graph::Program { corpus: &corpus, library: &library, trace: &trace, names: &names };
        let facts = harp_graph::build(program, &project, &Wanted::All, harp_limits::Watch::default());
        let empty: BTreeSet<&str> = Relation::ALL
            .iter()
            .filter(|relation| facts.rows(**relation).is_empty())
            .map(|relation| relation.name())
            .collect();
        assert_eq!(empty, BTreeSet::new());
        assert_eq!(Schema::get().relations.len(), Relation::ALL.len());
    }
}
