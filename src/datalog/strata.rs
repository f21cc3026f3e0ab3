//! The order in which rules are evaluated: relations that depend on each other form one stratum, and no stratum negates
//! itself.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::rule::{RelationId, RelationInfo, Rule, Use, uses};
use super::source::{Place, Problem};

/// Relations that are evaluated together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Stratum {
    pub relations: Vec<RelationId>,
    /// Rules whose heads are among the relations, by number.
    pub rules: Vec<usize>,
    /// Whether some rule uses a relation of the stratum itself.
    pub recursive: bool,
}

struct Edge {
    to: usize,
    how: Use,
    place: Place,
}

/// The strata, each after those that it depends on.
pub(super) fn stratify(relations: &[RelationInfo], rules: &[Rule], problems: &mut Vec<Problem>) -> Vec<Stratum> {
    let mut edges: Vec<Vec<Edge>> = (0..relations.len()).map(|_| Vec::new()).collect();
    for rule in rules {
        uses(&rule.body, &mut |relation, how, place| {
            edges[rule.head.index()].push(Edge { to: relation.index(), how, place });
        });
    }
    let component_of = components(&edges);
    let count = component_of.iter().max().map_or(0, |last| last + 1);
    let mut strata: Vec<Stratum> =
        (0..count).map(|_| Stratum { relations: Vec::new(), rules: Vec::new(), recursive: false }).collect();
    for (relation, component) in component_of.iter().enumerate() {
        strata[*component].relations.push(RelationId(relation as u32));
        strata[*component].recursive |= edges[relation].iter().any(|edge| component_of[edge.to] == *component);
    }
    for (number, rule) in rules.iter().enumerate() {
        strata[component_of[rule.head.index()]].rules.push(number);
    }
    let mut reported = vec![false; count];
    for (from, outgoing) in edges.iter().enumerate() {
        for edge in outgoing {
            let component = component_of[from];
            if edge.how != Use::Positive && component_of[edge.to] == component && !reported[component] {
                reported[component] = true;
                problems.push(cycle(relations, &edges, &component_of, from, edge));
            }
        }
    }
    strata
}

/// Tarjan's algorithm with a stack of its own; components are numbered after those that they reach.
fn components(edges: &[Vec<Edge>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let count = edges.len();
    let (mut order, mut low, mut component) = (vec![UNSEEN; count], vec![0; count], vec![UNSEEN; count]);
    let (mut next_order, mut next_component) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    for root in 0..count {
        if order[root] != UNSEEN {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, edge)) = path.pop() {
            if edge == 0 {
                order[node] = next_order;
                low[node] = next_order;
                next_order += 1;
                open.push(node);
            } else {
                let child = edges[node][edge - 1].to;
                low[node] = low[node].min(low[child]);
            }
            let mut at = edge;
            let mut descend = None;
            while let Some(Edge { to, .. }) = edges[node].get(at) {
                at += 1;
                if order[*to] == UNSEEN {
                    descend = Some(*to);
                    break;
                }
                if component[*to] == UNSEEN {
                    low[node] = low[node].min(order[*to]);
                }
            }
            if let Some(child) = descend {
                path.push((node, at));
                path.push((child, 0));
                continue;
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
}

/// Of a longer cycle the middle is left out.
const LONGEST_CYCLE: usize = 12;

/// The problem of a relation that depends on its own absence, with the shortest way around.
fn cycle(relations: &[RelationInfo], edges: &[Vec<Edge>], component_of: &[usize], from: usize, edge: &Edge) -> Problem {
    let name = |relation: usize| relations[relation].name.as_str();
    let mut reached: Vec<Option<(usize, Place)>> = vec![None; relations.len()];
    let mut queue = VecDeque::from([edge.to]);
    while let Some(node) = queue.pop_front() {
        for next in &edges[node] {
            let inside = component_of[next.to] == component_of[from];
            if inside && next.to != edge.to && reached[next.to].is_none() {
                reached[next.to] = Some((node, next.place));
                queue.push_back(next.to);
            }
        }
    }
    let mut steps = Vec::new();
    let mut at = from;
    while at != edge.to {
        let Some((before, place)) = reached[at] else { break };
        steps.push((before, at, place));
        at = before;
    }
    steps.reverse();
    let how = if edge.how == Use::Negated { "the absence of" } else { "an aggregate over" };
    let mut names = vec![name(from), name(edge.to)];
    names.extend(steps.iter().map(|(_, to, _)| name(*to)));
    if names.len() > LONGEST_CYCLE {
        let middle = names.len() - LONGEST_CYCLE + 1;
        names.splice(LONGEST_CYCLE / 2..LONGEST_CYCLE / 2 + middle, ["…"]);
    }
    steps.truncate(LONGEST_CYCLE);
    let message = format!("`{}` depends on {how} `{}`, which depends on `{}`", name(from), name(edge.to), name(from));
    let message = if from == edge.to { format!("`{}` depends on {how} itself", name(from)) } else { message };
    let mut problem = Problem::error(edge.place, message, format!("the cycle is {}", names.join(" → ")))
        .hint("break the cycle: what is negated or aggregated must be complete before");
    for (before, after, place) in steps {
        problem = problem.note(place, format!("`{}` needs `{}`", name(before), name(after)));
    }
    problem
}
