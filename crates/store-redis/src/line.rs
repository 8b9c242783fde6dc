//! A connection that comes back by itself. Nothing that was sent is sent again: the caller must know what it asked for.

use crate::error::Failure;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, Pipeline, RedisError, Value};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const CONNECT_LIMIT: Duration = Duration::from_secs(5);

pub(crate) struct Line {
    client: Client,
    /// For answers. Without it a way that was cut without a word would be waited for.
    answer_limit: Duration,
    connection: Mutex<Option<MultiplexedConnection>>,
}

impl Line {
    pub(crate) fn new(client: Client, answer_limit: Duration) -> Line {
        Line { client, answer_limit, connection: Mutex::new(None) }
    }

    pub(crate) async fn ask(&self, command: &Cmd) -> Result<Value, Failure> {
        let mut connection = self.connection().await.map_err(Failure::Unreachable)?;
        self.settled(command.query_async::<Value>(&mut connection).await)
    }

    /// All commands in one transaction: the answers show one state.
    pub(crate) async fn ask_all(&self, mut pipeline: Pipeline) -> Result<Vec<Value>, Failure> {
        self.ask_each(&mut pipeline).await
    }

    pub(crate) async fn ask_each(&self, pipeline: &mut Pipeline) -> Result<Vec<Value>, Failure> {
        if pipeline.is_empty() {
            return Ok(Vec::new());
        }
        pipeline.atomic();
        let mut connection = self.connection().await.map_err(Failure::Unreachable)?;
        self.settled(pipeline.query_async::<Vec<Value>>(&mut connection).await)
    }

    fn settled<T>(&self, answer: Result<T, RedisError>) -> Result<T, Failure> {
        answer.map_err(|error| {
            let is_lost = error.is_io_error() || error.is_unrecoverable_error() || error.is_timeout();
            if !is_lost {
                return Failure::Answered(error);
            }
            *self.slot() = None;
            Failure::Lost(error)
        })
    }

    async fn connection(&self) -> Result<MultiplexedConnection, RedisError> {
        if let Some(connection) = self.slot().clone() {
            return Ok(connection);
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_LIMIT))
            .set_response_timeout(Some(self.answer_limit));
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        *self.slot() = Some(connection.clone());
        Ok(connection)
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<MultiplexedConnection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
