//! Jobs in workers' hands: handing out, reporting back, leases, and the incidents of jobs.

mod activation;
mod incidents;
mod leases;
mod reports;
#[path = "../support/mod.rs"]
mod support;

use support::ModelBuilder;

/// start -> work (a job) -> end
fn one_job() -> ModelBuilder {
    ModelBuilder::process("p").start("start").service_task("work", |t| t.job_type("work")).end("end")
}
