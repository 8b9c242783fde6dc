//! Strongly connected components by Tarjan's algorithm, without recursion: chains of elements are long.

/// Every set of nodes that can reach each other. A single node is one too, whether it reaches itself or not.
pub(super) fn components(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        next,
        order: vec![None; next.len()],
        lowest: vec![0; next.len()],
        is_open: vec![false; next.len()],
        open: Vec::new(),
        count: 0,
        found: Vec::new(),
    };
    for node in 0..next.len() {
        if search.order[node].is_none() {
            search.explore(node);
        }
    }
    search.found
}

struct Search<'a> {
    next: &'a [Vec<usize>],
    /// When a node was first seen.
    order: Vec<Option<usize>>,
    /// The earliest open node that it can reach.
    lowest: Vec<usize>,
    is_open: Vec<bool>,
    open: Vec<usize>,
    count: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn explore(&mut self, root: usize) {
        self.enter(root);
        // The way from the root, each node with how many of its followers were looked at.
        let mut way = vec![(root, 0)];
        while let Some((node, looked_at)) = way.last_mut() {
            let node = *node;
            if let Some(follower) = self.next[node].get(*looked_at).copied() {
                *looked_at += 1;
                match self.order[follower] {
                    None => {
                        self.enter(follower);
                        way.push((follower, 0));
                    }
                    Some(order) if self.is_open[follower] => {
                        self.lowest[node] = self.lowest[node].min(order);
                    }
                    Some(_) => {}
                }
                continue;
            }
            way.pop();
            if let Some((parent, _)) = way.last() {
                self.lowest[*parent] = self.lowest[*parent].min(self.lowest[node]);
            }
            if self.order[node] == Some(self.lowest[node]) {
                self.close(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = Some(self.count);
        self.lowest[node] = self.count;
        self.count += 1;
        self.is_open[node] = true;
        self.open.push(node);
    }

    fn close(&mut self, node: usize) {
        let from =
            self.open.iter().rposition(|open| *open == node).expect("a node is open until it is closed");
        let component = self.open.split_off(from);
        component.iter().for_each(|member| self.is_open[*member] = false);
        self.found.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn rounds_are_found_and_chains_are_not() {
        let mut found = components(&[vec![1], vec![2], vec![0, 3], vec![4], vec![4], vec![]]);
        found.iter_mut().for_each(|component| component.sort());
        found.sort();
        assert_eq!(found, [vec![0, 1, 2], vec![3], vec![4], vec![5]]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let next: Vec<Vec<usize>> = (0..1_000_000).map(|n| vec![(n + 1) % 1_000_000]).collect();
        assert_eq!(components(&next).len(), 1);
    }
}
