//! Trees, as libraries call containers of containers of arrays: dicts, lists, tuples, named tuples and dataclasses. What is nothing of that is a
//! leaf, and `None` holds none. Of a tree that is not known, nothing is known of what is made of it, and nobody walks it.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::library_primitives::refuse;
use crate::methods::*;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::classes::named_tuples::{RECORD, TYPED};
use harp_interp::heap::objects::{DictData, ListData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, ObjectId, Value};
use harp_python::name::{Name, name};

/// What lies deeper is not known: lists may hold themselves.
const DEEPEST: usize = 32;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        // `tree_map(f, tree, *rest)`: the tree with what `f` gives of each leaf and those at its place in the others.
        "harp_library.tree_map" => |this, _, arguments| {
            let mut trees = arguments.positional.iter().skip(1).cloned().collect::<Vec<_>>();
            if let ([], Some(tree)) = (trees.as_slice(), arguments.keyword("tree")) {
                trees.push(tree.clone());
            }
            let Some(function) = arguments.get(0, "f").cloned() else { return Ok(Value::Unknown("tree")) };
            if trees.is_empty() || arguments.is_open {
                return Ok(unknown_tree(this, &arguments));
            }
            let call = |this: &mut Interpreter<'_>, leaves: Vec<Value>| {
                this.call(&function, CallArguments::positional(leaves, arguments.span))
            };
            Walk { arguments: &arguments, call: &call }.walk(this, trees, 0)
        },
        // `tree_leaves(tree)`: a list of the leaves.
        "harp_library.tree_leaves" => |this, _, arguments| {
            let mut data = ListData::default();
            if let Some(tree) = arguments.get(0, "tree") {
                gather(this, tree, &mut data, &arguments, 0);
            }
            Ok(Value::List(this.heap.allocate(Payload::List(Rc::new(data)))))
        },
        // `tree_shapes(tree)`: the tree with the shape of each leaf.
        "harp_library.tree_shapes" => |this, _, arguments| {
            let Some(tree) = arguments.get(0, "tree").cloned() else { return Ok(Value::Unknown("tree")) };
            let shape = |this: &mut Interpreter<'_>, leaves: Vec<Value>| match leaves.into_iter().next() {
                Some(Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) | Value::Complex) => {
                    Ok(Value::tuple(Vec::new()))
                }
                Some(leaf) => this.get_attribute(&leaf, name!("shape"), arguments.span),
                None => Ok(Value::Unknown("tree")),
            };
            Walk { arguments: &arguments, call: &shape }.walk(this, vec![tree], 0)
        },
        // `register_tree(class, fields)`, `register_tree(class, flatten, unflatten)`: objects of the class are trees.
        "harp_library.register_tree" => |this, _, arguments| {
            let class = arguments.get(0, "class").map_or(Value::None, |class| this.read(class));
            if let Value::Class(id) = class {
                let of_functions = arguments.get(2, "unflatten").cloned();
                let told = match (arguments.get(1, "flatten").or_else(|| arguments.keyword("fields")), of_functions) {
                    (Some(flatten), Some(unflatten)) => Value::tuple(vec![flatten.clone(), unflatten]),
                    (Some(fields), None) => match this.iterate(&fields.clone())? {
                        Iteration::Items(fields) => Value::List(this.heap.allocate_list(fields)),
                        _ => Value::None,
                    },
                    (None, _) => Value::None,
                };
                this.heap.set_attribute(id, Name::new(REGISTERED), told);
            }
            Ok(class)
        },
        _ => return None,
    })
}

/// The attribute of a class in which it stands how its objects are trees: a list of fields, or two functions. No program can name it.
const REGISTERED: &str = "(tree)";

/// What a value is as a tree.
enum Node {
    Tuple(Rc<[Value]>),
    List(Rc<ListData>),
    Dict(Rc<DictData>),
    /// A named tuple or a dataclass, with its fields.
    Record(ObjectId, Vec<Name>),
    /// An object of a class that is registered with functions that take it apart and put it together.
    Registered {
        object: Value,
        flatten: Value,
        unflatten: Value,
    },
    Empty,
    Leaf,
    /// A leaf as well, though the library may look into its class.
    Object,
    Unknown,
}

