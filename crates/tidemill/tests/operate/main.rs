//! Operators rely on these: backups that can be restored, a role that may do no more than it must,
//! administration from elsewhere.

mod administration;
mod backup;
mod passwords;
mod redis;
mod role;
#[path = "../cluster/world.rs"]
#[allow(dead_code, reason = "the tests of many servers use more of it")]
mod world;
