//! Options that are not given: a script whose way rests on their defaults is run again with the others that it asks for.
//!
//! A word that is compared with an option, as in `if args.model == "Transformer"`, and a flag that the script tests or hands on are options
//! that somebody uses. What fails with one of them, and not without, is found under that condition. Nothing else of such a run stays.
//!
//! A script that has numbers as options is also run with those that they are by default: what follows of them together, such as how many
//! mini-batches there are, is known there.

use std::rc::Rc;

use crate::budget::costly_calls::EntryKind;
use crate::entries::entered_functions::Place;
use crate::entries::entry_points::module_place;
use crate::entries::option_uses::{is_machinery, is_used};
use crate::entries::rerun_at_defaults::DefaultRuns;
use crate::entries::waiting_arms::WaitingArms;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, OperationId, Value};
use harp_corpus::{FileId, Span};
use harp_python::name::{Name, name};
use harp_python::project::ModuleId;
use harp_trace::{Issue, IssueKind, Subject, TrainingStep};

/// A script is run again with so many options at most.
const MOST_RUNS: usize = 8;
/// So many files of settings are tried.
const MOST_FILES: usize = 3;
/// All runs with other options together take as many steps as the script at most, but so many if it takes fewer. Those at the defaults take as
/// many again.
const FEWEST_FOR_RUNS: u64 = 60_000;
/// Those of a short script take so many times its steps at most.
const RUNS_OF_SHORT_SCRIPT: u64 = 4;
/// So many values of options are noted.
const MOST_NOTED: usize = 64;
/// A value that is looked for may be that of so many options, where its text names none.
const MOST_UNNAMED: usize = 2;
/// So many numbers are named in a condition.
pub(crate) const MOST_NAMED: usize = 3;
/// An option and what it may hold in place of its default.
#[derive(Clone, Debug)]
struct Other {
    option: Span,
    label: Name,
    value: Value,
    /// A file that lies beside the script: whether it is one of those that are meant is not known.
    is_guess: bool,
}

/// Runs of a script with other options.
struct Runs {
    main: (ModuleId, bool),
    entry: Option<usize>,
    /// So many may still begin.
    left: usize,
    /// Steps that they may still take.
    steps: u64,
    /// Options that were not tried, or not to the end.
    untried: Vec<Name>,
}

/// What came of a run of which nothing else stays.
pub(crate) struct Aside {
    /// What fails.
    pub issues: Vec<Issue>,
    /// The steps that it took.
    pub taken: u64,
    /// Whether it came to its end.
    pub is_whole: bool,
    /// Whether it ended in an exception of the program's own.
    pub raises: bool,
    /// The functions that no run before entered.
    pub entered: Vec<Place>,
}

/// What the running script leaves to defaults of its options.
#[derive(Clone, Debug)]
pub struct OtherOptions {
    /// What is given in this run.
    given: Option<Other>,
    /// Options with a text, by the text itself: it is the same wherever the program hands it on.
    words: Vec<(Span, Name, Rc<str>)>,
    /// Options with a text that the command line has to give, by the attribute that holds it.
    paths: Vec<(Span, Name, Name)>,
    /// Flags that are not set, by the attribute that holds them.
    flags: Vec<(Span, Name, Name)>,
    /// Options that take a text and have none, by the attribute that holds them.
    unset: Vec<(Span, Name, Name)>,
    others: Vec<Other>,
    /// Values that the program declares as choices, of options that keep their defaults.
    choices: Vec<(Name, Other)>,
    /// Options other than numbers that keep their defaults: what this means in words, and the attribute.
    kept: Vec<(String, Name)>,
    /// The first of the numbers that are whatever the user gives, with what they are by default.
    numbers: Vec<(Name, i64)>,
    /// Where these numbers, and the others, are declared or read.
    places: Vec<FileId>,
    /// Whether the script asks for the words of the command line itself.
    asks_for_words: bool,
    /// Whether these numbers are what they are by default in this run, and there are no words on the command line.
    pub(crate) are_at_defaults: bool,
    /// One of the numbers that is whatever the user gives all the same, to see whether it matters.
    pub(crate) open: Option<Name>,
    /// Steps that may still be taken in runs with other options.
    steps: u64,
    /// The same for runs with numbers as they are by default.
    pub(crate) steps_at_defaults: u64,
}

