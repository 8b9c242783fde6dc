//! Rows into history and timers by arrays and by binary COPY, in a transaction each, taking turns.
//! `cargo run --release -p tidemill-store-postgres --example copy`

use futures_util::{future::try_join3, pin_mut};
use std::time::{Duration, Instant};
use tidemill_store_conformance::postgres::PostgresServer;
use tidemill_store_postgres::{Options, PostgresStore};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls};

const TURN: Duration = Duration::from_millis(500);
const TURNS: usize = 3;
const ROWS: [usize; 5] = [20, 100, 500, 2_000, 10_000];

/// A table with the columns that are given to it.
struct Table {
    name: &'static str,
    columns: &'static [(&'static str, Type)],
}

const VARIABLES: Table = Table {
    name: "variables_history",
    columns: &[
        ("partition_id", Type::INT2),
        ("key", Type::INT8),
        ("instance_key", Type::INT8),
        ("root_key", Type::INT8),
        ("definition_key", Type::INT8),
        ("tenant", Type::TEXT),
        ("scope_key", Type::INT8),
        ("name", Type::TEXT),
        ("value", Type::TEXT),
        ("ended_at", Type::INT8),
    ],
};

const TIMERS: Table = Table {
    name: "timers",
    columns: &[
        ("partition_id", Type::INT2),
        ("due_at", Type::INT8),
        ("key", Type::INT8),
        ("owner_key", Type::INT8),
        ("element_instance", Type::INT8),
        ("data", Type::BYTEA),
    ],
};

#[tokio::main]
async fn main() {
    let server = PostgresServer::start(&["fsync=on"]);
    let options = Options::new(server.url());
    drop(PostgresStore::open(&options).await.expect("opens"));
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.expect("connects");
    tokio::spawn(connection);
    client.batch_execute("SET search_path TO tidemill; SET jit TO off").await.expect("sets");
    let mut next = 1;
    for table in [VARIABLES, TIMERS] {
        for rows in ROWS {
            let (mut arrays, mut copy) = (0.0_f64, 0.0_f64);
            for _ in 0..TURNS {
                arrays = arrays.max(turn(&client, &table, rows, &mut next, false).await);
                copy = copy.max(turn(&client, &table, rows, &mut next, true).await);
            }
            println!(
                "{:18} {rows:6} rows: arrays {arrays:8.0}/s, COPY {copy:8.0}/s, COPY/arrays {:.2}",
                table.name,
                copy / arrays
            );
        }
    }
}

async fn turn(client: &Client, table: &Table, rows: usize, next: &mut i64, copies: bool) -> f64 {
    client.batch_execute(&format!("TRUNCATE {}; CHECKPOINT", table.name)).await.expect("truncates");
    let (began, mut written) = (Instant::now(), 0);
    while began.elapsed() < TURN {
        match copies {
            true => by_copy(client, table, rows, *next).await,
            false => by_arrays(client, table, rows, *next).await,
        }
        *next += rows as i64;
        written += rows;
    }
    written as f64 / began.elapsed().as_secs_f64()
}

fn names(table: &Table) -> String {
    table.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

async fn by_arrays(client: &Client, table: &Table, rows: usize, first: i64) {
    let arrays: Vec<String> =
        table.columns.iter().enumerate().map(|(n, (_, of))| format!("${}::{}[]", n + 1, of.name())).collect();
    let sql =
        format!("INSERT INTO {} ({}) SELECT * FROM unnest({})", table.name, names(table), arrays.join(", "));
    let range = first..first + rows as i64;
    let columns: Vec<Box<dyn ToSql + Sync + Send>> = table
        .columns
        .iter()
        .map(|(name, of)| -> Box<dyn ToSql + Sync + Send> {
            match *of {
                Type::INT2 => Box::new(vec![1_i16; rows]),
                Type::TEXT => Box::new(vec![*name; rows]),
                Type::BYTEA => Box::new(vec![name.as_bytes(); rows]),
                _ => Box::new(range.clone().collect::<Vec<i64>>()),
            }
        })
        .collect();
    let types = table.columns.iter().map(|(_, of)| match *of {
        Type::INT2 => Type::INT2_ARRAY,
        Type::TEXT => Type::TEXT_ARRAY,
        Type::BYTEA => Type::BYTEA_ARRAY,
        _ => Type::INT8_ARRAY,
    });
    let params: Vec<(&(dyn ToSql + Sync), Type)> =
        columns.iter().map(|column| &**column as &(dyn ToSql + Sync)).zip(types).collect();
    let inserting = client.query_typed(&sql, &params);
    try_join3(client.batch_execute("BEGIN"), inserting, client.batch_execute("COMMIT"))
        .await
        .expect("inserts");
}

async fn by_copy(client: &Client, table: &Table, rows: usize, first: i64) {
    client.batch_execute("BEGIN").await.expect("begins");
    let sql = format!("COPY {} ({}) FROM STDIN BINARY", table.name, names(table));
    let sink = client.copy_in(&sql).await.expect("copies");
    let types: Vec<Type> = table.columns.iter().map(|(_, of)| of.clone()).collect();
    let writer = BinaryCopyInWriter::new(sink, &types);
    pin_mut!(writer);
    for key in first..first + rows as i64 {
        let values: Vec<Box<dyn ToSql + Sync + Send>> = table
            .columns
            .iter()
            .map(|(name, of)| -> Box<dyn ToSql + Sync + Send> {
                match *of {
                    Type::INT2 => Box::new(1_i16),
                    Type::TEXT => Box::new(*name),
                    Type::BYTEA => Box::new(name.as_bytes()),
                    _ => Box::new(key),
                }
            })
            .collect();
        writer
            .as_mut()
            .write_raw(values.iter().map(|value| &**value as &(dyn ToSql + Sync)))
            .await
            .expect("writes");
    }
    writer.finish().await.expect("finishes");
    client.batch_execute("COMMIT").await.expect("commits");
}
