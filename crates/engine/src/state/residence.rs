//! The part of the store that is in memory. Rows that commands asked for are taken in here, and this knows which questions they have
//! answered: a row that is absent after that does not exist.

use super::index::MessageBox;
use super::{Residency, Working};
use crate::need::{Missing, Supply};
use crate::outcome::Deletion;
use crate::stop::{Stepped, Stop};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Bound;
use tidemill_model::command::DefinitionRef;
use tidemill_model::entity::{
    ElementInstance, Incident, Job, JobLease, MessageSubscription, ProcessDefinition, ProcessInstance,
    SignalSubscription, Timer, TimerPurpose, UserTask,
};
use tidemill_model::{
    BoxName, Command, ElementInstanceKey, Entity, Need, ProcessInstanceKey, Remains, SubscriptionKey,
    TenantId, Text,
};

/// Knows which needs were answered. Only with that can "the row is not in memory" be told from "there is no such row".
#[derive(Default)]
pub(super) struct Residence {
    /// Needs whose answer stays true while this node owns the partition: only its own commits change these
    /// rows, or the version of the definitions tells that they have changed.
    pub(super) standing: FxHashSet<Need>,
    /// Needs answered for the commands of the current batch. Afterwards rows may be evicted, and other partitions may write.
    answered: FxHashSet<Need>,
    /// Subscriptions of the store behind each place that a signal has asked for, and whether the list ends
    /// there. They are kept by page, because one name may have more subscriptions than memory should hold.
    signal_pages: FxHashMap<Need, (Vec<SubscriptionKey>, bool)>,
    /// Rows of ended instances that the store still has. Commands of the current batch asked for them.
    remains: FxHashMap<ProcessInstanceKey, Remains>,
    pub(super) used: FxHashMap<ProcessInstanceKey, u64>,
    /// Counts batches. Time would not do: the engine knows no clock.
    tick: u64,
}

impl Residence {
    pub(super) fn len(&self) -> usize {
        self.standing.len()
            + self.answered.len()
            + self.signal_pages.len()
            + self.remains.len()
            + self.used.len()
    }

    pub(super) fn is_answered(&self, need: &Need) -> bool {
        self.standing.contains(need) || self.answered.contains(need)
    }
}

impl Working {
    /// Takes in what the store has for a need.
    pub fn supply(&mut self, supply: Supply) {
        for entity in &supply.entities {
            match (&supply.need, entity) {
                // Jobs of a list are not taken in: only their positions are kept, and a job without its
                // instance could not be run.
                (Need::WaitingJobs { .. }, Entity::Job(_)) => {}
                (_, Entity::ProcessXml(xml)) => self.compile(xml),
                (_, Entity::Job(job)) => self.load_job(job),
                _ => self.load_entity(entity),
            }
        }
        self.note_residency(&supply);
        // Most boxes that are asked for are empty. Such a box leaves memory at the end of the batch.
        if let Need::MessageBox(name) = &supply.need {
            self.index.idle_boxes.push(name.clone());
        }
        match supply.need {
            Need::WaitingJobs { job_type, .. } => {
                self.extend_queue(&job_type, &supply.entities, supply.is_complete);
            }
            Need::SignalSubscriptions { .. } => {
                let keys = supply.entities.iter().filter_map(|entity| match entity {
                    Entity::SignalSubscription(subscription) => Some(subscription.key),
                    _ => None,
                });
                let page = (keys.collect(), supply.is_complete);
                self.residence.signal_pages.insert(supply.need, page);
            }
            need @ (Need::MessageBox(_)
            | Need::Starts { .. }
            | Need::Process { .. }
            | Need::Form { .. }
            | Need::Resource { .. }
            | Need::Definition(_)) => {
                // These rows change by commits of this partition only, or with the version of definitions.
                self.residence.standing.insert(need);
            }
            need => {
                self.residence.answered.insert(need);
            }
        }
    }

    /// Takes in what the store has of an instance that is not live.
    pub fn supply_remains(&mut self, instance: ProcessInstanceKey, remains: Remains) {
        self.residence.remains.insert(instance, remains);
    }