impl Node {
    fn of(interpreter: &Interpreter<'_>, value: &Value) -> Node {
        match value {
            Value::Tuple(items) => Node::Tuple(Rc::clone(items)),
            Value::List(id) => interpreter.heap.list(*id).map_or(Node::Unknown, |data| Node::List(Rc::clone(data))),
            Value::Dict(id) => interpreter.heap.dict(*id).map_or(Node::Unknown, |data| {
                let keeps_order = interpreter.dict_class(*id).is_some();
                Node::Dict(if keeps_order { Rc::clone(data) } else { in_order(data) })
            }),
            Value::Instance(id) if let Some(registered) = Node::registered(interpreter, *id) => registered,
            Value::Instance(id) => match interpreter.class_of(value) {
                Value::Class(class) if interpreter.is_record_class(class) => {
                    Node::Record(*id, interpreter.record_fields(class))
                }
                Value::Library(class) if matches!(class.as_str(), RECORD | TYPED) => {
                    Node::Record(*id, interpreter.heap.object(*id).attributes.iter().map(|(name, _)| name).collect())
                }
                _ => Node::Object,
            },
            Value::None => Node::Empty,
            Value::Unknown(_) | Value::Symbolic(_) => Node::Unknown,
            Value::Tensor(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Ratio(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::Complex => Node::Leaf,
            _ => Node::Object,
        }
    }

    /// An object as its class is registered.
    fn registered(interpreter: &Interpreter<'_>, id: ObjectId) -> Option<Node> {
        let object = Value::Instance(id);
        let Value::Class(class) = interpreter.class_of(&object) else { return None };
        match interpreter.read(interpreter.heap.attribute(class, Name::new(REGISTERED))?) {
            Value::Tuple(functions) => match &*functions {
                [flatten, unflatten] => {
                    Some(Node::Registered { object, flatten: flatten.clone(), unflatten: unflatten.clone() })
                }
                _ => None,
            },
            Value::List(fields) => {
                let fields = &interpreter.heap.list(fields)?.items;
                Some(Node::Record(id, fields.iter().filter_map(|field| field.as_text().map(Name::new)).collect()))
            }
            _ => Some(Node::Unknown),
        }
    }

    /// The kind of container, in a word.
    fn kind(&self) -> Option<&'static str> {
        Some(match self {
            Node::Tuple(_) => "tuple",
            Node::List(_) => "list",
            Node::Dict(_) => "dict",
            Node::Record(..) | Node::Registered { .. } => "record",
            Node::Leaf => "leaf",
            Node::Empty | Node::Object | Node::Unknown => return None,
        })
    }

    /// The keys of a dict all of whose keys are known.
    fn keys(&self) -> Option<BTreeSet<String>> {
        let Node::Dict(data) = self else { return None };
        let is_closed = data.rest.is_none() && data.doubtful.is_empty();
        let text = |(key, _): &(Value, Value)| match key {
            Value::Str(Some(text)) => Some(format!("`{text}`")),
            key => key.as_int().map(|number| number.to_string()),
        };
        if is_closed { data.entries.iter().map(text).collect() } else { None }
    }

    /// How many items a tuple or a list has.
    fn length(&self) -> Option<usize> {
        match self {
            Node::Tuple(items) => Some(items.len()),
            Node::List(data) if data.rest.is_none() => Some(data.items.len()),
            _ => None,
        }
    }
}

/// A dict in the order of its keys, where all of them are texts: so libraries walk them.
fn in_order(data: &Rc<DictData>) -> Rc<DictData> {
    let is_ordered = data.entries.is_sorted_by_key(|(key, _)| key.as_text().unwrap_or_default());
    if is_ordered || !data.entries.iter().all(|(key, _)| key.as_text().is_some()) {
        return Rc::clone(data);
    }
    let mut entries = data.entries.clone();
    entries.sort_by(|(one, _), (other, _)| one.as_text().cmp(&other.as_text()));
    let mut ordered = DictData::new(entries, data.rest.clone());
    ordered.doubtful.clone_from(&data.doubtful);
    Rc::new(ordered)
}

/// The children of an object that a registered function takes apart, and what that function gives beside them; `None` where they are not known.
fn taken_apart(
    interpreter: &mut Interpreter<'_>,
    object: &Value,
    flatten: &Value,
    arguments: &CallArguments,
) -> Eval<Option<(Vec<Value>, Value)>> {
    let flat = interpreter.call(flatten, CallArguments::positional(vec![object.clone()], arguments.span))?;
    let Value::Tuple(parts) = interpreter.read(&flat) else { return Ok(None) };
    let [children, rest] = &*parts else { return Ok(None) };
    Ok(match interpreter.iterate(children)? {
        Iteration::Items(children) => Some((children, rest.clone())),
        _ => None,
    })
}

type CallOfLeaves<'a> = dyn Fn(&mut Interpreter<'_>, Vec<Value>) -> Eval + 'a;

