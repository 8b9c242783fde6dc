//! Work as rows: jobs, leases, user tasks.

use super::table::stored;
use tidemill_model::entity::{Job, JobLease, JobState, UserTask};
use tidemill_store::pack;

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
        "worker" = row.lease.as_ref().map(|lease| &lease.worker),
        "deadline" = row.lease.as_ref().map(|lease| lease.deadline),
        "error_code" = row.error_code.as_ref(),
        "error_message" = row.error_message.as_ref(),
        "has_failed_with_retries_left" = row.has_failed_with_retries_left,
        "business_id" = row.business_id.as_ref(),
        "updated_at" = row.updated_at,
    }
    live {
        "is_waiting" = row.state == JobState::Waiting,
        "lease_key" = own_lease(row),
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

fn own_lease(job: &Job) -> Option<i64> {
    job.lease.as_ref().map(|lease| lease.key.0)
}

/// A JSON array of keys.
fn held_jobs(lease: &JobLease) -> String {
    let held = lease.jobs.iter().filter(|job| !lease.released.contains(job));
    let jobs: Vec<String> = held.map(|job| job.0.to_string()).collect();
    format!("[{}]", jobs.join(","))
}
