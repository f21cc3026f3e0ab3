//! Vectorises a loop: subscripts with the loop variable become slices.

use crate::subscripts::{Affine, affine, dotted, index_parts, text};
use crate::vectorise::bounds::Bound;
use crate::vectorise::definitions::IndexKind;
use crate::vectorise::translate::{ATOM, Piece, Translator, mentions};
use crate::vectorise::{Container, ContainerKind};
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;
use harp_shape::DType;
use harp_trace::{Site, TensorOrigin, ValueKind};

/// Elements that a statement writes, as a slice.
pub struct Target {
    pub text: String,
    pub kind: ContainerKind,
    /// The dimensions of the container, where they are known.
    pub rank: Option<usize>,
    pub dtype: Option<DType>,
}

impl Translator<'_, '_> {
    /// Elements that are read: `x[i + 1]` as a slice; an index without the loop variable stays.
    pub fn read_slice(&mut self, value: &Expr, index: &Expr) -> Option<Piece> {
        let parts = index_parts(index);
        if parts.iter().any(|part| mentions(part, self.range_loop.target)) {
            let target = self.moving_slice(value, parts, false)?;
            let text = match target.kind {
                ContainerKind::List => {
                    let library = self.numpy();
                    format!("{library}.asarray({})", target.text)
                }
                _ => target.text,
            };
            let is_view = target.kind != ContainerKind::List;
            let is_whole = matches!(target.dtype, Some(DType::Float64 | DType::Int64 | DType::Int32));
            let rounds = target.kind == ContainerKind::List || is_whole;
            let is_of_library = matches!(target.kind, ContainerKind::Array | ContainerKind::Tensor);
            return Some(Piece {
                text,
                varies: true,
                rounds_alike: rounds,
                is_view,
                is_of_library,
                dtype: target.dtype.filter(|_| is_of_library),
                ..Piece::number(ATOM)
            });
        }
        let (root, _) = dotted(crate::read_statements::base(value))?;
        let is_steady = !self.assigned.contains(&root) && self.is_steady_owner(value);
        if !is_steady || !parts.iter().all(|part| self.is_steady(part)) {
            return None;
        }
        self.reads_steady = true;
        self.steady_roots.push(root);
        let text = format!("{}[{}]", text(self.program, self.range_loop.span(value)), self.joined(parts, None));
        let is_array = |kind: &ValueKind| matches!(kind, ValueKind::Tensor(_));
        let kinds = self.site(value).map_or(&[][..], |site| &site.kinds);
        let is_of_library = kinds.iter().any(is_array);
        self.reads_tensors |= kinds.contains(&ValueKind::Tensor(TensorOrigin::Torch));
        self.reads_arrays |= kinds.contains(&ValueKind::Tensor(TensorOrigin::NumPy));
        let dtype = self.site(value).and_then(|site| site.dtype).filter(|dtype| *dtype != DType::Unknown);
        let dtype = dtype.filter(|_| is_of_library);
        Some(Piece { text, degree: Some(0), is_of_library, dtype, ..Piece::number(ATOM) })
    }

    /// An element that is the same in all iterations, with what was seen of it: a list may hold numbers of a library.
    pub fn as_seen(&mut self, expression: &Expr, piece: Piece) -> Piece {
        if piece.is_of_library {
            return piece;
        }
        let site = self.site(expression);
        let kinds = site.map_or(&[][..], |site| &site.kinds);
        let is_literal = matches!(&expression.kind, ExprKind::Subscript { value, .. } if matches!(&value.kind,
            ExprKind::Name(name) if self.file.definitions.has_numbers(*name)));
        if !is_literal && (kinds.is_empty() || kinds.contains(&ValueKind::Unknown)) {
            self.risk("what is the same in all iterations may be no plain number");
        }
        let is_of_library = kinds.iter().any(|kind| matches!(kind, ValueKind::Tensor(_)));
        let dtype = site.and_then(|site| site.dtype).filter(|dtype| is_of_library && *dtype != DType::Unknown);
        Piece { is_of_library, dtype, ..piece }
    }

    /// Elements that are written or read at an index that moves with the loop.
    pub fn moving_slice(&mut self, value: &Expr, parts: &[Expr], is_write: bool) -> Option<Target> {
        let variable = self.range_loop.target;
        let mut moving = (0..parts.len()).filter(|part| mentions(&parts[*part], variable));
        let (position, None) = (moving.next()?, moving.next()) else { return None };
        let others = parts.iter().enumerate().filter(|(at, _)| *at != position);
        if !self.is_steady_owner(value) || !others.into_iter().all(|(_, part)| self.is_steady(part)) {
            return None;
        }
        let Affine { coefficient: 1, offset } = affine(&parts[position], variable)? else { return None };
        let container = crate::read_statements::base(value);
        let (root, path) = dotted(container)?;
        if self.assigned.contains(&root) {
            return None;
        }
        let kind = self.kind(value, is_write)?;
        self.reads_tensors |= kind == ContainerKind::Tensor;
        self.reads_arrays |= matches!(kind, ContainerKind::Array | ContainerKind::List);
        let (before, behind, rank) = self.dimensions_of_element(value, parts, position)?;
        let shown = |expression: &Expr| text(self.program, self.range_loop.span(expression));
        let (owner, whole) = (shown(container), shown(value));
        let site = self.site(value);
        let dtype = site.and_then(|site| site.dtype).filter(|dtype| *dtype != DType::Unknown);
        self.containers.push(Container {
            text: owner,
            whole: whole.clone(),
            root,
            path,
            kind,
            position,
            before,
            behind,
            has_rank: rank.is_some(),
            offset,
            is_written: is_write,
            span: self.range_loop.span(container),
        });
        let text = self.slice_text(&whole, parts, position, offset, is_write)?;
        Some(Target { text, kind, rank, dtype })
    }

