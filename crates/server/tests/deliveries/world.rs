//! A timer loop on an embedded store, with its deliveries.

use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use tidemill_model::{PartitionId, Text};
use tidemill_server::timers::deliver::{
    AllowRules, CallbackSettings, Callbacks, Deliveries, DeliveryContext, Streams,
};
use tidemill_server::timers::spec::{Envelope, FieldErrors, RetryPolicy, StoredTarget, TargetSpec};
use tidemill_server::timers::{TimerHandle, TimerLoop};
use tidemill_store::{Store, TimerReads, TimerShards};
use tidemill_store_sqlite::{Options, SqliteStore};
use tidemill_timers::block::Scope;
use tidemill_timers::shard::{Answer, Config, Create, FIRST_KEPT_LANE, FailureRow, Mode, Request};
use tokio::task::JoinHandle;

const PATIENCE: Duration = Duration::from_secs(30);
const PARTITION: PartitionId = PartitionId::FIRST;

pub(crate) struct World {
    dir: Arc<TempDir>,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) timers: TimerHandle,
    deliveries: Deliveries,
    looped: JoinHandle<tidemill_store::Result<()>>,
    settings: CallbackSettings,
}

pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_millis() as i64
}

pub(crate) fn scope(namespace: &str) -> Arc<Scope> {
    Arc::new(Scope { tenant: "acme".to_owned(), namespace: namespace.to_owned() })
}

fn id_of(_: &Scope, partition: PartitionId, key: i64, due_ms: i64) -> String {
    format!("{partition}:{key}:{due_ms}")
}

/// Receivers of the tests are on this machine.
pub(crate) fn allowed(rules: &[&str]) -> CallbackSettings {
    let allow = AllowRules(rules.iter().map(|rule| rule.parse().expect("a rule")).collect());
    CallbackSettings { allow, ..CallbackSettings::default() }
}

impl World {
    pub(crate) async fn new() -> World {
        World::with(allowed(&["127.0.0.1"])).await
    }

    pub(crate) async fn with(settings: CallbackSettings) -> World {
        let dir = Arc::new(tempfile::tempdir().expect("a directory"));
        World::open(dir, settings).await
    }

    async fn open(dir: Arc<TempDir>, settings: CallbackSettings) -> World {
        let store = SqliteStore::open(&Options::new(dir.path().join("t.db"))).expect("opens");
        let store: Arc<SqliteStore> = Arc::new(store);
        let shared: Arc<dyn Store> = store.clone();
        let holder = Text::new_static("test");
        let owned =
            shared.acquire(PARTITION, &holder, 3_600_000).await.expect("works").expect("nobody has it");
        let (timer_loop, timers) =
            TimerLoop::new(shared.clone(), PARTITION, holder, owned.now, Config::default(), Arc::new(|_| {}));
        let bell = timers.bell();
        let looped = tokio::spawn(timer_loop.run());
        let context = DeliveryContext {
            store: shared,
            partition: PARTITION,
            timers: timers.clone(),
            callbacks: Callbacks::new(&settings).expect("valid settings"),
            now_ms: Arc::new(now_ms),
            id_of,
        };
        let deliveries = Deliveries::start(context, bell);
        World { dir, store, timers, deliveries, looped, settings }
    }

    /// Ends without a word to anybody, and begins again on the same file.
    pub(crate) async fn restart(self) -> World {
        let World { dir, store, timers, deliveries, looped, settings } = self;
        drop(deliveries);
        looped.abort();
        drop(timers);
        let _ = looped.await;
        let began = tokio::time::Instant::now();
        let mut store = store;
        // Calls that were open hold the store for a moment.
        loop {
            match Arc::try_unwrap(store) {
                Ok(store) => break drop(store),
                Err(shared) => store = shared,
            }
            assert!(began.elapsed() < PATIENCE, "somebody keeps the store");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        World::open(dir, settings).await
    }

    /// Timers of one target that are due at once, with numbers as payload.
    pub(crate) async fn fire(&self, target: Value, retry: Value, count: usize) -> Vec<String> {
        self.fire_in("orders", target, retry, count).await
    }

    pub(crate) async fn fire_in(
        &self,
        namespace: &str,
        target: Value,
        retry: Value,
        count: usize,
    ) -> Vec<String> {
        let mut errors = FieldErrors::default();
        let target = TargetSpec::from_json(&target, "target", &mut errors).expect("a target");
        let retry = RetryPolicy::from_json(&retry, "retry", &mut errors).expect("a policy");
        assert!(errors.is_empty(), "{errors}");
        let scope = scope(namespace);
        let (stored, envelope) = StoredTarget::split(&scope, &target, retry);
        let create = |nth: usize| {
            let (flags, payload) = envelope.wrap(json!({"nth": nth}).to_string().as_bytes());
            Create {
                own_id: None,
                mode: Mode::Fail,
                scope: scope.clone(),
                due_ms: now_ms(),
                scheduled_ms: None,
                target: stored.to_target(),
                flags,
                payload,
            }
        };
        let creates: Vec<Create> = (0..count).map(create).collect();
        let answer = self.timers.request(Request::CreateAll(creates.into())).await.expect("the loop runs");
        let Answer::All(answers) = answer else { panic!("{answer:?}") };
        let id = |answer: Answer| match answer {
            Answer::Created { key, due_ms } => id_of(&scope, PARTITION, key, due_ms),
            other => panic!("{other:?}"),
        };
        answers.into_iter().map(id).collect()
    }

    /// Waits until no delivery is left, whether it was taken or given up.
    #[track_caller]
    pub(crate) fn until_settled(&self) -> impl Future<Output = ()> + '_ {
        let place = std::panic::Location::caller();
        async move {
            let began = tokio::time::Instant::now();
            while self.store.next_lane(PARTITION, FIRST_KEPT_LANE).await.expect("readable").is_some() {
                assert!(began.elapsed() < PATIENCE, "{place}: deliveries are left");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }

    /// Timers that were given up.
    pub(crate) async fn failures(&self) -> Vec<FailureRow> {
        self.store.timer_failures(PARTITION, None, 100).await.expect("readable")
    }

    pub(crate) fn streams(&self) -> Streams {
        Streams { store: self.store.clone(), id_of }
    }
}

/// A policy that tries soon and often.
pub(crate) fn soon(attempts: u32) -> Value {
    json!({"attempts": attempts, "initial": 20, "factor": 1, "maximum": 20, "jitter": 0})
}

pub(crate) fn http(url: &str) -> Value {
    json!({"type": "http", "url": url, "timeout": 20_000})
}

/// Nothing travels with such a timer but its payload.
#[test]
fn a_plain_timer_has_no_envelope() {
    assert_eq!(Envelope::default().wrap(b"x").1.len(), 1);
}
