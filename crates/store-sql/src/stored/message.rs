//! Messages, signals and those who wait for them, as rows.

use super::Binder;
use super::table::{End, Row, row_kind};
use tidemill_model::entity::{
    BoxSubscription, Message, MessageCorrelation, MessageStartLock, MessageSubscription, SignalSubscription,
};
use tidemill_store::pack;

impl Row for Message {
    row_kind!(Message);

    const TABLE: &'static str = "messages";
    const COLUMNS: &'static [&'static str] = &["key", "tenant", "name", "correlation_key"];
    const FIXED: &'static [&'static str] = &["tenant", "name", "correlation_key"];

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.text(self.tenant.as_str());
        binder.text(&self.name);
        binder.text(&self.correlation_key);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}

impl Row for BoxSubscription {
    row_kind!(BoxSubscription);

    const TABLE: &'static str = "box_subscriptions";
    const COLUMNS: &'static [&'static str] = &["key", "tenant", "name", "correlation_key"];
    const FIXED: &'static [&'static str] = &["tenant", "name", "correlation_key"];

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.text(self.tenant.as_str());
        binder.text(&self.message_name);
        binder.text(&self.correlation_key);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}

impl Row for MessageStartLock {
    row_kind!(MessageStartLock);

    const TABLE: &'static str = "start_locks";
    const KEY: &'static [&'static str] = &["correlation_key", "process_id", "tenant"];
    const COLUMNS: &'static [&'static str] = Self::KEY;

    fn key(&self) -> i64 {
        self.instance.0
    }

    fn bind_key<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.text(&self.correlation_key);
        binder.text(&self.process_id);
        binder.text(self.tenant.as_str());
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        self.bind_key(binder);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}

impl Row for MessageSubscription {
    row_kind!(MessageSubscription);

    const TABLE: &'static str = "message_subscriptions";
    const COLUMNS: &'static [&'static str] = &[
        "key",
        "instance_key",
        "root_key",
        "definition_key",
        "tenant",
        "element_instance",
        "element_id",
        "message_name",
        "correlation_key",
        "business_id",
        "state",
        "updated_at",
    ];
    const FIXED: &'static [&'static str] = &["instance_key", "root_key", "tenant", "element_instance"];
    const END: End = End::History(&[]);

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.origin(&self.origin);
        binder.int(self.element_instance.0);
        binder.text(&self.target_id);
        binder.text(&self.message_name);
        binder.text(&self.correlation_key);
        binder.maybe_text(self.business_id.as_ref());
        binder.text(self.state.name());
        binder.time(self.updated_at);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}

/// Written once, straight into history.
impl Row for MessageCorrelation {
    row_kind!(MessageCorrelation);

    const TABLE: &'static str = "message_correlations_history";
    const KEY: &'static [&'static str] = &["subscription_key", "message_key"];
    const COLUMNS: &'static [&'static str] = &[
        "subscription_key",
        "message_key",
        "instance_key",
        "root_key",
        "definition_key",
        "tenant",
        "element_instance",
        "element_id",
        "message_name",
        "correlation_key",
        "business_id",
        "correlated_at",
    ];
    const LIVE_COLUMNS: &'static [&'static str] = &[];

    fn key(&self) -> i64 {
        self.subscription.0
    }

    fn bind_key<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.subscription.0);
        binder.int(self.message.0);
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        self.bind_key(binder);
        binder.origin(&self.origin);
        binder.maybe_int(self.element_instance.map(|element| element.0));
        binder.text(&self.element_id);
        binder.text(&self.message_name);
        binder.text(&self.correlation_key);
        binder.maybe_text(self.business_id.as_ref());
        binder.time(self.correlated_at);
    }

    fn bind_live<'r>(&'r self, _: &mut impl Binder<'r>) {}
}

impl Row for SignalSubscription {
    row_kind!(SignalSubscription);

    const TABLE: &'static str = "signal_subscriptions";
    const COLUMNS: &'static [&'static str] =
        &["key", "instance_key", "element_instance", "tenant", "signal_name"];
    const FIXED: &'static [&'static str] = &["instance_key", "element_instance", "tenant", "signal_name"];

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.int(self.origin.instance.0);
        binder.int(self.element_instance.0);
        binder.text(self.origin.tenant.as_str());
        binder.text(&self.signal_name);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}
