//! Scenarios of the core of a partition: given, when, then. The test decides what the store answers, when, and in which order.

mod awaiting;
mod deployments;
mod failures;
mod fairness;
mod jobs;
mod late_answers;
mod limits;
mod order;
mod random;
mod rejections;
mod stop;
#[path = "../support/mod.rs"]
mod support;
mod suspects;
mod time;
mod timers;
mod unreadable;
