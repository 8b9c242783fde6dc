//! A Tidemill node: the gateway that speaks with clients and the loops that run the partitions.

pub mod broker;
mod clock;
mod cluster;
mod error_text;
pub mod gateway;
mod machine;
mod node;
mod partition;
pub mod simulation;
pub mod timers;

pub use node::{ClusterConfig, Node, NodeConfig, TimersConfig};
