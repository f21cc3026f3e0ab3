//! `harp test`: compares inferred signatures with what `# signature:` states.

use harp_interp::inference::InferredFunction;
use harp_interp::{Options, infer};
use harp_libraries::ALL;
use harp_python::Project;
use harp_report::signatures::{Names, one_line};

use crate::subject::Subject;

/// The signatures of a block, by file and line of the function's name.
pub struct Inferred {
    functions: Vec<(String, usize, InferredFunction)>,
}

impl Inferred {
    pub fn new(subject: &Subject) -> Inferred {
        let Subject { corpus, library, .. } = subject;
        let project = Project::build(corpus);
        let functions = infer((corpus, &project), (&**library, ALL), &Options::default()).functions;
        let placed = functions.into_iter().filter_map(|function| {
            let file = corpus.file(function.span.file)?;
            let line = file.line_column(function.span.start).line as usize;
            Some((file.display_path.clone(), line, function))
        });
        Inferred { functions: placed.collect() }
    }

    /// What there is instead where no signature of the function on that line reads so, with the names of its parameters or without.
    pub fn missing(&self, file: &str, line: usize, stated: &str) -> Option<Vec<String>> {
        let here = self.functions.iter().filter(|(name, at, _)| name == file && *at == line);
        let mut found = Vec::new();
        for (_, _, function) in here {
            for alternative in &function.alternatives {
                let named = one_line(function, alternative, Names::Shown);
                let nameless = one_line(function, alternative, Names::Left);
                // Of what fails, a part of the message is stated.
                let fails = match (named.split_once("fails: "), stated.split_once("fails: ")) {
                    (Some((when, message)), Some((stated_when, part))) => when == stated_when && message.contains(part),
                    _ => false,
                };
                if stated == named || stated == nameless || fails {
                    return None;
                }
                found.push(nameless);
            }
            found.extend(function.problems.iter().map(|problem| format!("don't know because {}", problem.text)));
            if found.iter().any(|text| text == stated) {
                return None;
            }
        }
        Some(found.iter().map(|found| format!("signature: {found}")).collect())
    }
}