impl Default for OtherOptions {
    fn default() -> Self {
        OtherOptions {
            given: None,
            words: Vec::new(),
            paths: Vec::new(),
            flags: Vec::new(),
            unset: Vec::new(),
            others: Vec::new(),
            choices: Vec::new(),
            kept: Vec::new(),
            numbers: Vec::new(),
            places: Vec::new(),
            asks_for_words: false,
            are_at_defaults: false,
            open: None,
            steps: 2_000_000,
            steps_at_defaults: 2_000_000,
        }
    }
}

impl OtherOptions {
    /// A script begins.
    pub fn begin(&mut self) {
        self.words.clear();
        self.paths.clear();
        self.flags.clear();
        self.unset.clear();
        self.others.clear();
        self.choices.clear();
        self.kept.clear();
        self.numbers.clear();
        self.places.clear();
        self.asks_for_words = false;
    }

    /// A run with other options is over.
    pub fn end_run(&mut self) {
        self.given = None;
        self.are_at_defaults = false;
        self.open = None;
    }

    /// Whether an option is given in this run.
    pub fn has_given(&self) -> bool {
        self.given.is_some() || self.are_at_defaults
    }

    /// Whether the script was seen to have options, so that it may go other ways with others.
    pub fn are_noted(&self) -> bool {
        let has_texts = !self.words.is_empty() || !self.paths.is_empty() || !self.unset.is_empty();
        let has_options = has_texts || !self.flags.is_empty();
        has_options || !self.others.is_empty() || !self.numbers.is_empty() || self.asks_for_words
    }

    /// Whether the command line is empty in this run.
    pub fn has_no_words(&self) -> bool {
        self.are_at_defaults
    }

    /// Whether a value may be that of an option that keeps its default.
    pub(crate) fn may_be_option(&self, value: &Value) -> bool {
        match value {
            Value::None => !self.unset.is_empty(),
            Value::Str(Some(text)) => self.holds(text),
            _ => false,
        }
    }

    /// Whether a text is what an option holds.
    pub fn holds(&self, text: &Rc<str>) -> bool {
        self.words.iter().any(|(_, _, word)| Rc::ptr_eq(word, text))
    }
}

