//! A Tidemill node: the gateway that speaks with clients and the loops that run the partitions.

pub mod broker;
mod clock;
mod cluster;
mod definitions;
mod error_text;
pub mod gateway;
mod machine;
mod metrics;
mod node;
mod partition;
pub mod simulation;
mod telemetry;
pub mod timers;

pub use definitions::{CacheReport, DefinitionCacheConfig, ReportedDefinition, note_allocation};
pub use metrics::{Metrics, serve_metrics};
pub use node::{ClusterConfig, Node, NodeConfig, TimersConfig};
pub use telemetry::{Sampler, Telemetry, TelemetryConfig, export as export_telemetry};