    fn slice_text(
        &mut self,
        whole: &str,
        parts: &[Expr],
        position: usize,
        offset: i64,
        is_write: bool,
    ) -> Option<String> {
        let is_all = matches!(&self.stop, Bound::Text { text: stop, .. } if *stop == format!("len({whole})"))
            && matches!(self.start, Bound::Constant(0))
            && offset == 0
            && parts.len() == 1;
        if is_all {
            return Some(if is_write { format!("{whole}[:]") } else { whole.to_owned() });
        }
        let runs = self.trips.is_some_and(|trips| trips > 0) && matches!(self.start, Bound::Constant(_));
        if !runs && (self.start.may_be_negative(offset) || self.stop.may_be_negative(offset)) {
            self.risk("where a bound is negative, a slice counts from the end");
        }
        let (start, stop) = (self.start.moved(offset)?, self.stop.moved(offset)?);
        let start = if start == "0" { String::new() } else { start };
        Some(format!("{whole}[{}]", self.joined(parts, Some((position, format!("{start}:{stop}"))))))
    }

    /// The dimensions of an element before and behind the loop's one, and those of the container, where they are known; `None` where the index
    /// adds some.
    fn dimensions_of_element(
        &self,
        value: &Expr,
        parts: &[Expr],
        position: usize,
    ) -> Option<(usize, usize, Option<usize>)> {
        if parts.iter().any(|part| matches!(part.kind, ExprKind::Ellipsis | ExprKind::None)) {
            return None;
        }
        let slices = |parts: &[Expr]| parts.iter().filter(|part| matches!(part.kind, ExprKind::Slice { .. })).count();
        let rank = self.site(value).and_then(Site::rank);
        let left = rank.map_or(0, |rank| rank.saturating_sub(parts.len()));
        Some((slices(&parts[..position]), slices(&parts[position + 1..]) + left, rank))
    }

    fn joined(&self, parts: &[Expr], replaced: Option<(usize, String)>) -> String {
        let shown = parts.iter().enumerate().map(|(at, part)| match &replaced {
            Some((position, slice)) if *position == at => slice.clone(),
            _ => text(self.program, self.range_loop.span(part)),
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Whether what is subscripted is the same object in all iterations, and looking it up does nothing.
    fn is_steady_owner(&mut self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Subscript { value, index } => {
                self.is_steady_owner(value) && index_parts(index).iter().all(|part| self.is_steady(part))
            }
            _ => {
                dotted(value).is_some_and(|(root, _)| root != self.range_loop.target && !self.assigned.contains(&root))
            }
        }
    }

    /// Whether an index is one number, or one slice, in all iterations: names that the body does not assign, and constants. That a name of which
    /// nothing is known is a number is an assumption.
    fn is_steady(&mut self, index: &Expr) -> bool {
        match &index.kind {
            ExprKind::Name(name) => {
                let is_same = *name != self.range_loop.target && !self.assigned.contains(name);
                is_same && self.is_number(*name, index)
            }
            ExprKind::Int(_) | ExprKind::Ellipsis | ExprKind::None => true,
            ExprKind::Attribute { .. } => {
                let is_same = dotted(index)
                    .is_some_and(|(root, _)| root != self.range_loop.target && !self.assigned.contains(&root));
                self.assumed_numbers.extend(is_same.then(|| self.range_loop.span(index)));
                is_same
            }
            ExprKind::Binary { left, right, .. } => self.is_steady(left) && self.is_steady(right),
            ExprKind::Unary { operand, .. } => self.is_steady(operand),
            ExprKind::Slice { lower, upper, step } => {
                [lower, upper, step].into_iter().flatten().all(|bound| self.is_steady(bound))
            }
            _ => false,
        }
    }

    fn is_number(&mut self, name: Name, index: &Expr) -> bool {
        let kind = self.file.definitions.index(self.program, self.range_loop.file, name);
        if kind == IndexKind::Unknown {
            self.assumed_numbers.push(self.range_loop.span(index));
        }
        kind != IndexKind::Other
    }

    /// The kind of a container; `None` for one whose elements are no numbers at places.
    fn kind(&self, value: &Expr, is_write: bool) -> Option<ContainerKind> {
        let mut found = ContainerKind::Unknown;
        for kind in self.site(value).map_or(&[][..], |site| &site.kinds) {
            let known = match kind {
                ValueKind::Tensor(TensorOrigin::Torch) => ContainerKind::Tensor,
                ValueKind::Tensor(TensorOrigin::NumPy) => ContainerKind::Array,
                ValueKind::List => ContainerKind::List,
                ValueKind::Tuple if !is_write => ContainerKind::List,
                ValueKind::Unknown => continue,
                _ => return None,
            };
            // What is written depends on which of them it is.
            if found != ContainerKind::Unknown && found != known {
                return None;
            }
            found = known;
        }
        Some(found)
    }
}
