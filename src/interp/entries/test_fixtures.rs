//! Tests as entries, and what test runners prepare for them: the fixtures of pytest, which give a test the arguments
//! that are named like them, and the methods that `unittest` and pytest call on a new object before a test. Nobody in
//! the program calls tests, and yet it is known what they are given.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::entries::parametrized_tests::Place;
use crate::generators::generator_objects::Step;
use crate::generators::suspension::Sent;
use crate::heap::objects::{InstanceData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Closure, FunctionKind, Iteration, ObjectId, Value};
use harp_corpus::{FileId, Span};
use harp_python::ir::{ArgumentKind, Expr, ExprKind, Function};
use harp_python::name::{Name, name};

/// The decorators that make a fixture.
const MAKERS: [&str; 4] =
    ["pytest.fixture", "pytest.yield_fixture", "pytest_asyncio.fixture", "_pytest.fixtures.fixture"];
/// The last names of marks of tests that are meant to fail or are never run.
const LETS_FAIL: [&str; 3] = ["xfail", "expectedFailure", "skip"];
/// Fixtures that need each other, one within the other.
const DEEPEST: usize = 16;
/// The file whose fixtures all tests of its folder may use.
const SHARED: &str = "conftest.py";

/// What is known of the tests of a program.
#[derive(Debug, Default)]
pub struct Tests {
    /// What parametrized tests are called with.
    pub(crate) parametrized: FxHashMap<Place, Vec<(Name, Value)>>,
    /// By file and name: one at most of the file itself, and those of its classes.
    fixtures: FxHashMap<(FileId, Name), Vec<Rc<Fixture>>>,
    /// The fixtures that run, each for the one before.
    preparing: Vec<Rc<Fixture>>,
    /// Whether the function that was entered is a test.
    is_test_running: bool,
}

#[derive(Debug)]
struct Fixture {
    closure: Rc<Closure>,
    /// The first of the values with which tests that use it are run.
    parameter: Option<Value>,
    /// Whether it runs before all tests, named or not.
    is_automatic: bool,
}

impl Tests {
    /// The values that tests keep alive.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        let given = self.parametrized.values().flatten().map(|(_, value)| value);
        given.chain(self.fixtures.values().flatten().filter_map(|fixture| fixture.parameter.as_ref()))
    }

    pub(crate) fn closures(&self) -> impl Iterator<Item = &Rc<Closure>> {
        self.fixtures.values().flatten().map(|fixture| &fixture.closure)
    }

    fn is_fixture(&self, function: &Function) -> bool {
        self.fixtures.values().flatten().any(|fixture| is_function(&fixture.closure, function))
    }

    fn note(&mut self, file: FileId, name: Name, fixture: Fixture) {
        let known = self.fixtures.entry((file, name)).or_default();
        if !known.iter().any(|other| is_function(&other.closure, &fixture.closure.function)) {
            known.push(Rc::new(fixture));
        }
    }
}

