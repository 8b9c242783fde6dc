//! A Tidemill node: the gateway that speaks with clients and the loops that run the partitions.

pub mod broker;
pub mod gateway;
