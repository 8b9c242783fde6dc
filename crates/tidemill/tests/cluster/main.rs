//! Several servers on one Postgres: any of them takes any request, and they take over from each other.

mod operators;
mod requests;
mod takeover;
mod world;
