//! Every kind of task on its normal way, interrupted, failed and resolved, and cancelled.

mod jobs;
mod straight;
#[path = "../support/mod.rs"]
mod support;
mod user_tasks;
