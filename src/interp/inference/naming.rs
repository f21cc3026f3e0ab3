//! Names of sizes in inferred signatures: the program's own where it has one for a size, else the letters of the
//! alphabet in the order of appearance.

use rustc_hash::{FxHashMap, FxHashSet};

use harp_shape::{Constraint, DType, Dim, Element, Shape, ShapeVar, Solver, Var, VarInfo};
use harp_trace::inferred_signature::{ShapePart, TensorPattern};

/// The renaming of one signature.
pub struct Naming {
    /// What the program calls a variable.
    program: FxHashMap<Var, String>,
    /// Names that cannot be given any more.
    taken: FxHashSet<String>,
    dims: FxHashMap<Var, Dim>,
    shapes: FxHashMap<ShapeVar, ShapeVar>,
    /// Binds the shape variables to those with new names.
    renamed: Solver,
    letters: usize,
    /// Shapes that are results of broadcasting and nothing else.
    broadcasts: Vec<Broadcast>,
}

/// A shape that two others give when they are broadcast.
#[derive(Clone, Debug)]
pub struct Broadcast {
    pub result: Shape,
    pub operands: [Shape; 2],
}

/// How deep operands of broadcasts are results of broadcasts.
const DEEPEST: usize = 12;

impl Naming {
    /// `program` has the names that the program gives sizes, earlier ones first; `reserved` are names that mean something else.
    pub fn new(program: impl IntoIterator<Item = (Var, String)>, reserved: impl IntoIterator<Item = String>) -> Naming {
        let mut taken: FxHashSet<String> = reserved.into_iter().collect();
        let mut names = FxHashMap::default();
        for (variable, name) in program {
            if !names.contains_key(&variable) && taken.insert(name.clone()) {
                names.insert(variable, name);
            }
        }
        let (dims, shapes) = (FxHashMap::default(), FxHashMap::default());
        Naming { program: names, taken, dims, shapes, renamed: Solver::new(), letters: 0, broadcasts: Vec::new() }
    }

    /// Whether a variable has occurred in what was renamed so far.
    pub fn has_named(&self, variable: Var) -> bool {
        self.dims.contains_key(&variable)
    }

    pub fn has_named_shape(&self, variable: ShapeVar) -> bool {
        self.shapes.contains_key(&variable)
    }

    /// From now on these results are written as what they are results of.
    pub fn set_broadcasts(&mut self, broadcasts: Vec<Broadcast>) {
        self.broadcasts = broadcasts;
    }

    pub fn tensor(&mut self, shape: &Shape, dtype: DType) -> TensorPattern {
        let text = self.text(shape, 0);
        let parts = (!text.contains("broadcast(")).then(|| ShapePart::of(&self.shape(shape)));
        TensorPattern { text, parts, dtype }
    }

    /// A shape in the notation, with results of broadcasting as such.
    fn text(&mut self, shape: &Shape, depth: usize) -> String {
        let elements = shape.elements();
        let mut parts: Vec<String> = Vec::new();
        let mut start = 0;
        let mut index = 0;
        while index < elements.len() && depth < DEEPEST {
            let here = &elements[index..];
            let found = self.broadcasts.iter().position(|it| {
                let result = it.result.elements();
                here.starts_with(result) && result.iter().any(|element| matches!(element, Element::Rest(_)))
            });
            let Some(found) = found else {
                index += 1;
                continue;
            };
            if start < index {
                parts.push(self.shape(&Shape::new(elements[start..index].to_vec())).to_string());
            }
            let Broadcast { result, operands } = self.broadcasts[found].clone();
            let operands: Vec<String> = operands.iter().map(|operand| self.text(operand, depth + 1)).collect();
            parts.push(broadcast_of(&operands));
            index += result.elements().len();
            start = index;
        }
        if start < elements.len() || parts.is_empty() {
            parts.push(self.shape(&Shape::new(elements[start..].to_vec())).to_string());
        }
        parts.join("@")
    }

    pub fn shape(&mut self, shape: &Shape) -> Shape {
        for element in shape.elements() {
            match element {
                Element::Dim(dim) => self.name_variables(*dim),
                Element::Rest(variable) => self.name_shape(*variable),
                Element::Ragged => {}
            }
        }
        let renamed = shape.map_dims(|dim| self.renamed_dim(dim));
        self.renamed.resolve_shape(&renamed)
    }

    pub fn dim(&mut self, dim: Dim) -> Dim {
        self.name_variables(dim);
        self.renamed_dim(dim)
    }

    pub fn constraint(&mut self, constraint: &Constraint) -> Constraint {
        let (mut dims, mut shapes) = (Vec::new(), Vec::new());
        constraint.map(
            &mut |dim| {
                dims.push(dim);
                dim
            },
            &mut |shape| {
                shapes.push(shape.clone());
                shape.clone()
            },
        );
        for dim in dims {
            self.name_variables(dim);
        }
        for shape in shapes {
            self.shape(&shape);
        }
        constraint.map(&mut |dim| self.renamed_dim(dim), &mut |shape| {
            let renamed = shape.map_dims(|dim| self.renamed_dim(dim));
            self.renamed.resolve_shape(&renamed)
        })
    }

    fn renamed_dim(&self, dim: Dim) -> Dim {
        let renamed = dim.substitute(&mut |variable| self.dims.get(&variable).copied());
        self.renamed.resolve(renamed)
    }

    fn name_variables(&mut self, dim: Dim) {
        for variable in dim.vars() {
            if !self.dims.contains_key(&variable) {
                let name = match self.program.get(&variable) {
                    Some(name) => name.clone(),
                    None => self.next_letter(),
                };
                let named = Var::fresh(VarInfo { name, ..variable.info() });
                self.dims.insert(variable, Dim::var(named));
            }
        }
        for shape in dim.shape_vars() {
            self.name_shape(shape);
        }
    }

    fn name_shape(&mut self, variable: ShapeVar) {
        if self.shapes.contains_key(&variable) {
            return;
        }
        let named = ShapeVar::fresh(&self.next_letter());
        self.shapes.insert(variable, named);
        let shape = |variable| Shape::new(vec![Element::Rest(variable)]);
        self.renamed.unify(&shape(variable), &shape(named));
    }

    /// `a`, `b`, …, `z`, `a1`, `b1`, … without those that are taken.
    pub fn next_letter(&mut self) -> String {
        loop {
            let letter = char::from(b'a' + (self.letters % 26) as u8);
            let round = self.letters / 26;
            self.letters += 1;
            let name = if round == 0 { letter.to_string() } else { format!("{letter}{round}") };
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// `broadcast(a, b, c)` of `broadcast(a, b)` and `c`.
fn broadcast_of(operands: &[String]) -> String {
    let inner = |text: &String| -> Option<String> {
        let inner = text.strip_prefix("broadcast(")?.strip_suffix(')')?;
        let mut depth = 0;
        for character in inner.chars() {
            match character {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
        Some(inner.to_owned())
    };
    let operands: Vec<String> =
        operands.iter().map(|operand| inner(operand).unwrap_or_else(|| operand.clone())).collect();
    format!("broadcast({})", operands.join(", "))
}
