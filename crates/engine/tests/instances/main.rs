//! Instances and the definitions they come from: creation, cancellation, deployment, deletion.

mod creation;
mod deletion;
mod deployment;
mod large_deployments;
mod rounds;
#[path = "../support/mod.rs"]
mod support;
