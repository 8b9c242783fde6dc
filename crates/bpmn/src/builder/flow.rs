//! Sequence flows: where the path goes on, and under which condition.

use super::{FlowLine, ModelBuilder};

impl ModelBuilder {
    /// The path goes on from an element that was added before.
    pub fn move_to(mut self, id: &str) -> ModelBuilder {
        self.last = Some(self.index_of(id));
        self
    }

    /// The path ends in an element that is there or will be added later.
    pub fn connect_to(mut self, id: &str) -> ModelBuilder {
        let last = self.last.take().expect("a path to connect");
        let source = self.elements[last].id.clone();
        self.add_flow(&source, id);
        self
    }

    /// A flow between any two elements; the path is not moved.
    pub fn connect(mut self, from: &str, to: &str) -> ModelBuilder {
        self.add_flow(from, to);
        self
    }

    /// A condition for the next flow.
    pub fn when(mut self, condition: &str) -> ModelBuilder {
        self.condition = Some(condition.to_string());
        self
    }

    /// The next flow is the default of the gateway that it leaves.
    pub fn otherwise(mut self) -> ModelBuilder {
        self.is_default = true;
        self
    }

    pub(super) fn add_flow(&mut self, from: &str, to: &str) {
        let plain = format!("f_{from}_{to}");
        let twins = self.flows.iter().filter(|flow| flow.source == from && flow.target == to).count();
        let id = if twins == 0 { plain } else { format!("{plain}_{}", twins + 1) };
        let source = self.index_of(from);
        if std::mem::take(&mut self.is_default) {
            self.elements[source].attributes.push(("default", id.clone()));
        }
        self.flows.push(FlowLine {
            id,
            scope: self.elements[source].scope.expect("a flow starts inside a process"),
            source: from.to_string(),
            target: to.to_string(),
            condition: self.condition.take(),
        });
    }
}