    /// The rows that are left of an instance that is not live.
    pub(crate) fn remains(&self, instance: ProcessInstanceKey) -> Stepped<Remains> {
        if let Some(remains) = self.residence.remains.get(&instance) {
            return Ok(*remains);
        }
        if self.is_gone::<ProcessInstance>(instance) {
            // It has ended in this batch: what it leaves is written with it, and nobody has counted that.
            return Ok(Remains { is_ended_instance: true, rows: 0, has_more: true });
        }
        Err(Stop::Need(Missing { remains: vec![instance], ..Missing::default() }))
    }

    /// For the rest of this batch nothing is left of these; the next batch asks the store again.
    pub(crate) fn note_deletions(&mut self, deletions: &[Deletion]) {
        for deletion in deletions {
            self.residence.remains.insert(deletion.instance, Remains::default());
        }
    }

    /// Takes in the leases that a predecessor has given; to be called before anything else is supplied.
    pub fn load_leases(&mut self, leases: Vec<std::sync::Arc<JobLease>>) {
        for lease in leases {
            self.load(lease);
        }
    }

    /// Adds what the command will surely ask for first, or next when that was supplied. Asking for a whole batch at
    /// once saves round trips.
    pub fn add_first_needs(&self, command: &Command, needs: &mut Vec<Need>) {
        let need = match command {
            Command::CompleteJob(c) => self.unless_known::<Job>(c.job, Need::instance_of::<Job>(c.job)),
            Command::FailJob(c) => self.unless_known::<Job>(c.job, Need::instance_of::<Job>(c.job)),
            Command::ThrowJobError(c) => self.unless_known::<Job>(c.job, Need::instance_of::<Job>(c.job)),
            Command::UpdateJob(c) => self.unless_known::<Job>(c.job, Need::instance_of::<Job>(c.job)),
            Command::AssignUserTask(c) => {
                self.unless_known::<UserTask>(c.task, Need::instance_of::<UserTask>(c.task))
            }
            Command::UpdateUserTask(c) => {
                self.unless_known::<UserTask>(c.task, Need::instance_of::<UserTask>(c.task))
            }
            Command::CompleteUserTask(c) => {
                self.unless_known::<UserTask>(c.task, Need::instance_of::<UserTask>(c.task))
            }
            Command::ResolveIncident(c) => {
                self.unless_known::<Incident>(c.incident, Need::instance_of::<Incident>(c.incident))
            }
            Command::AssignBusinessId(c) => {
                self.unless_known::<ProcessInstance>(c.instance, Need::Instance(c.instance))
            }
            Command::CancelInstance(c) => {
                self.unless_known::<ProcessInstance>(c.instance, Need::Instance(c.instance))
            }
            Command::DeleteInstance(c) => {
                self.unless_known::<ProcessInstance>(c.instance, Need::Instance(c.instance))
            }
            Command::CorrelateSubscription(c) => self.unless_known::<MessageSubscription>(
                c.subscription,
                Need::instance_of::<MessageSubscription>(c.subscription),
            ),
            Command::TriggerTimer(c) => match &c.timer.purpose {
                TimerPurpose::Catch { origin, element_instance, .. } => {
                    let instance = origin.instance;
                    let need = self.unless_known::<ProcessInstance>(instance, Need::Instance(instance));
                    need.or_else(|| self.need_of_large(instance, *element_instance))
                }
                TimerPurpose::MessageExpiry { tenant, name, correlation_key, .. } => {
                    Some(Need::box_of(tenant, name, correlation_key))
                }
                _ => None,
            },
            // One round of reads tells both whether the message starts an instance and whether one waits for it.
            Command::PublishMessage(c) => {
                needs.extend(self.unless_answered(Need::message_starts(&c.tenant, &c.name)));
                Some(Need::box_of(&c.tenant, &c.name, &c.correlation_key))
            }
            Command::CorrelateMessage(c) => {
                needs.extend(self.unless_answered(Need::message_starts(&c.tenant, &c.name)));
                Some(Need::box_of(&c.tenant, &c.name, &c.correlation_key))
            }
            Command::OpenBoxSubscription(c) => {
                Some(Need::MessageBox(BoxName::of_subscription(&c.subscription)))
            }
            Command::CloseBoxSubscription(c) => {
                Some(Need::box_of(&c.tenant, &c.message_name, &c.correlation_key))
            }
            Command::AnswerCorrelation(c) => {
                Some(Need::box_of(&c.tenant, &c.message_name, &c.correlation_key))
            }
            Command::CreateInstance(c) => Some(match &c.definition {
                DefinitionRef::Latest(id) | DefinitionRef::Version(id, _) => {
                    Need::Process { tenant: c.tenant.clone(), process_id: id.clone() }
                }
                DefinitionRef::Key(key) if self.get::<ProcessDefinition>(*key).is_some() => return,
                DefinitionRef::Key(key) => Need::Definition(*key),
            }),
            _ => None,
        };
        needs.extend(need.and_then(|need| self.unless_answered(need)));
    }

