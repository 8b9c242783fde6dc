//! Process instances as rows.

use super::Binder;
use super::table::{End, Row, row_kind};
use tidemill_model::entity::ProcessInstance;
use tidemill_store::{pack, view::state_name};

impl Row for ProcessInstance {
    row_kind!(ProcessInstance);

    const TABLE: &'static str = "process_instances";
    const COLUMNS: &'static [&'static str] = &[
        "key",
        "root_key",
        "definition_key",
        "tenant",
        "parent_key",
        "parent_element",
        "state",
        "has_incident",
        "started_at",
        "business_id",
        "tags",
        "flows",
    ];
    const FIXED: &'static [&'static str] =
        &["root_key", "tenant", "parent_key", "parent_element", "started_at"];
    const END: End = End::History(&["ended_at"]);

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.int(self.root.0);
        binder.int(self.definition.0);
        binder.text(self.tenant.as_str());
        binder.maybe_int(self.parent.map(|parent| parent.instance.0));
        binder.maybe_int(self.parent.map(|parent| parent.element.0));
        binder.text(state_name(self.state));
        binder.boolean(self.incidents > 0);
        binder.time(self.started_at);
        binder.maybe_text(self.business_id.as_ref());
        binder.texts(&self.tags);
        binder.bytes(pack(&self.flows_taken));
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }

    fn bind_end<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.time(self.ended_at.unwrap_or(self.started_at));
    }
}