/// A way through trees of one structure.
struct Walk<'a> {
    arguments: &'a CallArguments,
    call: &'a CallOfLeaves<'a>,
}

impl Walk<'_> {
    fn walk(&self, interpreter: &mut Interpreter<'_>, trees: Vec<Value>, depth: usize) -> Eval {
        let Some(first) = trees.first().cloned() else { return Ok(Value::Unknown("tree")) };
        interpreter.for_each_alternative(&first, |this, first| {
            let mut trees = trees.clone();
            trees[0] = first;
            self.walk_one(this, trees, depth)
        })
    }

    fn walk_one(&self, interpreter: &mut Interpreter<'_>, trees: Vec<Value>, depth: usize) -> Eval {
        interpreter.step()?;
        let node = Node::of(interpreter, &trees[0]);
        let others: Vec<Node> = trees[1..].iter().map(|tree| Node::of(interpreter, &interpreter.read(tree))).collect();
        if depth > DEEPEST || matches!(node, Node::Unknown) {
            return Ok(unknown_tree(interpreter, self.arguments));
        }
        for other in &others {
            if let Some(difference) = difference(&node, other) {
                return refuse(interpreter, Some(format!("the trees differ: {difference}")), self.arguments);
            }
        }
        let below =
            |this: &mut Interpreter<'_>, item: &Value, at: &dyn Fn(&Interpreter<'_>, &Node) -> Option<Value>| {
                let mut items = vec![item.clone()];
                for other in &others {
                    let item = at(this, other).unwrap_or_else(|| unknown_tree(this, self.arguments));
                    items.push(item);
                }
                self.walk(this, items, depth + 1)
            };
        let item_at = |place: usize| {
            move |_: &Interpreter<'_>, other: &Node| match other {
                Node::Tuple(items) => items.get(place).cloned(),
                Node::List(data) => data.items.get(place).or(data.rest.as_ref()).cloned(),
                _ => None,
            }
        };
        Ok(match &node {
            Node::Unknown => Value::Unknown("tree"),
            Node::Empty => Value::None,
            Node::Leaf | Node::Object => return (self.call)(interpreter, trees),
            Node::Tuple(items) => {
                let mut mapped = Vec::with_capacity(items.len());
                for (place, item) in items.iter().enumerate() {
                    mapped.push(below(interpreter, item, &item_at(place))?);
                }
                Value::tuple(mapped)
            }
            Node::List(data) => {
                let mut mapped = ListData::default();
                for (place, item) in data.items.iter().enumerate() {
                    mapped.items.push(below(interpreter, item, &item_at(place))?);
                }
                if let Some(rest) = &data.rest {
                    mapped.rest = Some(below(interpreter, rest, &item_at(usize::MAX))?);
                }
                Value::List(interpreter.heap.allocate(Payload::List(Rc::new(mapped))))
            }
            Node::Dict(data) => {
                let value_of = |key: Value| {
                    move |_: &Interpreter<'_>, other: &Node| match other {
                        Node::Dict(data) => data.find(&key).or(data.rest.as_ref()).map(|(_, value)| value.clone()),
                        _ => None,
                    }
                };
                let mut entries = Vec::with_capacity(data.entries.len());
                for (key, item) in &data.entries {
                    entries.push((key.clone(), below(interpreter, item, &value_of(key.clone()))?));
                }
                let rest = match &data.rest {
                    Some((key, item)) => Some((key.clone(), below(interpreter, item, &value_of(key.clone()))?)),
                    None => None,
                };
                let mut mapped = DictData::new(entries, rest);
                mapped.doubtful.clone_from(&data.doubtful);
                Value::Dict(interpreter.heap.allocate(Payload::Dict(Rc::new(mapped))))
            }
            Node::Registered { object, flatten, unflatten } => {
                let Some((children, rest)) = taken_apart(interpreter, object, flatten, self.arguments)? else {
                    return Ok(unknown_tree(interpreter, self.arguments));
                };
                let mut beside = Vec::new();
                for other in &others {
                    beside.push(match other {
                        Node::Registered { object, flatten, .. } => {
                            taken_apart(interpreter, object, flatten, self.arguments)?.map(|(children, _)| children)
                        }
                        _ => None,
                    });
                }
                let mut mapped = Vec::with_capacity(children.len());
                for (place, child) in children.into_iter().enumerate() {
                    let mut items = vec![child];
                    for other in &beside {
                        let item = other.as_ref().and_then(|children| children.get(place).cloned());
                        items.push(item.unwrap_or_else(|| unknown_tree(interpreter, self.arguments)));
                    }
                    mapped.push(self.walk(interpreter, items, depth + 1)?);
                }
                let given = CallArguments::positional(vec![rest, Value::tuple(mapped)], self.arguments.span);
                return interpreter.call(unflatten, given);
            }
            Node::Record(id, fields) => {
                let copy = interpreter.heap.allocate(interpreter.heap.payload(*id).clone());
                let all: Vec<(Name, Value)> =
                    interpreter.heap.object(*id).attributes.iter().map(|(name, value)| (name, value.clone())).collect();
                for (field, value) in all {
                    let field_of = |this: &Interpreter<'_>, other: &Node| match other {
                        Node::Record(other, _) => this.heap.attribute(*other, field).cloned(),
                        _ => None,
                    };
                    let is_field = fields.contains(&field);
                    let value = if is_field { below(interpreter, &value, &field_of)? } else { value };
                    interpreter.heap.set_attribute(copy, field, value);
                }
                Value::Instance(copy)
            }
        })
    }
}

