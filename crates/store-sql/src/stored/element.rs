//! What an instance consists of, as rows: elements, variables, incidents, loops.

use super::Binder;
use super::table::{End, Row, row_kind};
use tidemill_model::entity::{ElementInstance, Incident, LoopInput, LoopOutput, Variable};
use tidemill_store::pack;
use tidemill_store::view::{error_hash, state_name};

impl Row for ElementInstance {
    row_kind!(ElementInstance);

    const TABLE: &'static str = "element_instances";
    const COLUMNS: &'static [&'static str] = &[
        "key",
        "instance_key",
        "root_key",
        "definition_key",
        "tenant",
        "parent_key",
        "element_id",
        "kind",
        "state",
        "incident_key",
        "has_incident",
        "started_at",
    ];
    const FIXED: &'static [&'static str] =
        &["instance_key", "root_key", "tenant", "parent_key", "started_at"];
    const END: End = End::History(&["ended_at"]);

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.origin(&self.origin);
        binder.int(self.parent.0);
        binder.text(&self.element_id);
        binder.text(self.kind.name());
        binder.text(state_name(self.state));
        binder.maybe_int(self.incident.map(|incident| incident.0));
        binder.boolean(self.incident.is_some() || self.called_incidents > 0);
        binder.time(self.started_at);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }

    fn bind_end<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.time(self.ended_at.unwrap_or(self.started_at));
    }
}

impl Row for Variable {
    row_kind!(Variable);

    const TABLE: &'static str = "variables";
    const COLUMNS: &'static [&'static str] =
        &["key", "instance_key", "root_key", "definition_key", "tenant", "scope_key", "name", "value"];
    const FIXED: &'static [&'static str] = &["instance_key", "root_key", "tenant", "scope_key", "name"];
    const LIVE_COLUMNS: &'static [&'static str] = &[];
    const END: End = End::History(&[]);

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        let Variable { key, origin, scope, name, value } = self;
        binder.int(key.0);
        binder.origin(origin);
        binder.int(scope.0);
        binder.text(name);
        binder.text(value.as_str());
    }

    fn bind_live<'r>(&'r self, _: &mut impl Binder<'r>) {}
}

impl Row for Incident {
    row_kind!(Incident);

    const TABLE: &'static str = "incidents";
    const COLUMNS: &'static [&'static str] = &[
        "key",
        "instance_key",
        "root_key",
        "definition_key",
        "tenant",
        "element_instance",
        "element_id",
        "kind",
        "message",
        "message_hash",
        "job_key",
        "state",
        "created_at",
    ];
    const FIXED: &'static [&'static str] = &["instance_key", "root_key", "tenant", "element_instance"];
    const END: End = End::History(&["ended_at"]);

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.origin(&self.origin);
        binder.int(self.element_instance.0);
        binder.text(&self.element_id);
        binder.text(self.kind.name());
        binder.text(&self.message);
        binder.int(error_hash(&self.message));
        binder.maybe_int(self.job.map(|job| job.0));
        binder.text(self.state.name());
        binder.time(self.created_at);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }

    fn bind_end<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.time(self.ended_at.unwrap_or(self.created_at));
    }
}

impl Row for LoopInput {
    row_kind!(LoopInput);

    const TABLE: &'static str = "loop_inputs";
    const KEY: &'static [&'static str] = &["body_key"];
    const COLUMNS: &'static [&'static str] = &["body_key", "instance_key"];
    const FIXED: &'static [&'static str] = &["instance_key"];

    fn key(&self) -> i64 {
        self.body.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.body.0);
        binder.int(self.origin.instance.0);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}

impl Row for LoopOutput {
    row_kind!(LoopOutput);

    const TABLE: &'static str = "loop_outputs";
    const KEY: &'static [&'static str] = &["instance_key", "body_key", "loop_counter"];
    const COLUMNS: &'static [&'static str] = Self::KEY;

    fn key(&self) -> i64 {
        self.body.0
    }

    fn bind_key<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.origin.instance.0);
        binder.int(self.body.0);
        binder.int(self.loop_counter);
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        self.bind_key(binder);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}
