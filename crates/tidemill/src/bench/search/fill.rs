//! Fills a history: the rows of ended instances, committed in batches as a server commits them.

use super::super::place::BenchStore;
use anyhow::{Result, ensure};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::entity::*;
use tidemill_model::{
    Change, DefinitionKey, ElementIndex, ElementKind, Entity, Key, PartitionCount, PartitionId, RawJson,
    TenantId, Text, Timestamp,
};
use tidemill_store::{Batch, BatchId, Fence, Owned, Store};

/// Instances per commit: as many rows as a busy server commits at once.
const PIECE: u64 = 1_000;
/// Keys that one instance takes at most, its own included.
const KEYS: u64 = 12;
const PATIENCE: Duration = Duration::from_secs(60);
const PROGRESS_EVERY: Duration = Duration::from_secs(5);
/// Ten thousand instances started so far apart fill less than two minutes.
const MS_BETWEEN_STARTS: i64 = 10;

pub(super) struct Filling {
    definition: DefinitionKey,
    filled: u64,
}

impl Filling {
    pub(super) fn new(definition: DefinitionKey) -> Filling {
        Filling { definition, filled: 0 }
    }

    /// Adds instances until there are so many; the newest started just now.
    pub(super) async fn fill_to(&mut self, place: &BenchStore, instances: u64) -> Result<()> {
        let store = place.open(PartitionCount(1), None).await?;
        let owned = acquired(&*store).await?;
        let first_start = owned.now.0 - (instances - self.filled) as i64 * MS_BETWEEN_STARTS;
        let (began, mut told) = (Instant::now(), Instant::now());
        let from = self.filled;
        while self.filled < instances {
            let piece = PIECE.min(instances - self.filled);
            let keys = store.reserve_keys(&owned.fence, piece * KEYS).await?;
            let mut made = Made { next_key: keys.start, changes: Vec::new(), definition: self.definition };
            for n in self.filled..self.filled + piece {
                made.instance(n, Timestamp(first_start + (n - from) as i64 * MS_BETWEEN_STARTS));
            }
            commit(&*store, &owned.fence, self.filled, made, owned.now).await?;
            self.filled += piece;
            if told.elapsed() > PROGRESS_EVERY {
                told = Instant::now();
                let per_second = (self.filled - from) as f64 / began.elapsed().as_secs_f64();
                eprintln!("filling: {} of {instances} instances, {per_second:.0}/s", self.filled);
            }
        }
        store.release(&owned.fence).await?;
        drop(store);
        place.gather_statistics().await
    }
}

