//! Pages of a report: a slice of the computation graph laid out for a drawing, with operations in layers, producers
//! above what takes their results.

use serde::Serialize;

use crate::explanation::{GraphSlice, SliceNodeKind};
use crate::sources::Sources;
use crate::terminal_escape;

use super::places::place;

/// The width of a character, of which a drawing has only one size.
const CHARACTER: usize = 7;
/// What is longer is cut; the whole is told where the pointer rests.
const LONGEST_NAME: usize = 36;
const LONGEST_LABEL: usize = 48;
const NODE_HEIGHT: usize = 40;
const PADDING: usize = 10;
/// Between the nodes of a layer, and around the drawing.
const GAP: usize = 24;
/// Between layers there is room for the labels of edges, a line each.
const LINE: usize = 15;

/// A drawing in pixels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Picture {
    width: usize,
    height: usize,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    is_cut: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Node {
    /// What the style sheet calls it.
    class: &'static str,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    /// The middle, where texts stand.
    middle: usize,
    name: String,
    /// The whole name and place.
    title: String,
    place: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Edge {
    /// The curve in the notation of SVG's `d`.
    curve: String,
    label: String,
    x: usize,
    y: usize,
}

/// The drawing of a slice; nothing where there is no more than one node.
pub fn picture(slice: &GraphSlice, sources: &dyn Sources) -> Option<Picture> {
    if slice.nodes.len() < 2 {
        return None;
    }
    let layout = Layout::of(slice);
    let nodes: Vec<Node> = (0..slice.nodes.len()).map(|index| layout.node(index, sources)).collect();
    let edges = (0..slice.edges.len()).map(|index| layout.edge(index, &nodes)).collect();
    Some(Picture { width: layout.width, height: layout.height, nodes, edges, is_cut: slice.is_cut })
}

/// `x [64, 784]`
pub fn label(operand: &str, shape: Option<&str>) -> String {
    let words = [Some(operand), shape].into_iter().flatten().filter(|word| !word.is_empty());
    words.map(terminal_escape::line).collect::<Vec<_>>().join(" ")
}

/// Where each node stands.
struct Layout<'s> {
    slice: &'s GraphSlice,
    widths: Vec<usize>,
    /// The left upper corners.
    corners: Vec<(usize, usize)>,
    width: usize,
    height: usize,
}

impl<'s> Layout<'s> {
    fn of(slice: &'s GraphSlice) -> Layout<'s> {
        let widths: Vec<usize> = (0..slice.nodes.len()).map(|node| node_width(slice, node)).collect();
        let layers = ordered(slice, &depths(slice));
        let width_of = |layer: &Vec<usize>| {
            layer.iter().map(|node| widths[*node]).sum::<usize>() + GAP * layer.len().saturating_sub(1)
        };
        let width = layers.iter().map(width_of).max().unwrap_or(0) + 2 * GAP;
        let mut corners = vec![(0, 0); slice.nodes.len()];
        let mut y = GAP / 2;
        // The deepest producers are drawn first, at the top.
        for layer in layers.iter().rev() {
            let mut x = (width - width_of(layer)) / 2;
            for node in layer {
                corners[*node] = (x, y);
                x += widths[*node] + GAP;
            }
            let labels = layer.iter().map(|node| results(slice, *node).count()).max().unwrap_or(0);
            y += NODE_HEIGHT + LINE * labels + GAP;
        }
        Layout { slice, widths, corners, width, height: y - GAP / 2 }
    }

    fn node(&self, index: usize, sources: &dyn Sources) -> Node {
        let node = &self.slice.nodes[index];
        let (x, y) = self.corners[index];
        let width = self.widths[index];
        let class = match node.kind {
            SliceNodeKind::Subject => "subject",
            SliceNodeKind::Operation => "operation",
            SliceNodeKind::Source => "source",
            SliceNodeKind::Object => "object",
        };
        let whole_place = node.span.map_or(String::new(), |span| place(span, sources));
        let whole_name = terminal_escape::line(&node.name);
        Node {
            class,
            x,
            y,
            width,
            height: NODE_HEIGHT,
            middle: x + width / 2,
            name: cut(&whole_name, LONGEST_NAME),
            place: cut_before(&whole_place, (width - PADDING) / CHARACTER),
            title: format!("{whole_name} {whole_place}"),
        }
    }

    /// The curve from the lower side of one node to the upper side of another. It begins straight down, beside the labels of the node's results,
    /// which stand below each other.
    fn edge(&self, index: usize, nodes: &[Node]) -> Edge {
        let edge = &self.slice.edges[index];
        let (from, to) = (&nodes[edge.from], &nodes[edge.to]);
        let among_results = results(self.slice, edge.from).position(|other| other == index).unwrap_or(0);
        let of_taker = self.slice.edges.iter().enumerate().filter(|(_, other)| other.to == edge.to);
        let mut takers: Vec<usize> = of_taker.map(|(other, _)| other).collect();
        takers.sort_by_key(|other| (nodes[self.slice.edges[*other].from].middle, *other));
        let among_operands = takers.iter().position(|other| *other == index).unwrap_or(0);
        let start = (from.x + PADDING, from.y + NODE_HEIGHT);
        let end = (to.x + to.width * (among_operands + 1) / (takers.len() + 1), to.y);
        let below_labels = start.1 + LINE * results(self.slice, edge.from).count();
        let half = (below_labels + end.1) / 2;
        Edge {
            curve: format!(
                "M{} {}V{below_labels}C{} {half} {} {half} {} {}",
                start.0, start.1, start.0, end.0, end.0, end.1
            ),
            label: cut(&label(&edge.operand, edge.shape.as_deref()), LONGEST_LABEL),
            x: start.0 + PADDING,
            y: start.1 + LINE * (among_results + 1),
        }
    }
}

/// The edges from a node, by their indices.
fn results(slice: &GraphSlice, node: usize) -> impl Iterator<Item = usize> + '_ {
    slice.edges.iter().enumerate().filter(move |(_, edge)| edge.from == node).map(|(index, _)| index)
}

