//! Commands that were put aside can be looked at, run again and dropped.

use crate::{Place, Session};
use tidemill_model::{PartitionId, Timestamp};
use tidemill_store::{Batch, CommandOutcome, DeadLetter, LetterNumber, Position, StoredLetter};

async fn put_aside(session: &Session, position: Option<i64>, payload: u8) {
    let letter = DeadLetter {
        position: position.map(Position),
        payload: vec![payload],
        reason: format!("no {payload}"),
    };
    let batch = Batch { dead_letters: vec![letter], ..session.batch(Vec::new()) };
    session.store.commit(batch).await.expect("commits");
}

async fn letters(session: &Session) -> Vec<StoredLetter> {
    session.store.dead_letters(None, 10).await.expect("reads")
}

pub async fn letters_are_listed_in_order(place: &dyn Place) {
    let session = Session::open(place).await;
    for payload in [1, 2, 3] {
        put_aside(&session, Some(i64::from(payload) + 70), payload).await;
    }
    let all = letters(&session).await;
    assert_eq!(all.iter().map(|letter| letter.payload[0]).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((all[1].reason.as_str(), all[1].position), ("no 2", Some(Position(72))));
    assert_eq!(all[1].partition, PartitionId(1));
    let after = session.store.dead_letters(Some(all[0].number), 1).await.expect("reads");
    assert_eq!(after, [all[1].clone()]);
    assert_eq!(session.store.dead_letter(all[2].number).await.expect("reads"), Some(all[2].clone()));
    assert_eq!(session.store.dead_letter(LetterNumber(999)).await.expect("reads"), None);
}

pub async fn a_letter_that_is_tried_again_waits_in_the_inbox(place: &dyn Place) {
    let session = Session::open(place).await;
    put_aside(&session, None, 7).await;
    let number = letters(&session).await[0].number;
    let retry = |number| session.store.retry_dead_letter(number, Timestamp(55));
    let position = retry(number).await.expect("writes").expect("is there");
    assert!(letters(&session).await.is_empty());
    let waiting = session.store.waiting(PartitionId(1), 10).await.expect("reads");
    assert_eq!(waiting.len(), 1);
    let entry = &waiting[0];
    assert_eq!((entry.position, entry.received_at), (position, Timestamp(55)));
    assert_eq!(entry.payload, [7]);
    assert_eq!(retry(number).await.expect("writes"), None, "once is enough");
    assert_eq!(session.store.waiting(PartitionId(1), 10).await.expect("reads").len(), 1);
}

pub async fn a_letter_can_be_dropped(place: &dyn Place) {
    let session = Session::open(place).await;
    put_aside(&session, Some(71), 1).await;
    put_aside(&session, Some(72), 2).await;
    let number = letters(&session).await[0].number;
    assert!(session.store.drop_dead_letter(number).await.expect("writes"));
    assert!(!session.store.drop_dead_letter(number).await.expect("writes"));
    assert_eq!(letters(&session).await.len(), 1);
    let outcome = session.store.outcome(Position(71)).await.expect("reads");
    assert_eq!(outcome, CommandOutcome::Unknown);
    assert!(session.store.waiting(PartitionId(1), 10).await.expect("reads").is_empty());
}