    fn unless_answered(&self, need: Need) -> Option<Need> {
        (!self.residence.is_answered(&need)).then_some(need)
    }

    /// Of a large instance, neither the element nor the scopes around it come with the instance.
    fn need_of_large(&self, instance: ProcessInstanceKey, element: ElementInstanceKey) -> Option<Need> {
        self.get::<ProcessInstance>(instance)?;
        let mut current = element;
        while current != instance.scope() {
            match self.get::<ElementInstance>(current) {
                Some(element) => current = element.parent,
                None => return self.unless_known::<ElementInstance>(current, Need::Element(current)),
            }
        }
        None
    }

    fn unless_known<R: super::Tabled>(&self, key: R::Key, need: Need) -> Option<Need> {
        (self.get::<R>(key).is_none() && !self.is_gone::<R>(key)).then_some(need)
    }

    /// The batch has ended: what was known to be absent is no longer known.
    pub fn end_batch(&mut self) {
        self.residence.answered.clear();
        self.files_read.forget();
        self.residence.signal_pages.clear();
        self.residence.remains.clear();
        self.drop_leaving_processes();
        // Eviction goes by the batch in which an instance was last used.
        self.residence.tick += 1;
        self.forget_empty_boxes();
    }

    /// Definitions were deployed or deleted elsewhere: "latest" is looked up again.
    pub fn definitions_changed(&mut self) {
        self.residence.standing.retain(|need| {
            !matches!(
                need,
                Need::Starts { .. }
                    | Need::Process { .. }
                    | Need::Definition(_)
                    | Need::Form { .. }
                    | Need::Resource { .. }
            )
        });
        self.forget_definitions();
    }

    /// Remembers that a large instance came without all its children. A scope counts its children, so a difference to what is in memory shows
    /// that some are still in the store.
    fn note_residency(&mut self, supply: &Supply) {
        if let Need::Children { scope, .. } = supply.need {
            let last = supply.entities.iter().rev().find_map(|entity| match entity {
                Entity::ElementInstance(element) if element.parent == scope => Some(element.key),
                _ => None,
            });
            let links = self.index.links(scope);
            links.residency = match (supply.is_complete, links.residency, last) {
                (true, _, _) => Residency::All,
                (false, Residency::UpTo(known), last) => Residency::UpTo(last.or(known)),
                (false, Residency::All, _) => Residency::All,
            };
        } else if supply.is_complete {
            return;
        }
        for entity in &supply.entities {
            let key = match entity {
                Entity::ProcessInstance(instance) => instance.key.scope(),
                Entity::ElementInstance(element) => element.key,
                _ => continue,
            };
            let Ok(children) = self.scope(key).map(|scope| scope.children as usize) else { continue };
            let links = self.index.links.get(&key);
            let (known, is_all) =
                links.map_or((0, true), |links| (links.children.len(), links.residency == Residency::All));
            // A scope that is known in part already keeps its mark, which may lie behind some of its children.
            if is_all && known < children {
                self.index.links(key).residency = Residency::UpTo(None);
            }
        }
    }

