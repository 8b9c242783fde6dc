//! The role that the description of the store names is all that a server needs.

use crate::world::{World, eventually, one_task};
use serde_json::json;
use std::time::SystemTime;
use tidemill_model::{PartitionCount, Timestamp};
use tidemill_store::Maintenance;
use tidemill_store_conformance::postgres::PostgresServer;
use tidemill_store_postgres::{Options, PostgresStore};

const DESCRIPTION: &str = include_str!("../../../store-postgres/README.md");
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The statements that the description tells to run.
fn statements() -> &'static str {
    let (_, block) = DESCRIPTION.split_once("```sql").expect("a block of SQL");
    let (statements, _) = block.split_once("```").expect("it ends");
    assert!(statements.contains("CREATE ROLE tidemill"), "{statements}");
    statements
}

fn tomorrow() -> Timestamp {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
    Timestamp(age.as_millis() as i64 + DAY_MS)
}

fn work(world: &World) {
    let mut server = world.start();
    server.deploy("work.bpmn", &one_task("work", "work"));
    let instances: Vec<String> = (0..20).map(|n| server.create("work", json!({"n": n}))).collect();
    eventually("all are done", || {
        server.activate("work", 20, 100).iter().for_each(|job| server.complete(job));
        instances.iter().all(|instance| server.state(instance) == "COMPLETED")
    });
    server.signal("-TERM");
    server.wait();
}

#[test]
fn the_role_of_the_description_is_enough() {
    let postgres = PostgresServer::shared();
    postgres.psql("postgres", "CREATE DATABASE flows; REVOKE ALL ON DATABASE flows FROM PUBLIC");
    postgres.psql("flows", "REVOKE ALL ON SCHEMA public FROM PUBLIC");
    postgres.psql("flows", statements());
    // Fails where there is no such role.
    postgres.psql(
        "flows",
        "SELECT 1 / count(*) FROM pg_roles WHERE rolname = 'tidemill' \
         AND NOT (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls)",
    );
    let url = postgres.url_of("tidemill", "flows");
    let world = World { schema: "tidemill".to_owned(), store_url: url.clone() };
    // Migrations, instances, days to come.
    work(&world);
    // Days that go.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let partitions = PartitionCount(crate::world::PARTITIONS as u16);
        let store = PostgresStore::open(&Options { partitions, ..Options::new(url) }).await.expect("opens");
        assert_eq!(store.purge_history(tomorrow(), 100).await.expect("drops the day"), 20);
        assert!(store.purge_batches(tomorrow(), 100).await.expect("drops the day") > 0);
    });
    // The same schema again, whose day is gone.
    work(&world);
}