/// Wide enough for its texts and for the labels below it.
fn node_width(slice: &GraphSlice, node: usize) -> usize {
    let name = slice.nodes[node].name.chars().count().clamp(14, LONGEST_NAME);
    let labels = results(slice, node).map(|index| {
        let edge = &slice.edges[index];
        label(&edge.operand, edge.shape.as_deref()).chars().count().min(LONGEST_LABEL) + 1
    });
    name.max(labels.max().unwrap_or(0)) * CHARACTER + 2 * PADDING
}

/// How far each node is from the first one, by the longest way.
fn depths(slice: &GraphSlice) -> Vec<usize> {
    let mut depths = vec![0; slice.nodes.len()];
    // A way without a circle is no longer than there are nodes.
    for _ in 0..slice.nodes.len() {
        for edge in &slice.edges {
            let depth = (depths[edge.to] + 1).min(slice.nodes.len());
            depths[edge.from] = depths[edge.from].max(depth);
        }
    }
    depths
}

/// The nodes by depth; those of one depth in the order of what takes their results, so that few edges cross.
fn ordered(slice: &GraphSlice, depths: &[usize]) -> Vec<Vec<usize>> {
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let mut layers: Vec<Vec<usize>> = Vec::with_capacity(deepest + 1);
    let mut ranks = vec![0; slice.nodes.len()];
    for depth in 0..=deepest {
        let mut layer: Vec<usize> = (0..slice.nodes.len()).filter(|node| depths[*node] == depth).collect();
        layer.sort_by_key(|node| {
            let taken_by = results(slice, *node).map(|index| ranks[slice.edges[index].to]);
            (taken_by.min().unwrap_or(0), *node)
        });
        layer.iter().enumerate().for_each(|(rank, node)| ranks[*node] = rank);
        if !layer.is_empty() {
            layers.push(layer);
        }
    }
    layers
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// The same without the beginning: of a place, its end says more.
fn cut_before(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most { text.to_owned() } else { "…".chars().chain(text.chars().skip(count - most + 1)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explanation::{SliceEdge, SliceNode};
    use crate::sources::MemorySources;

    fn slice(nodes: usize, edges: &[(usize, usize)]) -> GraphSlice {
        let node = |index| SliceNode { kind: SliceNodeKind::Operation, name: format!("n{index}"), span: None };
        let edge = |&(from, to)| SliceEdge { from, to, operand: format!("x{from}"), shape: None };
        GraphSlice { nodes: (0..nodes).map(node).collect(), edges: edges.iter().map(edge).collect(), is_cut: false }
    }

    #[test]
    fn producers_stand_above_what_takes_their_results() {
        let slice = slice(4, &[(1, 0), (2, 0), (3, 1), (3, 2), (3, 0)]);
        let picture = picture(&slice, &MemorySources::new()).expect("a drawing");
        for edge in &slice.edges {
            assert!(picture.nodes[edge.from].y + NODE_HEIGHT < picture.nodes[edge.to].y);
        }
        let in_frame = |node: &Node| node.x + node.width < picture.width && node.y + node.height < picture.height;
        assert!(picture.nodes.iter().all(in_frame));
        assert_eq!(picture.nodes[1].y, picture.nodes[2].y);
        assert!(picture.nodes[1].x + picture.nodes[1].width < picture.nodes[2].x);
    }

    #[test]
    fn a_circle_ends() {
        assert!(picture(&slice(2, &[(1, 0), (0, 1)]), &MemorySources::new()).is_some());
        assert!(picture(&slice(1, &[]), &MemorySources::new()).is_none());
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!((cut("abcd", 3).as_str(), cut_before("abcd", 3).as_str()), ("ab…", "…cd"));
        assert_eq!((cut("abc", 3).as_str(), cut_before("abc", 3).as_str()), ("abc", "abc"));
    }
}
