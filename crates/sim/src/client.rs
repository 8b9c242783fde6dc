//! A user's way to a node: requests take their time, and some of them, or of their answers, get lost.

use crate::operator::{self, Excuse};
use crate::world::World;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::{Rejection, Text};
use tidemill_server::Node;
use tidemill_server::broker::{CommandError, CommandOptions, Idempotency};
use tokio::sync::oneshot;

/// A command that was in hand at deaths is refused for so long.
const REFUSED_FOR_MS: u64 = 11 * 60 * 1_000;

/// The outcome of a request.
#[derive(Debug)]
pub(crate) enum Outcome<T> {
    Answered(T),
    Refused(Rejection),
    /// It was put aside, because it was in hand when owners of its partition died. It can be sent again later.
    PutAside,
    /// The owner is of an older version and cannot read the definition. It has had no effect and will have none.
    Unreadable,
    /// It surely was not run.
    NotRun,
    /// Nobody knows whether it was run.
    Unknown,
    /// The instance was created and goes on.
    GoesOn(tidemill_model::ProcessInstanceKey),
}

type Asked<T> = BoxFuture<'static, Result<T, CommandError>>;

/// Sends a request to some node.
pub(crate) async fn send<T: Send + 'static>(
    world: &Arc<World>,
    limit_ms: u64,
    ask: impl FnOnce(Arc<Node>) -> Asked<T> + Send + 'static,
) -> Outcome<T> {
    world.ledger().counts.commands += 1;
    travel(world).await;
    let member = world.below(world.members().len() as u64) as usize;
    let (group, node) = {
        let members = world.members();
        (members[member].group, members[member].node.clone())
    };
    let (Some(group), Some(node)) = (group, node) else {
        world.pause(50, 300).await;
        return Outcome::NotRun;
    };
    if world.is_struck(10) {
        return Outcome::Unknown;
    }
    let (mut answer, reply) = oneshot::channel();
    world.spawn(group, async move {
        let answered = tokio::select! {
            biased;
            answered = ask(node) => answered,
            // A client that has gone is noticed.
            () = answer.closed() => return,
        };
        let _ = answer.send(answered);
    });
    let answered = tokio::time::timeout(Duration::from_millis(limit_ms), reply).await;
    travel(world).await;
    if world.is_struck(20) {
        return Outcome::Unknown;
    }
    match answered {
        Ok(Ok(answered)) => judge(world, answered),
        _ => Outcome::Unknown,
    }
}

async fn travel(world: &World) {
    let ms = if world.is_struck(10) { world.between(100, 1_000) } else { world.below(3) };
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

fn judge<T>(world: &World, answered: Result<T, CommandError>) -> Outcome<T> {
    let error = match answered {
        Ok(answer) => return Outcome::Answered(answer),
        Err(error) => error,
    };
    match error {
        CommandError::Rejected(rejection) => match operator::excuse_of_refusal(world, &rejection) {
            Some(Excuse::Deaths) => {
                let now_ms = world.now_ms();
                world.ledger().refused_until_ms = now_ms + REFUSED_FOR_MS;
                Outcome::PutAside
            }
            Some(Excuse::Unreadable) => Outcome::Unreadable,
            None => Outcome::Refused(rejection),
        },
        CommandError::NotBegun(_)
        | CommandError::Moved
        | CommandError::Overloaded { .. }
        | CommandError::RateLimited { .. } => Outcome::NotRun,
        CommandError::NotEnded(instance) => Outcome::GoesOn(instance),
        CommandError::TimedOut | CommandError::Unavailable(_) => Outcome::Unknown,
        CommandError::OtherRequest | CommandError::Internal(_) => {
            world.violation(format!("a request failed: {error}"));
            Outcome::Unknown
        }
    }
}

/// With an idempotency key where one is given.
pub(crate) fn options(key: Option<String>) -> CommandOptions {
    let idempotency = key.map(|key| Idempotency { key: Text::from(key), fingerprint: 1 });
    CommandOptions { idempotency, ..CommandOptions::default() }
}
