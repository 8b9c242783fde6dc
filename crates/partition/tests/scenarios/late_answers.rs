//! Answers that come with another command: a correlation is answered when the instance has taken the message, perhaps by the
//! next owner of the partition.

use crate::support::*;
use tidemill_model::command::{AnswerCorrelation, OpenBoxSubscription};
use tidemill_model::entity::BoxSubscription;
use tidemill_model::{
    Answer, Command, Key, PartitionCount, PartitionId, ProcessInstanceKey, SubscriptionKey, TenantId, Text,
    Variables,
};
use tidemill_partition::{CallId, CommandError, Effect, Envelope, KeptAnswer, Read};
use tidemill_store::{CommandOutcome, Inbox};

/// A partition with an instance that listens to a message with this key.
fn with_listener(key: &str) -> (Bench, ProcessInstanceKey) {
    let mut bench = Bench::with(&[listen()]);
    let instance = bench.started_with(create_with("listen", &format!(r#"{{"key":"{key}"}}"#)));
    (bench, instance)
}

#[test]
fn a_correlation_is_answered_when_the_instance_has_taken_the_message() {
    let (mut bench, instance) = with_listener("a");
    let call = bench.send(correlate("a"));
    let nobody = bench.send(correlate("b"));
    bench.settle();
    assert!(matches!(bench.answered(call), Answer::Correlated { instance: taken, .. } if taken == instance));
    assert!(matches!(bench.refused(nobody), CommandError::Rejected(_)));
}

#[test]
fn a_retry_of_a_correlation_gets_the_same_answer_from_every_owner() {
    let (mut bench, _) = with_listener("a");
    let first = bench.send_keyed(correlate("a"), "k", 1);
    bench.settle_unwritten();
    let in_flight = bench.send_keyed(correlate("a"), "k", 1);
    bench.settle();
    let later = bench.send_keyed(correlate("a"), "k", 1);
    bench.settle();
    bench.die();
    let next_owner = bench.send_keyed(correlate("a"), "k", 1);
    let other_body = bench.send_keyed(correlate("a"), "k", 2);
    bench.settle();
    let answer = bench.answered(first);
    for call in [in_flight, later, next_owner] {
        assert_eq!(bench.answered(call), answer);
    }
    assert_eq!(bench.refused(other_body), CommandError::OtherRequest);
}

const ELSEWHERE: PartitionId = PartitionId(2);

/// An instance of the other partition listens to a message whose box is here.
fn subscription_from_elsewhere(correlation_key: &str) -> BoxSubscription {
    BoxSubscription {
        key: SubscriptionKey(Key::new(ELSEWHERE, 78).0),
        tenant: TenantId::default(),
        message_name: "news".into(),
        correlation_key: correlation_key.into(),
        business_id: None,
        process_id: "listen".into(),
        instance: ProcessInstanceKey(Key::new(ELSEWHERE, 77).0),
        is_interrupting: true,
        correlating: None,
        reply: None,
    }
}

/// A partition where an instance of another one listens, and the key that it listens to.
fn with_listener_elsewhere() -> (Bench, String) {
    let count = PartitionCount(2);
    let mut bench = Bench::with_partitions(count);
    let is_here = |key: &String| count.of_correlation_key(&TenantId::default(), &Text::from(key)) == HERE;
    let key = (0..100).map(|number| number.to_string()).find(is_here).expect("half of the keys are");
    let subscription = subscription_from_elsewhere(&key);
    bench.append(Command::OpenBoxSubscription(OpenBoxSubscription { subscription }));
    bench.settle();
    (bench, key)
}

/// A correlation under the key `k` whose answer is to come from the other partition, and that answer.
pub(crate) fn answer_on_its_way() -> (Bench, CallId, Command) {
    let (mut bench, key) = with_listener_elsewhere();
    let call = bench.send_keyed(correlate(&key), "k", 1);
    bench.settle();
    assert!(bench.answer(call).is_none(), "the other partition has not taken it yet");
    let taken = offer_is_taken(&bench);
    (bench, call, taken)
}

/// The answer of the other partition to the offer of the message.
fn offer_is_taken(bench: &Bench) -> Command {
    let offer = match bench.inbox_of(ELSEWHERE).pop() {
        Some(Command::CorrelateSubscription(offer)) => offer,
        other => panic!("expected an offer, but there is {other:?}"),
    };
    Command::AnswerCorrelation(AnswerCorrelation {
        subscription: offer.subscription,
        tenant: offer.tenant,
        message: offer.message,
        message_name: offer.message_name,
        correlation_key: offer.correlation_key,
        business_id: None,
        accepted: true,
        instance: offer.instance,
        variables: Variables::default(),
    })
}

#[test]
fn a_retry_joins_a_correlation_that_is_being_written() {
    let (mut bench, key) = with_listener_elsewhere();
    let first = bench.send_keyed(correlate(&key), "k", 1);
    let same_batch = bench.send_keyed(correlate(&key), "k", 1);
    bench.settle_unwritten();
    assert!(bench.closed.is_some());
    let in_flight = bench.send_keyed(correlate(&key), "k", 1);
    bench.settle();
    let taken = offer_is_taken(&bench);
    bench.append(taken);
    bench.settle();
    assert!(matches!(bench.answered(first), Answer::Correlated { .. }));
    for retry in [same_batch, in_flight] {
        assert_eq!(bench.answered(retry), bench.answered(first));
    }
}

#[test]
fn the_caller_hears_the_answer_that_comes_from_another_partition() {
    let (mut bench, call, taken) = answer_on_its_way();
    let retry = bench.send_keyed(correlate("x"), "k", 1);
    bench.settle();
    assert!(bench.answer(retry).is_none(), "a retry joins who waits");
    bench.append(taken);
    bench.settle();
    assert!(matches!(bench.answered(call), Answer::Correlated { .. }));
    assert_eq!(bench.answered(retry), bench.answered(call));
}

/// The store has looked before the answer was written, and says that it is still to come.
#[test]
fn a_retry_whose_key_is_looked_up_while_the_answer_lands_gets_that_answer() {
    for comes_before_the_end in [true, false] {
        let (mut bench, call, taken) = answer_on_its_way();
        bench.keep_back(|read| matches!(read, Read::Answers(_)));
        let retry = bench.send_keyed(correlate("x"), "k", 1);
        bench.settle();
        let looked_up = bench.take_answer(|read| matches!(read, Read::Answers(_)));
        bench.append(taken);
        bench.settle_unwritten();
        assert!(bench.closed.is_some(), "the answer is on its way to the store");
        if comes_before_the_end {
            bench.offer(looked_up);
            bench.land(Fate::Written);
        } else {
            bench.land(Fate::Written);
            bench.offer(looked_up);
        }
        bench.keep_back(|_| false);
        bench.settle();
        assert!(matches!(bench.answered(call), Answer::Correlated { .. }));
        assert_eq!(bench.answered(retry), bench.answered(call));
        assert_eq!(bench.core.memory_use(&bench.callers).late_answers, 0);
    }
}

#[test]
fn the_next_owner_keeps_the_answer_for_whoever_asks_again() {
    for asks_before in [false, true] {
        let (mut bench, _, taken) = answer_on_its_way();
        bench.die();
        let before = asks_before.then(|| bench.send_keyed(correlate("x"), "k", 1));
        bench.settle();
        bench.append(taken);
        bench.settle();
        let after = bench.send_keyed(correlate("x"), "k", 1);
        bench.settle();
        let answer = bench.answered(after);
        assert!(matches!(answer, Answer::Correlated { .. }), "{answer:?}");
        if let Some(before) = before {
            assert_eq!(bench.answered(before), answer);
        }
    }
}

/// Nobody tells an answer twice: whoever waited here for one that another owner has told would wait for ever.
#[test]
fn an_owner_that_comes_back_does_not_wait_for_answers_that_another_one_has_told() {
    let (mut bench, call, taken) = answer_on_its_way();
    bench.while_another_owns(|bench| {
        bench.append(taken);
        bench.settle();
    });
    assert!(bench.answer(call).is_none(), "the other owner does not know who waits here");
    bench.offer(failed_read());
    bench.settle();
    assert!(matches!(bench.refused(call), CommandError::Unavailable(_)));
    assert_eq!(bench.core.memory_use(&bench.callers).late_answers, 0);
    let retry = bench.send_keyed(correlate("x"), "k", 1);
    bench.settle();
    assert!(matches!(bench.answered(retry), Answer::Correlated { .. }));
}

#[test]
fn the_answer_survives_a_commit_that_is_lost() {
    for fate in [Fate::LostBefore, Fate::LostAfter] {
        let (mut bench, call, taken) = answer_on_its_way();
        bench.append(taken);
        bench.settle_then(fate);
        bench.settle();
        assert!(matches!(bench.answered(call), Answer::Correlated { .. }), "after {fate:?}");
        let retry = bench.send_keyed(correlate("x"), "k", 1);
        bench.settle();
        assert_eq!(bench.answered(retry), bench.answered(call), "after {fate:?}");
    }
}

#[test]
fn whoever_appends_a_command_can_ask_what_became_of_it() {
    let (mut bench, _) = with_listener("a");
    let envelope = Envelope::from_client(correlate("a"), None);
    let position = bench.append_bytes(envelope.pack());
    bench.settle();
    let outcome = now(bench.store.outcome(position)).expect("the store works");
    let CommandOutcome::Done { answer, .. } = outcome else { panic!("it has run: {outcome:?}") };
    let kept: KeptAnswer = tidemill_store::unpack(&answer).expect("it was packed so");
    assert!(matches!(kept.result, Some(Ok(Answer::Correlated { .. }))), "{kept:?}");
    assert!(!bench.effects.iter().any(|effect| matches!(effect, Effect::Answer { result: Err(_), .. })));
}
