//! Work as rows: jobs, leases, user tasks.

use crate::stored::table::stored;
use crate::table::{search_table, side_of_end, side_of_state};
use crate::{Column, Dialect, Side};
use tidemill_model::entity::{Job, JobLease, JobState, UserTask};
use tidemill_model::{Text, Timestamp};
use tidemill_store::pack;
use tidemill_store::query::Test;
use tidemill_store::view::{JobField, JobView, UserTaskField, UserTaskView};

stored! { Job, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "instance_key" = row.origin.instance.0,
        "root_key" = row.origin.root.0,
        "tenant" = &row.origin.tenant,
        "element_instance" = row.element_instance.0,
        "kind" = row.kind.name(),
        "created_at" = row.created_at,
    }
    changing {
        "definition_key" = row.origin.definition.0,
        "element_id" = &row.element_id,
        "job_type" = &row.job_type,
        "state" = row.last_event.name(),
        "retries" = row.retries,
        "priority" = row.priority,
        "headers" = row.headers.as_ref(),
        "worker" = shown_worker(row),
        "deadline" = shown_deadline(row),
        "error_code" = row.error_code.as_ref(),
        "error_message" = row.error_message.as_ref(),
        "has_failed_with_retries_left" = row.has_failed_with_retries_left,
        "business_id" = row.business_id.as_ref(),
        "updated_at" = row.updated_at,
    }
    live {
        // The partial index of jobs to hand out has this condition. Jobs under a lease pass it too; the
        // engine, which knows all leases, leaves those out.
        "is_waiting" = row.state == JobState::Waiting,
        "lease_key" = own_lease(row),
        // A lease row that is not above this number no longer holds the job. SQL must be able to tell without unpacking `data`.
        "lease_floor" = own_lease(row).max(row.released.map(|lease| lease.0)).unwrap_or_default(),
        "data" = pack(row),
    }
    ended {
        "ended_at" = row.ended_at.unwrap_or(row.updated_at),
    }
}

stored! { JobLease, |row|
    key {
        "key" = row.lease.key.0,
    }
    changing {
        "worker" = &row.lease.worker,
        "deadline" = row.lease.deadline,
        "jobs" = held_jobs(row),
    }
    live {
        "data" = pack(row),
    }
}

stored! { UserTask, |row|
    key {
        "key" = row.key.0,
    }
    fixed {
        "instance_key" = row.origin.instance.0,
        "root_key" = row.origin.root.0,
        "tenant" = &row.origin.tenant,
        "element_instance" = row.element_instance.0,
        "created_at" = row.created_at,
    }
    changing {
        "definition_key" = row.origin.definition.0,
        "element_id" = &row.element_id,
        "name" = row.name.as_ref(),
        "state" = row.state.name(),
        "assignee" = row.assignee.as_ref(),
        "candidate_users" = &row.candidate_users[..],
        "candidate_groups" = &row.candidate_groups[..],
        "due_at" = row.due_at,
        "follow_up_at" = row.follow_up_at,
        "priority" = row.priority,
        "form_key" = row.form.map(|form| form.0),
        "external_form_reference" = row.external_form_reference.as_ref(),
        "headers" = row.headers.as_ref(),
        "business_id" = row.business_id.as_ref(),
        "tags" = &row.tags[..],
    }
    live {
        "data" = pack(row),
    }
    ended {
        "ended_at" = row.ended_at.unwrap_or(row.created_at),
    }
}

/// Of the lease that holds it, or held it last.
fn shown_worker(job: &Job) -> Option<&Text> {
    let held = job.lease.as_ref().map(|lease| &lease.worker);
    held.or(job.last_held.as_ref().map(|last| &last.worker))
}

fn shown_deadline(job: &Job) -> Option<Timestamp> {
    let held = job.lease.as_ref().map(|lease| lease.deadline);
    held.or(job.last_held.as_ref().map(|last| last.deadline))
}

fn own_lease(job: &Job) -> Option<i64> {
    job.lease.as_ref().map(|lease| lease.key.0)
}

/// A JSON array of keys. Jobs that it has released are left out: a search that found one there would show the wrong worker.
fn held_jobs(lease: &JobLease) -> String {
    let held = lease.jobs.iter().filter(|job| !lease.released.contains(job));
    let jobs: Vec<String> = held.map(|job| job.0.to_string()).collect();
    format!("[{}]", jobs.join(","))
}

/// The newer of the job's own lease and the one that stands in a lease row; what is not above the floor is over.
const WORKER: Column = Column::Sides {
    live: "CASE WHEN l.lease_key > {t}.lease_floor THEN l.worker ELSE {t}.worker END",
    history: "{t}.worker",
};
const DEADLINE: Column = Column::Sides {
    live: "CASE WHEN l.lease_key > {t}.lease_floor THEN l.deadline ELSE {t}.deadline END",
    history: "{t}.deadline",
};

search_table! {
    JobField: JobView of Job {
        key, instance, root, definition, process_id = Column::Definition("process_id"), tenant,
        element_instance, element_id, kind, job_type, state, retries, priority, headers,
        worker = WORKER, deadline = DEADLINE, error_code, error_message, has_failed_with_retries_left,
        business_id, created_at, updated_at, ended_at,
    }
    also {
        // Handing out jobs writes one lease row and not every job, so searches put the two together.
        fn live_join(dialect: &dyn Dialect) -> String {
            format!(" LEFT JOIN {} l ON l.job_key = t.key", dialect.job_leases())
        }

        fn is_joined(self) -> bool {
            matches!(self, Self::Worker | Self::Deadline)
        }

        fn side_of(self, test: &Test) -> Option<Side> {
            match self {
                Self::State => {
                    side_of_state(test, &["CREATED", "FAILED", "TIMED_OUT"], &["COMPLETED", "CANCELED"])
                }
                Self::EndTime => side_of_end(test),
                _ => None,
            }
        }
    }
}

search_table! {
    UserTaskField: UserTaskView of UserTask {
        key, instance, root, definition, process_id = Column::Definition("process_id"), tenant,
        process_name = Column::Definition("name"), version = Column::Definition("version"),
        element_instance, element_id, name, state, assignee, candidate_users, candidate_groups,
        due_at, follow_up_at, priority, form, external_form_reference, headers, business_id, tags,
        created_at, ended_at,
    }
    also {
        fn side_of(self, test: &Test) -> Option<Side> {
            const LIVE: &[&str] =
                &["CREATING", "CREATED", "ASSIGNING", "UPDATING", "COMPLETING", "CANCELING", "FAILED"];
            match self {
                Self::State => side_of_state(test, LIVE, &["COMPLETED", "CANCELED"]),
                Self::CompletionDate => side_of_end(test),
                _ => None,
            }
        }
    }
}
