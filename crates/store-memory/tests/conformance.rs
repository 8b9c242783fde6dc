//! The store in memory passes the suite.

use async_trait::async_trait;
use std::sync::Arc;
use tidemill_model::PartitionCount;
use tidemill_store::Store;
use tidemill_store_conformance::{Place, conformance_tests};
use tidemill_store_memory::Memory;

struct InMemory(Memory);

#[async_trait]
impl Place for InMemory {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.0.open())
    }
}

fn memory(partitions: u16) -> InMemory {
    InMemory(Memory::new(PartitionCount(partitions)))
}

conformance_tests!(memory);
