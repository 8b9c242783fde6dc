//! One connection: statements that stay prepared on it, and many of them sent in one flush.

use super::settings::Settings;
use crate::call::Call;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use tokio_postgres::{Client, Error, Row, Statement};

pub(crate) type Answer = Result<Vec<Row>, Error>;

/// Statements are prepared per connection and stay there: planning again for every commit would cost more than running it.
pub(crate) struct Session {
    pub(crate) client: Client,
    statements: Mutex<HashMap<String, Statement>>,
    settings: Arc<Settings>,
}

/// The result of a flush: one answer per call, and whether the transaction around them was committed.
pub(crate) struct Flushed {
    pub(crate) answers: Vec<Answer>,
    pub(crate) committed: Result<(), Error>,
}

impl Flushed {
    /// The first error that is a cause and not a consequence, with the call it belongs to. After one statement has failed, Postgres answers
    /// all others of the transaction with an error that says nothing.
    pub(crate) fn cause(&mut self) -> Option<(Option<usize>, Error)> {
        let is_cause =
            |error: &Error| error.code() != Some(&tokio_postgres::error::SqlState::IN_FAILED_SQL_TRANSACTION);
        for (n, answer) in self.answers.iter_mut().enumerate() {
            if answer.as_ref().is_err_and(&is_cause) {
                let error = std::mem::replace(answer, Ok(Vec::new())).expect_err("just seen");
                return Some((Some(n), error));
            }
        }
        std::mem::replace(&mut self.committed, Ok(())).err().map(|error| (None, error))
    }

    pub(crate) fn into_rows(mut self) -> Result<Vec<Vec<Row>>, Error> {
        match self.cause() {
            Some((_, error)) => Err(error),
            None => Ok(self.answers.into_iter().map(Result::unwrap_or_default).collect()),
        }
    }
}

impl Session {
    pub(super) fn new(client: Client, settings: Arc<Settings>) -> Session {
        Session { client, statements: Mutex::new(HashMap::new()), settings }
    }

    /// Each call by itself, all in one flush. Behind a pooler they share a transaction, which carries the
    /// settings.
    pub(crate) async fn run(&self, calls: &[Call<'_>]) -> Flushed {
        if self.settings.is_pooled {
            return self.transact("BEGIN", calls, "COMMIT", &[]).await;
        }
        match self.prepare(calls.iter()).await {
            Ok(()) => Flushed { answers: together(self.sendings(calls)).await, committed: Ok(()) },
            Err(error) => Flushed { answers: Vec::new(), committed: Err(error) },
        }
    }

    /// One transaction in one flush. `begin` and `end` can be empty where a transaction spans several flushes;
    /// `after` runs on its own when it is over.
    pub(crate) async fn transact(
        &self,
        begin: &str,
        calls: &[Call<'_>],
        end: &str,
        after: &[Call<'_>],
    ) -> Flushed {
        if let Err(error) = self.prepare(calls.iter().chain(after)).await {
            return Flushed { answers: Vec::new(), committed: Err(error) };
        }
        let begin = match begin {
            "" => String::new(),
            begin => format!("{begin};{}", self.settings.in_transaction),
        };
        let mut sendings: Vec<Sending<'_>> = Vec::with_capacity(calls.len() + after.len() + 2);
        sendings.push(self.plain(&begin));
        sendings.extend(self.sendings(calls));
        sendings.push(self.plain(end));
        sendings.extend(self.sendings(after));
        let mut answers = together(sendings).await;
        // The outcome of the calls behind the end does not matter, because they are hints.
        answers.truncate(calls.len() + 2);
        let ended = answers.pop().expect("the end was sent").map(drop);
        let begun = answers.remove(0).map(drop);
        Flushed { answers, committed: begun.and(ended) }
    }

    fn sendings<'s>(&'s self, calls: &'s [Call<'_>]) -> Vec<Sending<'s>> {
        calls.iter().map(|call| self.sending(call)).collect()
    }

    fn sending<'s>(&'s self, call: &'s Call<'_>) -> Sending<'s> {
        crate::bench::note_statement();
        let statement = self.statements.lock().expect("no holder panics").get(&*call.sql).cloned();
        Box::pin(async move {
            match statement {
                Some(statement) => self.client.query(&statement, &call.values()).await,
                // The types are told with it, which spares the round trip that would ask the server for them.
                None => self.client.query_typed(&call.sql, &call.typed()).await,
            }
        })
    }

    fn plain<'s>(&'s self, sql: &'s str) -> Sending<'s> {
        if !sql.is_empty() {
            crate::bench::note_statement();
        }
        Box::pin(async move {
            if !sql.is_empty() {
                self.client.batch_execute(sql).await?;
            }
            Ok(Vec::new())
        })
    }

    /// Prepares what this connection has not seen yet, in one round trip. A transaction pooler may use another server connection for each
    /// transaction, so nothing is prepared behind one.
    async fn prepare<'c>(&self, calls: impl Iterator<Item = &'c Call<'c>>) -> Result<(), Error> {
        if self.settings.is_pooled {
            return Ok(());
        }
        let mut missing: Vec<&Call<'_>> = Vec::new();
        {
            let known = self.statements.lock().expect("no holder panics");
            for call in calls {
                let is_new =
                    !known.contains_key(&*call.sql) && missing.iter().all(|other| other.sql != call.sql);
                if call.is_prepared && is_new {
                    missing.push(call);
                }
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let types: Vec<_> = missing.iter().map(|call| call.types()).collect();
        let preparing = missing.iter().zip(&types).map(|(call, types)| {
            Box::pin(self.client.prepare_typed(&call.sql, types))
                as Pin<Box<dyn Future<Output = Result<Statement, Error>> + Send + '_>>
        });
        let prepared = together(preparing.collect()).await;
        let mut known = self.statements.lock().expect("no holder panics");
        for (call, statement) in missing.iter().zip(prepared) {
            known.insert(call.sql.to_string(), statement?);
        }
        Ok(())
    }
}

type Sending<'s> = Pin<Box<dyn Future<Output = Answer> + Send + 's>>;

/// Polls all in their order, so that they are sent in this order, and before any of them is waited for.
async fn together<T>(mut futures: Vec<Pin<Box<dyn Future<Output = T> + Send + '_>>>) -> Vec<T> {
    let mut results: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut is_ready = true;
        for (future, result) in futures.iter_mut().zip(&mut results) {
            if result.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *result = Some(value),
                    Poll::Pending => is_ready = false,
                }
            }
        }
        if is_ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.into_iter().map(|result| result.expect("all are ready")).collect()
}