    /// The next children of a scope in the order of their keys, and whether these are the last.
    pub(crate) fn children_after(
        &self,
        scope: ElementInstanceKey,
        after: Option<ElementInstanceKey>,
        limit: usize,
    ) -> Stepped<(Vec<ElementInstanceKey>, bool)> {
        let Some(links) = self.index.links.get(&scope) else { return Ok((Vec::new(), true)) };
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut children = links.children.range((from, Bound::Unbounded)).copied();
        match links.residency {
            Residency::All => {
                let page: Vec<_> = children.by_ref().take(limit).collect();
                Ok((page, children.next().is_none()))
            }
            Residency::UpTo(loaded) => {
                // Children behind the mark may be in memory too, such as those that this batch has made. They
                // wait until the pages of the store have reached them.
                let page: Vec<_> = children.take_while(|child| Some(*child) <= loaded).take(limit).collect();
                if page.is_empty() {
                    return Err(Need::Children { scope, after: loaded }.into());
                }
                Ok((page, false))
            }
        }
    }

    /// The next subscriptions to a signal, those in the store and those too young to be there, and where to
    /// go on behind them.
    pub(crate) fn signal_subscriptions_after(
        &self,
        tenant: &TenantId,
        name: &Text,
        after: Option<SubscriptionKey>,
    ) -> Stepped<(Vec<SubscriptionKey>, Option<SubscriptionKey>)> {
        let need = Need::SignalSubscriptions { tenant: tenant.clone(), name: name.clone(), after };
        let Some((page, is_last)) = self.residence.signal_pages.get(&need) else { return Err(need.into()) };
        // Young subscriptions behind the page belong to the next one, or they would be handed the signal twice.
        let upper = if *is_last { None } else { page.last().copied() };
        let mut keys: Vec<_> = page.iter().copied().filter(|key| self.has_signal(*key)).collect();
        if let Some(young) = self.index.signals.get(&(tenant.clone(), name.clone())) {
            let from = after.map_or(Bound::Unbounded, Bound::Excluded);
            let until = upper.map_or(Bound::Unbounded, Bound::Included);
            keys.extend(young.range((from, until)));
        }
        keys.sort_unstable();
        keys.dedup();
        Ok((keys, upper))
    }

    fn has_signal(&self, key: SubscriptionKey) -> bool {
        self.get::<SignalSubscription>(key).is_some()
    }

    pub(crate) fn is_answered(&self, need: &Need) -> bool {
        self.residence.is_answered(need)
    }

    /// Fails with the need unless it was answered.
    pub(crate) fn require(&self, need: Need) -> Stepped {
        if self.residence.is_answered(&need) { Ok(()) } else { Err(need.into()) }
    }

    /// An instance that has ended must not be counted as used: its entry would stay for ever.
    pub(crate) fn forget_use(&mut self, instance: ProcessInstanceKey) {
        self.residence.used.remove(&instance);
    }

    pub(crate) fn note_use(&mut self, instance: ProcessInstanceKey) {
        let tick = self.residence.tick;
        self.residence.used.insert(instance, tick);
    }

    pub(super) fn unload<R: super::Tabled>(&mut self, key: R::Key) -> Option<std::sync::Arc<R>> {
        let row = R::table_mut(&mut self.tables).unload(key)?;
        row.unfile(&mut self.index);
        Some(row)
    }

    /// An empty box is forgotten together with the knowledge that it is empty: correlation keys are chosen by clients and have no limit.
    fn forget_empty_boxes(&mut self) {
        for name in std::mem::take(&mut self.index.idle_boxes) {
            if self.index.boxes.get(&name).is_none_or(MessageBox::is_empty) {
                self.index.boxes.remove(&name);
                self.residence.standing.remove(&Need::MessageBox(name));
            }
        }
    }

    /// A lease that was given after the job's row was written counts unless it has ended since.
    fn load_job(&mut self, job: &std::sync::Arc<Job>) {
        let lease = self.index.leased.get(&job.key).and_then(|lease| self.get::<JobLease>(*lease));
        // Leases are written apart from jobs, so a job's row may be older than its lease. `released` is the
        // last lease that has ended for it: what came later counts.
        let held = lease.filter(|held| held.holds(job.key) && Some(held.lease.key) > job.released);
        let Some(held) = held else { return self.load(job.clone()) };
        let job = Job { lease: Some(held.lease.clone()), ..Job::clone(job) };
        self.load(std::sync::Arc::new(job));
    }
}

impl Working {
    /// Timers that hang on no scope come with the command that fires them.
    pub(crate) fn load_timer(&mut self, timer: &Timer) {
        self.load(std::sync::Arc::new(timer.clone()));
    }
}