/// In what another tree surely has another structure. It may go on where the first has a leaf.
fn difference(first: &Node, other: &Node) -> Option<String> {
    let kind = first.kind().filter(|kind| *kind != "leaf")?;
    match (other, other.kind()) {
        (_, Some(other)) if other != kind => {
            // Named tuples are tuples, and records of classes that a library registers may be anything.
            let is_record = kind == "record" || other == "record";
            return (!is_record).then(|| format!("a {kind} in one is a {other} in another"));
        }
        _ => {}
    }
    if let (Some(one), Some(another)) = (first.length(), other.length())
        && one != another
    {
        return Some(format!("a {kind} has {one} items in one and {another} in another"));
    }
    let (one, another) = (first.keys()?, other.keys()?);
    let alone = one.symmetric_difference(&another).next()?;
    Some(format!("the key {alone} is in one of them alone"))
}

/// Adds the leaves of a tree.
fn gather(
    interpreter: &mut Interpreter<'_>,
    tree: &Value,
    leaves: &mut ListData,
    arguments: &CallArguments,
    depth: usize,
) {
    harp_limits::light_tick();
    let tree = interpreter.read(tree);
    let node = if depth > DEEPEST { Node::Unknown } else { Node::of(interpreter, &tree) };
    // What stands behind leaves of unknown number is one of them.
    let (items, rest): (Vec<Value>, Option<Value>) = match &node {
        Node::Empty => return,
        Node::Leaf | Node::Object if leaves.rest.is_none() && !matches!(tree, Value::Alternatives(_)) => {
            return leaves.items.push(tree);
        }
        Node::Leaf | Node::Object | Node::Unknown => {
            leaves.rest = Some(unknown_tree(interpreter, arguments));
            return;
        }
        Node::Tuple(items) => (items.to_vec(), None),
        Node::List(data) => (data.items.clone(), data.rest.clone()),
        Node::Dict(data) => {
            let values = data.entries.iter().map(|(_, value)| value.clone()).collect();
            (values, data.rest.as_ref().map(|(_, value)| value.clone()))
        }
        Node::Registered { object, flatten, .. } => match taken_apart(interpreter, object, flatten, arguments) {
            Ok(Some((children, _))) => (children, None),
            _ => (Vec::new(), Some(Value::Unknown("tree"))),
        },
        Node::Record(id, fields) => {
            (fields.iter().filter_map(|field| interpreter.heap.attribute(*id, *field).cloned()).collect(), None)
        }
    };
    for item in &items {
        gather(interpreter, item, leaves, arguments, depth + 1);
    }
    if let Some(rest) = rest {
        let is_leaf = matches!(Node::of(interpreter, &interpreter.read(&rest)), Node::Leaf | Node::Object);
        let rest = if is_leaf && leaves.rest.is_none() { rest } else { unknown_tree(interpreter, arguments) };
        leaves.rest = Some(rest);
    }
}

/// A value of which nothing is known, also not whether it is a leaf.
fn unknown_tree(interpreter: &mut Interpreter<'_>, arguments: &CallArguments) -> Value {
    let span = interpreter.place_in_program(arguments.span);
    interpreter.unanswered("tree", "a tree of unknown structure", span)
}
