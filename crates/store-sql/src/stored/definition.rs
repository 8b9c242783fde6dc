//! Deployed things as rows.

use super::Binder;
use super::table::{Row, row_kind};
use tidemill_model::entity::{
    Form, ProcessDefinition, ProcessXml, Resource, StartEventKind, StartSubscription,
};
use tidemill_store::pack;

impl Row for ProcessDefinition {
    row_kind!(ProcessDefinition);

    const TABLE: &'static str = "process_definitions";
    const COLUMNS: &'static [&'static str] = &[
        "key",
        "tenant",
        "process_id",
        "version",
        "version_tag",
        "name",
        "resource_name",
        "deployment_key",
        "has_start_form",
        "state",
    ];
    const FIXED: &'static [&'static str] = &["tenant", "process_id", "version"];

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.text(self.tenant.as_str());
        binder.text(&self.process_id);
        binder.int(self.version);
        binder.maybe_text(self.version_tag.as_ref());
        binder.maybe_text(self.name.as_ref());
        binder.text(&self.resource_name);
        binder.int(self.deployment.0);
        binder.boolean(self.has_start_form);
        binder.text(self.state.name());
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}

impl Row for ProcessXml {
    row_kind!(ProcessXml);

    const TABLE: &'static str = "process_files";
    const KEY: &'static [&'static str] = &["definition_key"];
    const COLUMNS: &'static [&'static str] = &["definition_key", "xml"];
    const LIVE_COLUMNS: &'static [&'static str] = &[];

    fn key(&self) -> i64 {
        self.definition.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.definition.0);
        binder.text(&self.xml);
    }

    fn bind_live<'r>(&'r self, _: &mut impl Binder<'r>) {}
}

impl Row for Form {
    row_kind!(Form);

    const TABLE: &'static str = "forms";
    const COLUMNS: &'static [&'static str] =
        &["key", "tenant", "form_id", "version", "version_tag", "deployment_key", "is_deleted"];
    const FIXED: &'static [&'static str] = &["tenant", "form_id", "version"];

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.text(self.tenant.as_str());
        binder.text(&self.form_id);
        binder.int(self.version);
        binder.maybe_text(self.version_tag.as_ref());
        binder.int(self.deployment.0);
        binder.boolean(self.is_deleted);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}

impl Row for Resource {
    row_kind!(Resource);

    const TABLE: &'static str = "resources";
    const COLUMNS: &'static [&'static str] = &[
        "key",
        "tenant",
        "resource_id",
        "resource_name",
        "version",
        "version_tag",
        "deployment_key",
        "is_deleted",
    ];
    const FIXED: &'static [&'static str] = &["tenant", "resource_id", "version"];

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.text(self.tenant.as_str());
        binder.text(&self.resource_id);
        binder.text(&self.resource_name);
        binder.int(self.version);
        binder.maybe_text(self.version_tag.as_ref());
        binder.int(self.deployment.0);
        binder.boolean(self.is_deleted);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}

/// As the `kind` column holds it.
pub fn start_kind_name(kind: StartEventKind) -> &'static str {
    match kind {
        StartEventKind::Message => "MESSAGE",
        StartEventKind::Signal => "SIGNAL",
    }
}

impl Row for StartSubscription {
    row_kind!(StartSubscription);

    const TABLE: &'static str = "start_subscriptions";
    const COLUMNS: &'static [&'static str] =
        &["key", "tenant", "definition_key", "process_id", "element_id", "kind", "name", "updated_at"];

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.text(self.tenant.as_str());
        binder.int(self.definition.0);
        binder.text(&self.process_id);
        binder.text(&self.element_id);
        binder.text(start_kind_name(self.kind));
        binder.text(&self.name);
        binder.time(self.updated_at);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}