/// The server that was there before may have left without a word: then its lease has to run out.
async fn acquired(store: &dyn Store) -> Result<Owned> {
    let (holder, began) = (Text::new_static("bench"), Instant::now());
    loop {
        if let Some(owned) = store.acquire(PartitionId::FIRST, &holder, 24 * 3_600_000).await? {
            return Ok(owned);
        }
        ensure!(began.elapsed() < PATIENCE, "Expected a store that nobody uses, but a server has it");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn commit(store: &dyn Store, fence: &Fence, number: u64, made: Made, at: Timestamp) -> Result<()> {
    // As an owner numbers them: unique over all owners.
    let id = BatchId(((fence.epoch as i64) << 32) + i64::try_from(number)? + 1);
    let batch = Batch {
        changes: made.changes,
        highest_key: made.next_key - 1,
        ..Batch::empty(fence.clone(), id, at)
    };
    store.commit(batch).await?;
    Ok(())
}

/// The rows of a piece.
struct Made {
    next_key: u64,
    changes: Vec<Change>,
    definition: DefinitionKey,
}

impl Made {
    fn key<K: From<Key>>(&mut self) -> K {
        self.next_key += 1;
        Key::new(PartitionId::FIRST, self.next_key - 1).into()
    }

    /// Nothing of it was stored while it lived: it began and ended within the batch.
    fn end<E>(&mut self, entity: E)
    where
        Arc<E>: Into<Entity>,
    {
        self.changes.push(Change::End { entity: Arc::new(entity).into(), was_stored: false });
    }

    fn instance(&mut self, n: u64, at: Timestamp) {
        let key = self.key();
        let (tenant, ended_at) = (TenantId::default(), Some(at + 5));
        let state = if n % 100 == 7 { Lifecycle::Terminated } else { Lifecycle::Completed };
        let origin = Origin { instance: key, root: key, definition: self.definition, tenant: tenant.clone() };
        let ids = [
            ("start", ElementKind::StartEvent),
            ("task", ElementKind::ServiceTask),
            ("end", ElementKind::EndEvent),
        ];
        for (index, (id, kind)) in ids.into_iter().enumerate() {
            let element = self.element(&origin, (index as u16, id, kind), state, at);
            if id == "task" {
                self.work(n, &element, at);
            }
            self.end(element);
        }
        self.variables(n, &origin);
        self.end(ProcessInstance {
            key,
            root: key,
            definition: self.definition,
            tenant,
            parent: None,
            call_depth: 0,
            business_id: Some(format!("order-{n}").into()),
            tags: Vec::new(),
            state,
            started_at: at,
            ended_at,
            scope: Scope::default(),
            flows_taken: FlowSet::default(),
            incidents: 0,
            terminate_after: Vec::new(),
            start_lock: None,
            is_recursive: false,
            recursive_calls: 0,
        });
    }

    fn element(
        &mut self,
        origin: &Origin,
        (index, id, kind): (u16, &str, ElementKind),
        state: Lifecycle,
        at: Timestamp,
    ) -> ElementInstance {
        ElementInstance {
            key: self.key(),
            origin: origin.clone(),
            element: ElementIndex(index.into()),
            element_id: id.into(),
            kind,
            parent: origin.instance.scope(),
            state,
            started_at: at,
            ended_at: Some(at + 5),
            scope: Scope::default(),
            loop_counter: 0,
            progress: None,
            job: None,
            user_task: None,
            called: None,
            incident: None,
            incidents_below: 0,
            payload: None,
            interrupted_by: None,
        }
    }

    fn work(&mut self, n: u64, element: &ElementInstance, at: Timestamp) {
        let ended_at = Some(at + 5);
        let job = Job {
            key: self.key(),
            origin: element.origin.clone(),
            element_instance: element.key,
            element: element.element,
            element_id: element.element_id.clone(),
            kind: JobKind::BpmnElement,
            job_type: "bench".into(),
            retries: 3,
            priority: 0,
            state: JobState::Completed,
            last_event: JobEvent::Completed,
            headers: None,
            lease: None,
            released: None,
            last_held: None,
            error_code: None,
            error_message: None,
            has_failed_with_retries_left: false,
            business_id: None,
            created_at: at,
            updated_at: at + 5,
            ended_at,
        };
        if n % 50 == 7 {
            let incident = Incident {
                key: self.key(),
                origin: element.origin.clone(),
                element_instance: element.key,
                element_id: element.element_id.clone(),
                kind: IncidentKind::JobNoRetries,
                message: format!("the worker failed for reason {}", n % 13),
                job: Some(job.key),
                stopped_timer: None,
                state: IncidentState::Resolved,
                created_at: at,
                ended_at,
            };
            self.end(incident);
        }
        self.end(job);
        if n.is_multiple_of(20) {
            self.user_task(n, element, at);
        }
    }

    fn user_task(&mut self, n: u64, element: &ElementInstance, at: Timestamp) {
        let task = UserTask {
            key: self.key(),
            origin: element.origin.clone(),
            element_instance: element.key,
            element: element.element,
            element_id: element.element_id.clone(),
            name: Some("Look at it".into()),
            state: UserTaskState::Completed,
            assignee: Some(format!("user-{}", n / 20 % 5).into()),
            candidate_users: Vec::new(),
            candidate_groups: vec!["clerks".into()],
            due_at: None,
            follow_up_at: None,
            priority: 50,
            form: None,
            external_form_reference: None,
            headers: None,
            business_id: None,
            tags: Vec::new(),
            action: None,
            created_at: at,
            ended_at: Some(at + 5),
        };
        self.end(task);
    }

    fn variables(&mut self, n: u64, origin: &Origin) {
        let order = format!("{{\"items\":[{n},{}],\"customer\":\"customer-{}\"}}", n + 1, n % 1_000);
        for (name, value) in [
            ("orderId", format!("\"order-{n}\"")),
            ("amount", n.to_string()),
            ("status", "\"done\"".to_owned()),
            ("order", order),
        ] {
            let key = self.key();
            let (scope, value) = (origin.instance.scope(), RawJson::new(value));
            self.end(Variable { key, origin: origin.clone(), scope, name: name.into(), value });
        }
    }
}
