//! Scopes: subprocesses, called processes and multi-instance bodies.

mod call_activities;
mod multi_instance;
mod sub_processes;
#[path = "../support/mod.rs"]
mod support;