impl Interpreter<'_> {
    /// What an option holds in this run in place of its default.
    pub fn given_option(&self, option: Span, label: &str) -> Option<Value> {
        // Options that a loop declares have one place.
        let is_meant = |given: &&Other| given.option == option && given.label.as_str() == label;
        let given = self.entry.defaults.others.given.as_ref().filter(is_meant);
        given.map(|given| given.value.clone())
    }

    /// Notes that an option keeps its default.
    pub fn note_option(&mut self, option: Span, label: &str, attribute: &str, value: &Value) {
        if self.entry.kind == EntryKind::Symbolic || self.options.arguments.is_some() {
            return;
        }
        let (label, attribute) = (Name::new(label), Name::new(attribute));
        let is_empty = match value {
            Value::List(list) => self.heap.list(*list).is_some_and(|data| data.items.is_empty()),
            _ => false,
        };
        let others = &mut self.entry.defaults.others;
        let kept = match value {
            Value::Str(Some(text)) => {
                others.words.push((option, label, Rc::clone(text)));
                format!("`{label}` is {text:?}")
            }
            Value::Bool(false) => {
                others.flags.push((option, label, attribute));
                format!("`{label}` is not given")
            }
            Value::None => format!("`{label}` is not given"),
            Value::List(_) if is_empty => format!("`{label}` is not given"),
            Value::Bool(true) => format!("`{label}` keeps its default"),
            _ => return,
        };
        if others.given.is_none() && !others.kept.iter().any(|(known, _)| *known == kept) {
            others.kept.push((kept, attribute));
        }
    }

    /// Notes that a variable of the environment is taken to be unset.
    pub fn note_unset_variable(&mut self, name: &str) {
        let others = &mut self.entry.defaults.others;
        if self.entry.kind == EntryKind::Symbolic || others.given.is_some() {
            return;
        }
        let kept = format!("the environment variable `{name}` is not set");
        if others.kept.len() < MOST_NOTED && !others.kept.iter().any(|(known, _)| *known == kept) {
            others.kept.push((kept, Name::new(name)));
        }
    }

    /// Notes that an option that takes a text has none.
    pub fn note_unset_option(&mut self, option: Span, label: &str, attribute: &str) {
        if self.entry.kind != EntryKind::Symbolic && self.options.arguments.is_none() {
            self.entry.defaults.others.unset.push((option, Name::new(label), Name::new(attribute)));
        }
    }

    /// Notes the values among which the user of an option chooses.
    pub fn note_choices(&mut self, option: Span, (label, attribute): (&str, &str), choices: &[Value], default: &Value) {
        let is_script = self.entry.kind != EntryKind::Symbolic && self.options.arguments.is_none();
        let is_constant = |value: &Value| value.as_text().is_some() || value.as_int().is_some();
        if !is_script || self.entry.defaults.others.given.is_some() || !choices.iter().all(is_constant) {
            return;
        }
        let (label, attribute) = (Name::new(label), Name::new(attribute));
        for value in choices.iter().filter(|value| !value.same(default)) {
            let other = Other { option, label, value: value.clone(), is_guess: false };
            self.entry.defaults.others.choices.push((attribute, other));
        }
    }

    /// Notes that `None`, or a word of an option, was looked for among texts: what holds an option without a value is
    /// compared with what it may be given. `place` tells which option that is, where there are several.
    pub(crate) fn note_sought_texts(&mut self, sought: &Value, texts: &[Value], place: Span) {
        let others = &self.entry.defaults.others;
        if others.given.is_some() || others.words.is_empty() && others.unset.is_empty() {
            return;
        }
        let options: Vec<(Span, Name)> = match sought {
            Value::Str(Some(text)) => {
                let holds = |(_, _, word): &&(Span, Name, Rc<str>)| Rc::ptr_eq(word, text);
                others.words.iter().filter(holds).map(|(option, label, _)| (*option, *label)).collect()
            }
            Value::None => {
                let source = self.source_text(place);
                let is_named = |(_, _, attribute): &&(Span, Name, Name)| source.contains(attribute.as_str());
                let named: Vec<_> = others.unset.iter().filter(is_named).collect();
                let all = if named.is_empty() { others.unset.iter().collect() } else { named };
                all.into_iter().take(MOST_UNNAMED).map(|(option, label, _)| (*option, *label)).collect()
            }
            _ => return,
        };
        for (option, label) in options {
            for value in texts.iter().filter(|text| text.as_text().is_some_and(|text| !text.is_empty())) {
                self.note_other(Other { option, label, value: value.clone(), is_guess: false });
            }
        }
    }

    fn note_other(&mut self, other: Other) {
        let is_same = |known: &Other| {
            known.option == other.option && known.label == other.label && known.value.same(&other.value)
        };
        let others = &mut self.entry.defaults.others.others;
        if others.len() < MOST_NOTED && !others.iter().any(is_same) {
            others.push(other);
        }
    }

    /// Notes that an option has to be given, of which nothing but its name is known.
    pub fn note_required_option(&mut self, option: Span, label: &str, attribute: &str, value: &Value) {
        if matches!(self.read(value), Value::Str(None) | Value::Symbolic(_))
            && self.entry.kind != EntryKind::Symbolic
            && self.options.arguments.is_none()
        {
            self.entry.defaults.others.paths.push((option, Name::new(label), Name::new(attribute)));
        }
    }

    /// Notes that a script opens the file that an option names, and that there is none: what lies beside the script is what its users give.
    pub fn note_missing_file(&mut self, path: &Value, place: Span) {
        let others = &self.entry.defaults.others;
        if others.given.is_some() || self.entry.kind == EntryKind::Symbolic {
            return;
        }
        let option = match self.read(path) {
            Value::Str(Some(text)) => {
                let holds = |(_, _, word): &&(Span, Name, Rc<str>)| Rc::ptr_eq(word, &text);
                others.words.iter().find(holds).map(|(option, label, _)| (*option, *label))
            }
            // Texts of which nothing is known are all alike: the option is the one that is read there, or the only one named for settings.
            Value::Str(None) | Value::Symbolic(_) => {
                let text = self.source_text(place);
                let is_read = |(_, _, attribute): &&(Span, Name, Name)| names_attribute(text, attribute.as_str());
                let is_meant = |(_, _, attribute): &&(Span, Name, Name)| is_named_for_settings(attribute.as_str());
                let paths = &others.paths;
                let read = paths.iter().find(is_read).or_else(|| paths.iter().find(is_meant));
                read.map(|(option, label, _)| (*option, *label))
            }
            _ => None,
        };
        let Some((option, label)) = option else { return };
        let script = self.frames.first().map_or(self.file(), |frame| frame.file);
        if self.entry.defaults.others.others.iter().any(|other| other.option == option && other.label == label) {
            return;
        }
        let files = self.corpus.settings_beside(script).into_iter().take(MOST_FILES);
        let others = files.map(|path| Other { option, label, value: Value::str(&path), is_guess: true });
        self.entry.defaults.others.others.extend(others);
    }

    /// Whether a number of the settings is what it is by default in this run; else it is noted that it may be another.
    pub fn is_at_default(&mut self, file: FileId, label: &str, default: i64) -> bool {
        let others = &mut self.entry.defaults.others;
        if others.are_at_defaults {
            return others.open.is_none_or(|open| open.as_str() != label);
        }
        if self.entry.kind != EntryKind::Symbolic && self.options.arguments.is_none() && others.given.is_none() {
            let number = (Name::new(label), default);
            if others.numbers.len() <= MOST_NAMED && !others.numbers.contains(&number) {
                others.numbers.push(number);
            }
            if !others.places.contains(&file) {
                others.places.push(file);
            }
        }
        false
    }

    /// Whether the command line has no words in this run; else it is noted that the script asks for them.
    pub fn is_without_words(&mut self) -> bool {
        let others = &mut self.entry.defaults.others;
        others.asks_for_words |= self.entry.kind != EntryKind::Symbolic;
        others.are_at_defaults
    }

    /// Whether two texts are the same; that an option is compared with another text is noted.
    pub(crate) fn same_texts(&mut self, left: &Rc<str>, right: &Rc<str>) -> bool {
        let others = &self.entry.defaults.others;
        if left == right || others.words.is_empty() || others.given.is_some() {
            return left == right;
        }
        for (text, other) in [(left, right), (right, left)] {
            let option = others.words.iter().find(|(_, _, word)| Rc::ptr_eq(word, text));
            let Some((option, label, _)) = option.filter(|_| !other.is_empty()) else { continue };
            let value = Value::Str(Some(Rc::clone(other)));
            let other = Other { option: *option, label: *label, value, is_guess: false };
            self.note_other(other);
            break;
        }
        false
    }

    /// Runs a script again, which was the last entry, once for each of the options that it asks for.
    pub(crate) fn run_with_other_options(&mut self, module: ModuleId, as_main: bool) {
        self.entry.defaults.others.words.clear();
        self.entry.defaults.others.paths.clear();
        let unset = std::mem::take(&mut self.entry.defaults.others.unset);
        let flags = std::mem::take(&mut self.entry.defaults.others.flags);
        let kept = std::mem::take(&mut self.entry.defaults.others.kept);
        let choices = std::mem::take(&mut self.entry.defaults.others.choices);
        let mut others = std::mem::take(&mut self.entry.defaults.others.others);
        let numbers = std::mem::take(&mut self.entry.defaults.others.numbers);
        let places = std::mem::take(&mut self.entry.defaults.others.places);
        let asks_for_words = std::mem::take(&mut self.entry.defaults.others.asks_for_words);
        let is_whole = self.inference.is_none() && self.entry.exhausted.is_none() && !self.options.runs_once;
        let Some(tree) = self.project.module(module).filter(|_| is_whole) else { return };
        let is_of_files = |(_, _, attribute): &&(Span, Name, Name)| !is_machinery(attribute.as_str());
        let tested = flags.iter().filter(is_of_files).filter(|(_, _, attribute)| is_used(&tree.body, *attribute));
        others.extend(tested.map(|(option, label, _)| Other {
            option: *option,
            label: *label,
            value: Value::Bool(true),
            is_guess: false,
        }));
        for (attribute, other) in choices {
            let is_known = |known: &Other| known.label == other.label && known.value.same(&other.value);
            if !is_machinery(attribute.as_str()) && !others.iter().any(is_known) {
                others.push(other);
            }
        }
        // What calls are replayed for may differ there, so that they are executed.
        let alone = self.steps_without_summaries();
        let of_script =
            alone.max(FEWEST_FOR_RUNS).min(alone.saturating_mul(RUNS_OF_SHORT_SCRIPT).saturating_add(1_000));
        let entry = self.trace.entries.len().checked_sub(1);
        let mut runs = Runs { main: (module, as_main), entry, left: MOST_RUNS, steps: of_script, untried: Vec::new() };
        for other in others {
            self.try_option(&mut runs, other);
        }
        // Any text is given where an arm waits for one, with whatever the script makes of it.
        let waiting = self.waiting_arms(entry);
        for (option, label, attribute) in unset {
            if waiting.ask_for(attribute) {
                self.try_option(&mut runs, Other { option, label, value: Value::Str(None), is_guess: false });
            }
        }
        self.state_options_not_tried(entry, &kept, &runs.untried);
        if numbers.is_empty() && !asks_for_words {
            return;
        }
        let is_local = places.iter().all(|file| *file == tree.file);
        let runs = DefaultRuns { main: (module, as_main), is_local, steps: of_script };
        self.run_at_defaults(entry, runs, &numbers, asks_for_words);
    }

    /// Runs a script again with an option, as far as there is work left for that.
    fn try_option(&mut self, runs: &mut Runs, other: Other) {
        let steps = runs.steps.min(self.entry.defaults.others.steps);
        let Some(tree) = self.project.module(runs.main.0).filter(|_| runs.left > 0 && steps > 0) else {
            runs.untried.push(other.label);
            return;
        };
        let condition = match &other.value {
            Value::Bool(_) | Value::Str(None) => format!("`{}` is given", other.label),
            value => format!("`{}` is {}", other.label, value.describe()),
        };
        let (label, is_guess) = (other.label, other.is_guess);
        let is_local = other.option.file == tree.file;
        self.entry.defaults.others.given = Some(other);
        let Aside { mut issues, taken, is_whole, entered, .. } = self.issues_aside(runs.main, is_local, steps);
        self.entry.defaults.others.given = None;
        self.entered.note_with_option(entered, &condition);
        runs.left -= 1;
        runs.steps = runs.steps.saturating_sub(taken);
        self.entry.defaults.others.steps = self.entry.defaults.others.steps.saturating_sub(taken);
        if is_guess {
            // What is read of another kind of file fails in other ways.
            issues.retain(|issue| issue.subject == Subject::Operands);
        }
        if !is_whole {
            runs.untried.push(label);
        }
        self.add_issues_of_run(runs.entry, issues, &condition);
    }

    /// The arms of an entry that were executed in no run.
    fn waiting_arms(&self, entry: Option<usize>) -> WaitingArms {
        let Some(result) = entry.and_then(|entry| self.trace.entries.get(entry)) else {
            return WaitingArms::default();
        };
        let own = result.files.iter().filter(|file| !self.corpus.is_foreign(**file));
        let trees = own.filter_map(|file| self.project.module(self.project.module_of_file(*file)));
        WaitingArms::of(&trees.map(|tree| (tree.file, &tree.body[..])).collect::<Vec<_>>(), &self.coverage)
    }

    /// The entry is vouched for where options keep their defaults that leave an arm untaken which no run took, or that
    /// were not tried to the end.
    fn state_options_not_tried(&mut self, entry: Option<usize>, kept: &[(String, Name)], untried: &[Name]) {
        let is_untried = |text: &str| untried.iter().any(|label| text.starts_with(&format!("`{label}` ")));
        let waiting = if kept.is_empty() { WaitingArms::default() } else { self.waiting_arms(entry) };
        let is_open = |(text, attribute): &&(String, Name)| is_untried(text) || waiting.ask_for(*attribute);
        let open: Vec<String> = kept.iter().filter(is_open).map(|(condition, _)| condition.clone()).collect();
        // Several options together are not tried.
        let options: Vec<Name> = kept.iter().map(|(_, attribute)| *attribute).collect();
        let behind: Vec<(Place, String)> = waiting
            .functions_behind(&options)
            .map(|call| {
                let text = self.source_text(call.test);
                let condition = if call.taken { text.to_owned() } else { format!("not ({text})") };
                (call.function, condition)
            })
            .collect();
        for (function, condition) in behind {
            self.entered.note_with_option(vec![function], &condition);
        }
        let reached = self.coverage.reached_step;
        let Some(result) = entry.and_then(|entry| self.trace.entries.get_mut(entry)) else { return };
        result.provided.extend(open);
        if reached && result.training_step.is_some() {
            result.training_step = Some(TrainingStep::Reached);
        }
    }

    /// Adds what an entry does not have to what it has.
    fn add_issues_of_run(&mut self, entry: Option<usize>, issues: Vec<Issue>, condition: &str) {
        for issue in self.new_of_run(entry, issues) {
            self.add_issue_of_option(issue, condition);
        }
    }

    /// Those of a run's issues that are not known without it.
    pub(crate) fn new_of_run(&self, entry: Option<usize>, issues: Vec<Issue>) -> Vec<Issue> {
        let Some(entry) = entry.and_then(|entry| self.trace.entries.get(entry)) else { return Vec::new() };
        let mut new: Vec<Issue> = Vec::new();
        for issue in issues {
            let is_known = |known: &Issue| known.span == issue.span;
            let is_same = |known: &Issue| is_known(known) && known.message == issue.message;
            // A module of the project that an entry before has executed fails here as it did there.
            let is_told = self.trace.issues.iter().any(is_same)
                || entry.issues.iter().any(|index| self.trace.issues.get(*index).is_some_and(is_known));
            if !is_told {
                new.push(issue);
            }
        }
        new
    }

    /// What fails where the script runs with other options. What declares the options is run again: the script alone where it does so itself, else whatever may have read
    /// them.
    pub(crate) fn issues_aside(&mut self, main: (ModuleId, bool), is_local: bool, steps: u64) -> Aside {
        let again: Vec<((ModuleId, bool), ObjectId)> = if is_local {
            self.tables.modules.get(&main).map(|object| (main, *object)).into_iter().collect()
        } else {
            let keys = (0..self.project.modules.len()).flat_map(|index| {
                let module = ModuleId(index as u32);
                [(module, false), (module, true)]
            });
            let is_own = |key: &(ModuleId, bool)| {
                self.project.module(key.0).is_some_and(|tree| !self.corpus.is_foreign(tree.file))
            };
            keys.filter(is_own).filter_map(|key| Some((key, *self.tables.modules.get(&key)?))).collect()
        };
        let steps = steps.min(self.options.limits.steps);
        let kind = if main.1 { EntryKind::Script } else { EntryKind::Module };
        let before = self.entry.steps;
        let place = module_place(self.project, main.0);
        let known = self.entered.clone();
        self.coverage.raises = false;
        let (issues, (taken, is_whole, entered)) = self.aside(steps, |this| {
            this.entry.kind = kind;
            this.entry.objects = this.work.dead_objects;
            for (_, namespace) in &again {
                this.heap.delete_attribute(*namespace, name!("__name__"));
            }
            _ = this.contained((&place.0, place.1), |this| this.module(main.0, main.1));
            (this.entry.steps, this.entry.exhausted.is_none(), this.entered.since(&known))
        });
        self.entry.steps = before;
        let fails = |issue: &Issue| {
            matches!(issue.kind, IssueKind::Violated | IssueKind::Possible) && issue.left_to_callers.is_none()
        };
        let raises = self.coverage.raises;
        Aside { issues: issues.into_iter().filter(fails).collect(), taken, is_whole, raises, entered }
    }

    pub(crate) fn add_issue_of_option(&mut self, mut issue: Issue, condition: &str) {
        issue.is_conditional = true;
        issue.conditions.push(condition.to_owned());
        self.add_issue_of_rerun(issue);
    }

    pub(crate) fn add_issue_of_rerun(&mut self, mut issue: Issue) {
        // The operations of the run are no more.
        issue.operation = OperationId::NONE;
        for operand in &mut issue.operands {
            operand.operation = OperationId::NONE;
        }
        let index = self.trace.add_issue(issue);
        if let Some(entry) = self.trace.entries.last_mut() {
            entry.issues.push(index);
        }
    }
}

/// Whether a text reads an attribute of that name.
fn names_attribute(text: &str, name: &str) -> bool {
    let mut places = text.match_indices(name);
    let is_part = |next: char| next.is_alphanumeric() || next == '_';
    places.any(|(at, _)| text[..at].ends_with(['.', '"', '\'']) && !text[at + name.len()..].starts_with(is_part))
}

/// Whether an option is called as those that name a file of settings.
fn is_named_for_settings(attribute: &str) -> bool {
    const WORDS: [&str; 7] = ["cfg", "conf", "hparam", "json", "param", "setting", "yaml"];
    WORDS.iter().any(|word| attribute.contains(word))
}
