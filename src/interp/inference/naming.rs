//! Names that readers see: the program's own where it has one for a size, else the letters of the alphabet in the order of appearance.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::interp::inference::signature::TensorPattern;
use crate::shape::{Constraint, Dim, Element, Shape, ShapeVar, Solver, Var, VarInfo};

/// The renaming of one signature.
pub(super) struct Naming {
    /// What the program calls a variable.
    program: FxHashMap<Var, String>,
    /// Names that cannot be given any more.
    taken: FxHashSet<String>,
    dims: FxHashMap<Var, Dim>,
    shapes: FxHashMap<ShapeVar, ShapeVar>,
    /// Binds the shape variables to those with new names.
    renamed: Solver,
    letters: usize,
}

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
        Naming { program: names, taken, dims, shapes, renamed: Solver::new(), letters: 0 }
    }

    /// Whether a variable has occurred in what was renamed so far.
    pub fn has_named(&self, variable: Var) -> bool {
        self.dims.contains_key(&variable)
    }

    pub fn tensor(&mut self, shape: &Shape) -> TensorPattern {
        let shape = self.shape(shape);
        TensorPattern { text: shape.to_string(), shape }
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
        let renamed = constraint.map(&mut |dim| self.renamed_dim(dim), &mut |shape| {
            let renamed = shape.map_dims(|dim| self.renamed_dim(dim));
            self.renamed.resolve_shape(&renamed)
        });
        renamed
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
    fn next_letter(&mut self) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_s_names_go_before_letters() {
        let (n, k) = (Var::fresh(VarInfo::free("x_0")), Var::fresh(VarInfo::free("x_1")));
        let rest = ShapeVar::fresh("x");
        let mut naming = Naming::new([(k, "a".to_owned())], []);
        let shape = Shape::new(vec![Element::Rest(rest), Element::Dim(Dim::var(n)), Element::Dim(Dim::var(k))]);
        assert_eq!(naming.tensor(&shape).text, "b@[c, a]");
        assert_eq!(naming.dim(Dim::product(rest) * Dim::var(n)).to_string(), "c*prod(b)");
    }

    #[test]
    fn there_are_names_enough() {
        let mut naming = Naming::new([], ["b".to_owned()]);
        let names: Vec<String> = (0..30).map(|_| naming.next_letter()).collect();
        assert_eq!((&*names[1], &*names[24], &*names[25]), ("c", "z", "a1"));
    }
}
