//! Work as rows: jobs, leases, user tasks.

use super::Binder;
use super::table::{End, Row, row_kind};
use tidemill_model::entity::{Job, JobLease, JobState, UserTask};
use tidemill_store::pack;

impl Row for Job {
    row_kind!(Job);

    const TABLE: &'static str = "jobs";
    const COLUMNS: &'static [&'static str] = &[
        "key",
        "instance_key",
        "root_key",
        "definition_key",
        "tenant",
        "element_instance",
        "element_id",
        "kind",
        "job_type",
        "state",
        "retries",
        "priority",
        "headers",
        "worker",
        "deadline",
        "error_code",
        "error_message",
        "has_failed_with_retries_left",
        "business_id",
        "created_at",
        "updated_at",
    ];
    const FIXED: &'static [&'static str] =
        &["instance_key", "root_key", "tenant", "element_instance", "kind", "created_at"];
    const LIVE_COLUMNS: &'static [&'static str] = &["is_waiting", "lease_key", "lease_floor", "data"];
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
        binder.text(&self.job_type);
        binder.text(self.last_event.name());
        binder.int(self.retries);
        binder.int(self.priority);
        binder.maybe_json(self.headers.as_ref());
        binder.maybe_text(self.lease.as_ref().map(|lease| &lease.worker));
        binder.maybe_time(self.lease.as_ref().map(|lease| lease.deadline));
        binder.maybe_text(self.error_code.as_ref());
        binder.maybe_text(self.error_message.as_ref());
        binder.boolean(self.has_failed_with_retries_left);
        binder.maybe_text(self.business_id.as_ref());
        binder.time(self.created_at);
        binder.time(self.updated_at);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        let own_lease = self.lease.as_ref().map(|lease| lease.key.0);
        let released = self.released.map(|lease| lease.0);
        binder.boolean(self.state == JobState::Waiting);
        binder.maybe_int(own_lease);
        binder.int(own_lease.max(released).unwrap_or_default());
        binder.bytes(pack(self));
    }

    fn bind_end<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.time(self.ended_at.unwrap_or(self.updated_at));
    }
}

impl Row for JobLease {
    row_kind!(JobLease);

    const TABLE: &'static str = "job_leases";
    const COLUMNS: &'static [&'static str] = &["key", "worker", "deadline", "jobs"];

    fn key(&self) -> i64 {
        self.lease.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        let held = self.jobs.iter().filter(|job| !self.released.contains(job));
        let jobs: Vec<String> = held.map(|job| job.0.to_string()).collect();
        binder.int(self.lease.key.0);
        binder.text(&self.lease.worker);
        binder.time(self.lease.deadline);
        binder.maybe_cow(Some(format!("[{}]", jobs.join(",")).into()));
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }
}

impl Row for UserTask {
    row_kind!(UserTask);

    const TABLE: &'static str = "user_tasks";
    const COLUMNS: &'static [&'static str] = &[
        "key",
        "instance_key",
        "root_key",
        "definition_key",
        "tenant",
        "element_instance",
        "element_id",
        "name",
        "state",
        "assignee",
        "candidate_users",
        "candidate_groups",
        "due_at",
        "follow_up_at",
        "priority",
        "form_key",
        "external_form_reference",
        "headers",
        "business_id",
        "tags",
        "created_at",
    ];
    const FIXED: &'static [&'static str] =
        &["instance_key", "root_key", "tenant", "element_instance", "created_at"];
    const END: End = End::History(&["ended_at"]);

    fn key(&self) -> i64 {
        self.key.0
    }

    fn bind<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.int(self.key.0);
        binder.origin(&self.origin);
        binder.int(self.element_instance.0);
        binder.text(&self.element_id);
        binder.maybe_text(self.name.as_ref());
        binder.text(self.state.name());
        binder.maybe_text(self.assignee.as_ref());
        binder.texts(&self.candidate_users);
        binder.texts(&self.candidate_groups);
        binder.maybe_time(self.due_at);
        binder.maybe_time(self.follow_up_at);
        binder.int(self.priority);
        binder.maybe_int(self.form.map(|form| form.0));
        binder.maybe_text(self.external_form_reference.as_ref());
        binder.maybe_json(self.headers.as_ref());
        binder.maybe_text(self.business_id.as_ref());
        binder.texts(&self.tags);
        binder.time(self.created_at);
    }

    fn bind_live<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.bytes(pack(self));
    }

    fn bind_end<'r>(&'r self, binder: &mut impl Binder<'r>) {
        binder.time(self.ended_at.unwrap_or(self.created_at));
    }
}