impl Interpreter<'_> {
    /// Notes a function that `@pytest.fixture` decorates. Returns whether the decorator is one.
    pub(crate) fn note_fixture(&mut self, decorator: &Expr, function: &Value) -> Eval<bool> {
        let (maker, arguments) = match &decorator.kind {
            ExprKind::Call(call) => (&call.function, &call.arguments[..]),
            _ => (decorator, &[][..]),
        };
        let is_named = maker.last_name().is_some_and(|name| name.as_str().ends_with("fixture"));
        let (Value::Function(closure), true) = (function, is_named) else { return Ok(false) };
        let Value::Library(maker) = self.evaluate(maker)? else { return Ok(false) };
        if !MAKERS.contains(&maker.as_str()) {
            return Ok(false);
        }
        let mut fixture = Fixture { closure: Rc::clone(closure), parameter: None, is_automatic: false };
        let mut name = closure.function.name;
        for argument in arguments {
            let ArgumentKind::Keyword(keyword) = argument.kind else { continue };
            let value = self.evaluate(&argument.value)?;
            match keyword.as_str() {
                "params" => fixture.parameter = self.first_parameter(&value)?,
                "autouse" => fixture.is_automatic = matches!(value, Value::Bool(true)),
                "name" => name = value.as_text().map_or(name, Name::new),
                _ => {}
            }
        }
        // What an entry with symbolic inputs imports is forgotten with it.
        if self.entry.kind != EntryKind::Symbolic {
            self.tests.note(closure.function.file, name, fixture);
        }
        Ok(true)
    }

    fn first_parameter(&mut self, values: &Value) -> Eval<Option<Value>> {
        let first = match self.iterate(values)? {
            Iteration::Items(items) => items.into_iter().next(),
            _ => None,
        };
        Ok(first.map(|value| self.read(&value)).filter(|value| !value.is_unknown()))
    }

    /// What a test or a fixture is given for a parameter: what the fixture of that name returns or yields.
    pub(crate) fn prepared_argument(
        &mut self,
        function: &Function,
        receiver: Option<&Value>,
        parameter: Name,
        span: Span,
    ) -> Option<Value> {
        if self.inference.is_some() || self.tests.fixtures.is_empty() {
            return None;
        }
        let running = self.tests.preparing.last().filter(|fixture| is_function(&fixture.closure, function));
        if parameter.as_str() == "request"
            && let Some(value) = running.and_then(|fixture| fixture.parameter.clone())
        {
            return Some(self.request(value, span));
        }
        if !(function.name.as_str().starts_with("test") || self.tests.is_fixture(function)) {
            return None;
        }
        let own = receiver.and_then(|receiver| self.fixture_of_class(receiver, parameter));
        let fixture = own.or_else(|| self.fixture_named(function.file, parameter))?;
        // A fixture that is given one of its own name is given that of an outer folder.
        if self.tests.preparing.len() >= DEEPEST || is_function(&fixture.closure, function) {
            return None;
        }
        self.run_fixture(&fixture, receiver, span)
    }

    /// The fixture of that name among the methods of a test's class and of its bases.
    fn fixture_of_class(&self, receiver: &Value, name: Name) -> Option<Rc<Fixture>> {
        let class = self.class_of(receiver);
        let named = self.tests.fixtures.iter().filter(|((_, known), _)| *known == name);
        let is_member = |fixture: &&Rc<Fixture>| {
            let member = self.member_of(&class, fixture.closure.function.name, None);
            matches!(member, Some(Value::Function(member)) if is_function(&fixture.closure, &member.function))
        };
        named
            .flat_map(|(_, fixtures)| fixtures)
            .filter(|fixture| fixture.closure.class.is_some())
            .find(is_member)
            .cloned()
    }

    /// The fixture of that name in the file, else in the `conftest.py` that is nearest to it. Fixtures of classes are for their own tests.
    fn fixture_named(&self, file: FileId, name: Name) -> Option<Rc<Fixture>> {
        let of_file = |fixtures: &'_ Vec<Rc<Fixture>>| {
            fixtures.iter().find(|fixture| fixture.closure.class.is_none()).map(Rc::clone)
        };
        if let Some(own) = self.tests.fixtures.get(&(file, name)).and_then(of_file) {
            return Some(own);
        }
        let folder = self.corpus.file(file)?.path.parent()?;
        let shared =
            self.tests.fixtures.iter().filter(|((_, known), _)| *known == name).filter_map(|((place, _), fixtures)| {
                let path = &self.corpus.file(*place)?.path;
                let around = path.parent().filter(|around| folder.starts_with(around))?;
                path.ends_with(SHARED).then(|| Some((around.components().count(), of_file(fixtures)?))).flatten()
            });
        shared.max_by_key(|(depth, _)| *depth).map(|(_, fixture)| fixture)
    }

    /// What a fixture gives; `None` where it is not known, or fails.
    fn run_fixture(&mut self, fixture: &Rc<Fixture>, receiver: Option<&Value>, span: Span) -> Option<Value> {
        let is_method = fixture.closure.function.parameters.first().is_some_and(|first| first.name.as_str() == "self");
        let receiver = if is_method { Some(receiver?.clone()) } else { None };
        self.tests.preparing.push(Rc::clone(fixture));
        let arguments = self.symbolic_arguments(&fixture.closure, receiver, span);
        let given = self.call_closure(&fixture.closure, arguments).and_then(|given| self.first_given(given));
        self.tests.preparing.pop();
        given.ok().filter(|given| !given.is_unknown())
    }

    /// A fixture that is a generator gives what it yields; the rest of it cleans up.
    fn first_given(&mut self, given: Value) -> Eval {
        let Some(generator) = self.generator_id(&given) else { return Ok(given) };
        Ok(match self.ask_generator(generator, Sent::Value(Value::None), None)? {
            Step::Item(value) | Step::Rest(Iteration::Repeated { element: value, .. }) => value,
            Step::Rest(Iteration::Items(items)) => items.into_iter().next().unwrap_or(Value::None),
            Step::End(_) | Step::Rest(Iteration::Counter { .. } | Iteration::View { .. }) => Value::None,
        })
    }

    /// The `request` of a fixture with parameters.
    fn request(&mut self, parameter: Value, span: Span) -> Value {
        let class = Value::library("types.SimpleNamespace");
        let data = InstanceData { class, arguments: Vec::new(), origin: span };
        let id = self.heap.allocate(Payload::Instance(Rc::new(data)));
        self.heap.set_attribute(id, name!("param"), parameter);
        Value::Instance(id)
    }

    /// Calls what test runners call on a new object of a class of tests before each test, and on the class before all of them.
    pub(crate) fn set_up_tests(&mut self, class: ObjectId, object: &Value, span: Span) -> Eval<()> {
        let type_ = Value::Class(class);
        for method in self.set_up_methods(class) {
            let Some(Value::Function(closure)) = self.member_of(&type_, Name::new(method), None) else { continue };
            let receiver = if closure.kind == FunctionKind::ClassMethod { type_.clone() } else { object.clone() };
            let arguments: CallArguments = self.symbolic_arguments(&closure, Some(receiver), span);
            let result = self.call_closure(&closure, arguments)?;
            self.run_to_end(&result)?;
        }
        self.run_automatic_fixtures(&type_, object, span);
        Ok(())
    }

    /// Calls a function that nobody calls. What a test that is marked so does may fail, or is not run at all.
    pub(crate) fn call_entry(&mut self, closure: &Rc<Closure>, arguments: CallArguments) -> Eval {
        self.tests.is_test_running = self.runs_as_test(closure);
        let result = if closure.function.decorators.iter().any(lets_fail) {
            let before = self.expect_anything();
            self.exceptions.caught += 1;
            let result = self.call_closure(closure, arguments);
            self.exceptions.caught -= 1;
            self.exceptions.expected.truncate(before);
            result
        } else {
            self.call_closure(closure, arguments)
        };
        self.tests.is_test_running = false;
        result
    }

    /// Whether a test runs, to which is left what fails under a condition: it decides every condition itself, by what it makes and by the data that
    /// it draws from a fixed seed, and whoever wrote it saw which way it goes. What is not known of that says nothing of the program.
    pub(crate) fn runs_test(&self) -> bool {
        // A file of tests may call them itself, where it is run as a script.
        let is_called = || {
            self.frames
                .iter()
                .filter_map(|frame| frame.function.as_deref())
                .any(|function| self.is_named_as_test(function))
        };
        self.tests.is_test_running || is_called()
    }

    /// Whether the name of a function and that of its file say that it is a test.
    fn is_named_as_test(&self, function: &harp_python::ir::Function) -> bool {
        let file = self.corpus.file(function.file).and_then(|file| file.path.file_stem());
        let file = file.map(|stem| stem.to_string_lossy());
        function.name.as_str().starts_with("test")
            && file.is_some_and(|stem| stem.starts_with("test") || stem.ends_with("_test"))
    }

    /// Whether test runners call a function: by its name and its file's, or its class's.
    fn runs_as_test(&self, closure: &Closure) -> bool {
        match closure.class {
            Some(class) => self.is_test(class, closure.function.name),
            None => self.is_named_as_test(&closure.function),
        }
    }

    fn set_up_methods(&self, class: ObjectId) -> &'static [&'static str] {
        let bases = self.library_bases(&Value::Class(class), None);
        let is_pytest = || self.heap.class(class).is_some_and(|data| data.definition.name.as_str().starts_with("Test"));
        match () {
            () if bases.iter().any(|base| base.as_str().ends_with("TestCase")) => {
                &["setUpClass", "setUp", "asyncSetUp"]
            }
            () if is_pytest() => &["setup_class", "setup_method"],
            () => &[],
        }
    }

    /// Whether a method of a class is a test, which sees of its object what was set up, and nothing of what other tests did.
    pub(crate) fn is_test(&self, class: ObjectId, method: Name) -> bool {
        method.as_str().starts_with("test") && !self.set_up_methods(class).is_empty()
    }

    /// Methods that pytest runs before each test of a class.
    fn run_automatic_fixtures(&mut self, class: &Value, object: &Value, span: Span) {
        let automatic = self.tests.fixtures.values().flatten().filter(|fixture| fixture.is_automatic);
        let mut own: Vec<(u32, Rc<Fixture>)> = automatic
            .filter(|fixture| match self.member_of(class, fixture.closure.function.name, None) {
                Some(Value::Function(member)) => is_function(&fixture.closure, &member.function),
                _ => false,
            })
            .map(|fixture| (fixture.closure.function.range.start, Rc::clone(fixture)))
            .collect();
        own.sort_by_key(|(start, _)| *start);
        for (_, fixture) in own {
            self.run_fixture(&fixture, Some(object), span);
        }
    }
}

/// `@pytest.mark.xfail(…)`, `@unittest.expectedFailure` and the like.
fn lets_fail(decorator: &Expr) -> bool {
    match &decorator.kind {
        ExprKind::Call(call) => lets_fail(&call.function),
        _ => decorator.last_name().is_some_and(|name| LETS_FAIL.contains(&name.as_str())),
    }
}

fn is_function(closure: &Closure, function: &Function) -> bool {
    closure.function.file == function.file && closure.function.range == function.range
}
