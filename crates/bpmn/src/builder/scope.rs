//! Gateways, subprocesses and event subprocesses.

use super::ModelBuilder;

impl ModelBuilder {
    pub fn exclusive(self, id: &str) -> ModelBuilder {
        self.next("exclusiveGateway", id)
    }

    pub fn parallel(self, id: &str) -> ModelBuilder {
        self.next("parallelGateway", id)
    }

    pub fn inclusive(self, id: &str) -> ModelBuilder {
        self.next("inclusiveGateway", id)
    }

    pub fn event_based(self, id: &str) -> ModelBuilder {
        self.next("eventBasedGateway", id)
    }

    /// An embedded subprocess; the path goes on behind it. For its options: `with_element`.
    pub fn sub_process(self, id: &str, inside: impl FnOnce(ModelBuilder) -> ModelBuilder) -> ModelBuilder {
        let mut builder = self.next("subProcess", id);
        let index = builder.elements.len() - 1;
        builder = builder.inside(index, inside);
        builder.last = Some(index);
        builder
    }

    /// An event subprocess of the scope that is open; the path goes on where it was.
    pub fn event_sub_process(
        mut self,
        id: &str,
        inside: impl FnOnce(ModelBuilder) -> ModelBuilder,
    ) -> ModelBuilder {
        let last = self.last;
        let index = self.push("subProcess", id);
        self = self.attribute("triggeredByEvent", "true");
        let mut builder = self.inside(index, inside);
        builder.last = last;
        builder
    }

    fn inside(mut self, scope: usize, inside: impl FnOnce(ModelBuilder) -> ModelBuilder) -> ModelBuilder {
        self.scopes.push(scope);
        self.last = None;
        let mut builder = inside(self);
        builder.scopes.pop();
        builder
    }
}
