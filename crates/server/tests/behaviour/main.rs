//! Behaviour that clients depend on beyond the schemas, point by point, against a whole node: gateway,
//! partition loops and an embedded store.

mod asynchronous;
mod bodies;
mod business_ids;
mod cancelled_deliveries;
mod deletion;
mod deployment;
mod elements;
mod errors;
mod fairness;
mod heavy_expressions;
mod idempotency;
mod instances;
mod jobs;
mod large_deployments;
mod lost_partition;
mod messages_signals_clock;
mod models;
mod partitions;
mod restart;
mod search;
mod timer_tenants;
mod timers;
mod user_tasks;
mod world;
