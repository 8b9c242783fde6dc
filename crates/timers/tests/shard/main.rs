//! The timer shard: a test for each rule of its protocol, and random histories with failures at every commit.

mod deliveries;
mod fired_ids;
mod random;
mod rules;
mod schedules;
mod store;
mod world;
