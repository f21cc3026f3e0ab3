//! The minimal assumption sets of the nodes of a [derivation graph](crate::derivation_graph), component by component.
//!
//! A row is there if something shows it: in a cycle of rows that give each other, the least solution. A row does not come if each way to
//! it lacks something: in a cycle of rows that could only come of each other, the greatest solution. As negation is stratified, no cycle
//! has both.

use crate::antichain::Antichain;
use crate::derivation_graph::{Formula, NodeId, Supports, Token};

impl Supports {
    /// Computes the sets of the nodes from `first` on, which nothing before depends on.
    pub fn solve(&mut self, first: NodeId) {
        for component in components(self, first) {
            match *component {
                [node] if !self.children(node).contains(&node) => _ = self.update(node),
                _ => self.solve_cycle(&component, first),
            }
        }
    }

    fn children(&self, node: NodeId) -> &[NodeId] {
        match &self.nodes[node].formula {
            Formula::Leaf => &[],
            Formula::Any(children) | Formula::All(children) => children,
        }
    }

    /// Nodes that depend on each other, and of what they depend on otherwise the sets are known.
    fn solve_cycle(&mut self, component: &[NodeId], first: NodeId) {
        let is_absence = component.iter().any(|node| self.nodes[*node].is_absence);
        if is_absence {
            component.iter().for_each(|node| self.nodes[*node].sets = Antichain::truth());
        }
        // With cut antichains the order of arrival could matter forever; this many rounds settle all but contrived graphs.
        for _ in 0..200 {
            let mut changed = false;
            for node in component {
                changed |= self.update(*node);
            }
            if !changed {
                return;
            }
        }
        let all = is_absence.then(|| self.all_tokens(first));
        for node in component {
            self.nodes[*node].truncated = true;
            if let Some(all) = &all {
                self.nodes[*node].sets = Antichain::of(all.clone());
            }
        }
    }

    /// Every assumption that a question has met: under all of them, what is absent today is.
    fn all_tokens(&self, first: NodeId) -> Vec<Token> {
        let leaves = self.nodes[first..].iter().filter(|node| matches!(node.formula, Formula::Leaf));
        leaves.flat_map(|node| node.sets.sets().iter().flatten().copied()).collect()
    }

    /// Computes a node's sets from its children's; whether that changed something.
    fn update(&mut self, node: NodeId) -> bool {
        let Some((sets, truncated)) = self.evaluate(node) else { return false };
        let truncated = truncated || self.nodes[node].truncated;
        let changed = sets != self.nodes[node].sets || truncated != self.nodes[node].truncated;
        self.nodes[node].sets = sets;
        self.nodes[node].truncated = truncated;
        changed
    }
}

/// The strongly connected components of the nodes from `first` on, each behind those that it depends on (Tarjan 1972, without recursion).
fn components(supports: &Supports, first: NodeId) -> Vec<Vec<NodeId>> {
    const UNSEEN: usize = usize::MAX;
    let count = supports.nodes.len() - first;
    let (mut number, mut low) = (vec![UNSEEN; count], vec![0; count]);
    let mut is_open = vec![false; count];
    let (mut open, mut found) = (Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..count {
        if number[root] != UNSEEN {
            continue;
        }
        // A node, and how many of its children have been visited.
        let mut path = vec![(root, 0)];
        while let Some((at, visited)) = path.last_mut() {
            let at = *at;
            if *visited == 0 {
                (number[at], low[at], is_open[at]) = (next, next, true);
                open.push(at);
                next += 1;
            }
            let child = supports.children(first + at).get(*visited).copied();
            *visited += 1;
            match child {
                Some(child) if child < first => {}
                Some(child) if number[child - first] == UNSEEN => path.push((child - first, 0)),
                Some(child) if is_open[child - first] => low[at] = low[at].min(number[child - first]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        low[*parent] = low[*parent].min(low[at]);
                    }
                    if low[at] == number[at] {
                        let from = open.iter().rposition(|node| *node == at).expect("an open node is on the stack");
                        let component: Vec<NodeId> = open.split_off(from);
                        component.iter().for_each(|node| is_open[*node] = false);
                        found.push(component.into_iter().map(|node| first + node).collect());
                    }
                }
            }
        }
    }
    found
}
