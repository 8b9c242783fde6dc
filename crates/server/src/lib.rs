//! A Tidemill node: the gateway that speaks with clients and the loops that run the partitions.

pub mod broker;
mod clock;
mod cluster;
pub mod gateway;
mod node;
mod partition;

pub use node::{ClusterConfig, Node, NodeConfig};
