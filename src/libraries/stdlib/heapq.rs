//! `heapq`: a list is kept as a heap by the very steps of Python's own module, so that each item stands where it would stand.

use harp_interp::api::library_model::FunctionHandler;
use harp_interp::builtins::sorted;
use harp_interp::calls::call::CallArguments;
use harp_interp::paths::truth::Truth;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{ObjectId, Value};
use harp_python::ir::CompareOperator;

/// Longer heaps are not ordered item by item.
const MOST_ITEMS: usize = 4096;

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name.strip_prefix("heapq.")? {
        "heapify" => |this, _, arguments| with_heap(this, &arguments, |this, heap, _| heap.order(this)),
        "heappush" => |this, _, arguments| {
            with_heap(this, &arguments, |this, heap, item| {
                heap.items.push(item);
                let last = heap.items.len() - 1;
                heap.sift_down(this, 0, last)?;
                Ok(Value::None)
            })
        },
        "heappop" => |this, _, arguments| with_heap(this, &arguments, |this, heap, _| heap.pop(this)),
        "heappushpop" => |this, _, arguments| {
            with_heap(this, &arguments, |this, heap, item| {
                let Some(first) = heap.items.first().cloned() else { return Ok(item) };
                match heap.less(this, &first, &item)? {
                    true => heap.replace(this, item),
                    false => Ok(item),
                }
            })
        },
        "heapreplace" => |this, _, arguments| with_heap(this, &arguments, |this, heap, item| heap.replace(this, item)),
        _ => return None,
    })
}

/// The items of a heap, and whether it is known how they are ordered.
struct Heap {
    items: Vec<Value>,
    is_ordered: bool,
    call: CallArguments,
}

type Step = fn(&mut Interpreter<'_>, &mut Heap, Value) -> Eval;

/// Changes the list that a call is given. Where the order of items is not known, or not all items are, any may stand anywhere.
fn with_heap(interpreter: &mut Interpreter<'_>, arguments: &CallArguments, step: Step) -> Eval {
    let item = arguments.get(1, "item").map_or(Value::None, |item| interpreter.read(item));
    let list = arguments.get(0, "heap").map(|heap| interpreter.read(heap));
    let Some(Value::List(list)) = list else {
        return Ok(interpreter.symbolic("item of a heap", arguments.span, true));
    };
    let Some(data) = interpreter.heap.list(list).cloned() else { return Ok(Value::Unknown("heap")) };
    let call = CallArguments::empty(arguments.span);
    let is_known = data.rest.is_none() && data.items.len() <= MOST_ITEMS;
    let mut heap = Heap { items: data.items.clone(), is_ordered: true, call };
    if is_known {
        if heap.items.is_empty() && matches!(item, Value::None) {
            interpreter.raise_if_caught("IndexError", "index out of range", arguments.span)?;
        }
        let result = step(interpreter, &mut heap, item.clone())?;
        if heap.is_ordered {
            let items = heap.items;
            interpreter.heap.change_list(list, |data| data.items = items);
            return Ok(result);
        }
    }
    forget_order(interpreter, list, item)
}

fn forget_order(interpreter: &mut Interpreter<'_>, list: ObjectId, item: Value) -> Eval {
    let Some(data) = interpreter.heap.list(list).cloned() else { return Ok(Value::Unknown("heap")) };
    let new = Some(item).filter(|item| !item.is_none());
    let all: Vec<Value> = data.items.iter().chain(&data.rest).chain(&new).cloned().collect();
    let any = interpreter.widen(&all);
    interpreter.heap.change_list(list, |data| {
        data.items.clear();
        data.rest = Some(any.clone());
    });
    Ok(any)
}

impl Heap {
    /// Whether one item is less than another; the heap is no longer ordered where that is not known.
    fn less(&mut self, interpreter: &mut Interpreter<'_>, left: &Value, right: &Value) -> Eval<bool> {
        if let Some(order) = sorted::compare(left, right) {
            return Ok(order.is_lt());
        }
        let span = self.call.span;
        let less = interpreter.compare(CompareOperator::Less, left, right, span, [span; 2])?;
        match interpreter.truth(&less) {
            Truth::Known(is_less) => Ok(is_less),
            _ => {
                self.is_ordered = false;
                Ok(false)
            }
        }
    }

    /// Moves the item at `place` towards the root, as `heapq._siftdown` does.
    fn sift_down(&mut self, interpreter: &mut Interpreter<'_>, start: usize, mut place: usize) -> Eval<()> {
        let item = self.items[place].clone();
        while place > start && self.is_ordered {
            let parent = (place - 1) / 2;
            let above = self.items[parent].clone();
            if !self.less(interpreter, &item, &above)? {
                break;
            }
            self.items[place] = above;
            place = parent;
        }
        self.items[place] = item;
        Ok(())
    }

    /// Moves smaller children up until a leaf is reached, and then the item there to its place, as `heapq._siftup` does.
    fn sift_up(&mut self, interpreter: &mut Interpreter<'_>, start: usize) -> Eval<()> {
        let (mut place, end) = (start, self.items.len());
        let item = self.items[place].clone();
        let mut child = 2 * place + 1;
        while child < end && self.is_ordered {
            let right = child + 1;
            if right < end {
                let (one, other) = (self.items[child].clone(), self.items[right].clone());
                if !self.less(interpreter, &one, &other)? {
                    child = right;
                }
            }
            self.items[place] = self.items[child].clone();
            place = child;
            child = 2 * place + 1;
        }
        self.items[place] = item;
        self.sift_down(interpreter, start, place)
    }

    fn order(&mut self, interpreter: &mut Interpreter<'_>) -> Eval {
        for place in (0..self.items.len() / 2).rev() {
            interpreter.step()?;
            self.sift_up(interpreter, place)?;
        }
        Ok(Value::None)
    }

    fn pop(&mut self, interpreter: &mut Interpreter<'_>) -> Eval {
        match self.items.pop() {
            Some(last) if !self.items.is_empty() => self.replace(interpreter, last),
            Some(last) => Ok(last),
            None => Ok(interpreter.symbolic("item of an empty heap", self.call.span, true)),
        }
    }

    /// Takes the least item and puts another into the heap.
    fn replace(&mut self, interpreter: &mut Interpreter<'_>, item: Value) -> Eval {
        let Some(first) = self.items.first_mut() else { return Ok(Value::Unknown("item of an empty heap")) };
        let least = std::mem::replace(first, item);
        self.sift_up(interpreter, 0)?;
        Ok(least)
    }
}
