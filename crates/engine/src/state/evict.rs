//! Letting go of what lies idle: instances, message boxes, lists of jobs, and what is known of names. Names are
//! chosen by clients, so there is a limit on everything that is kept per name.

use super::{JobQueues, Residency, Working};
use rustc_hash::{FxHashMap, FxHashSet};
use tidemill_model::entity::{
    BoxSubscription, ElementInstance, Incident, Job, LoopInput, LoopOutput, Message, MessageStartLock,
    MessageSubscription, ProcessInstance, ProcessXml, SignalSubscription, Timer, TimerPurpose, UserTask,
    Variable,
};
use tidemill_model::{MessageKey, Need, ProcessInstanceKey, SubscriptionKey, TenantId, Text};

/// The rows in memory of one correlation key: its boxes of all names, and its start locks.
#[derive(Default)]
struct KeyRows {
    /// The highest key of a row, which tells when something last came.
    /// A box that got nothing for long is the first to go. No use is noted for boxes as it is for instances,
    /// and keys rise with time.
    newest: i64,
    messages: Vec<MessageKey>,
    subscriptions: Vec<SubscriptionKey>,
    locks: Vec<ProcessInstanceKey>,
}

impl Working {
    /// Lets go of what was not used for the longest time. At most `rows_max` rows of instances are left, and a quarter
    /// of that of each other kind. To be called between batches, when all changes are written.
    pub fn evict(&mut self, rows_max: usize) {
        if self.rows() > rows_max {
            // Half of the limit is freed at once, so that eviction is rare.
            self.evict_instances(rows_max / 2);
        }
        // Other kinds have a quarter each, so that messages without a receiver cannot push instances out of memory.
        if self.box_rows() > rows_max / 4 {
            self.evict_boxes(rows_max / 8);
        }
        if self.jobs.len() > rows_max / 4 {
            // Windows of jobs go all at once: they are read again from their beginning, a page for each type that workers ask for.
            self.jobs = JobQueues::default();
        }
        if self.residence.standing.len() > rows_max / 4 {
            // Answered needs for message boxes stay: there are as many as boxes, which were bounded above.
            // Without them, a box in memory would have to be read again.
            self.residence.standing.retain(|need| matches!(need, Need::MessageBox(_)));
        }
        self.evict_files();
    }

    /// Files of processes are read from the store when they are compiled.
    fn evict_files(&mut self) {
        let files: Vec<_> = self.tables.process_files.rows().map(|file| file.definition).collect();
        for file in files {
            self.unload::<ProcessXml>(file);
        }
    }

    /// Instances go as a whole, those first that no command has used for the longest time. Half an instance in memory would have to be told
    /// from a small one, and the next command of it would load the whole again.
    fn evict_instances(&mut self, rows_max: usize) {
        let mut instances: Vec<_> = self
            .tables
            .process_instances
            .rows()
            .map(|instance| (self.residence.used.get(&instance.key).copied().unwrap_or(0), instance.key))
            .collect();
        // The order is that of the last use and then of the keys. That of a hash table would not do, because
        // a simulation must be able to repeat the choice.
        instances.sort_unstable();
        for (_, instance) in instances {
            if self.rows() <= rows_max {
                break;
            }
            self.evict_instance(instance);
        }
        let live: FxHashSet<_> = self.tables.process_instances.rows().map(|instance| instance.key).collect();
        // Instances that have ended since leave no use behind.
        self.residence.used.retain(|instance, _| live.contains(instance));
    }

    /// Goes down the scopes by their links, because a search of the tables would cost as much as all that is in memory.
    fn evict_instance(&mut self, instance: ProcessInstanceKey) {
        let mut scopes = vec![instance.scope()];
        while let Some(scope) = scopes.pop() {
            if let Some(element) = self.unload::<ElementInstance>(scope) {
                if let Some(job) = element.job {
                    self.unload::<Job>(job);
                    let back_off = self.index.back_offs.get(&job).copied();
                    back_off.and_then(|timer| self.unload::<Timer>(timer));
                }
                element.user_task.and_then(|task| self.unload::<UserTask>(task));
            }
            self.unload::<LoopInput>(scope);
            self.forget_loop_items(scope);
            let Some(links) = self.index.links.get_mut(&scope) else { continue };
            links.residency = Residency::All;
            let links = std::mem::take(links);
            self.index.links.remove(&scope);
            scopes.extend(links.children);
            for key in links.variables.into_values() {
                self.unload::<Variable>(key);
            }
            for key in links.timers {
                self.unload::<Timer>(key);
            }
            for key in links.messages {
                self.unload::<MessageSubscription>(key);
            }
            for key in links.signals {
                self.unload::<SignalSubscription>(key);
            }
            for key in links.incidents {
                self.unload::<Incident>(key);
            }
            for counter in links.outputs {
                self.unload::<LoopOutput>((scope, counter));
            }
        }
        self.unload::<ProcessInstance>(instance);
    }

    /// Number of rows that belong to message boxes: the measure for their eviction.
    fn box_rows(&self) -> usize {
        self.tables.messages.len() + self.tables.box_subscriptions.len() + self.tables.start_locks.len()
    }

    /// Boxes of one correlation key go together, because a box is asked for with the locks of its key.
    fn evict_boxes(&mut self, rows_max: usize) {
        let mut keys: Vec<_> = self.rows_by_correlation_key().into_iter().collect();
        keys.sort_unstable_by_key(|(_, rows)| rows.newest);
        let mut evicted = FxHashSet::default();
        for (name, rows) in keys {
            if self.box_rows() <= rows_max {
                break;
            }
            for message in rows.messages {
                self.unload::<Message>(message);
            }
            for subscription in rows.subscriptions {
                self.unload::<BoxSubscription>(subscription);
            }
            for lock in rows.locks {
                self.unload::<MessageStartLock>(lock);
            }
            evicted.insert(name);
        }
        let is_evicted = |tenant: &TenantId, correlation_key: &Text| {
            evicted.contains(&(tenant.clone(), correlation_key.clone()))
        };
        let expiry_of_evicted = |timer: &Timer| match &timer.purpose {
            TimerPurpose::MessageExpiry { tenant, correlation_key, .. } => {
                is_evicted(tenant, correlation_key)
            }
            _ => false,
        };
        let timers = self.tables.timers.rows().filter(|timer| expiry_of_evicted(timer));
        let timers: Vec<_> = timers.map(|timer| timer.key).collect();
        self.index.boxes.retain(|name, _| !is_evicted(&name.tenant, &name.correlation_key));
        self.residence.standing.retain(|need| match need {
            Need::MessageBox(name) => !is_evicted(&name.tenant, &name.correlation_key),
            _ => true,
        });
        for timer in timers {
            self.unload::<Timer>(timer);
        }
        // They were looked at above, and the names of evicted boxes mean nothing any more.
        self.index.idle_boxes.clear();
    }

    /// This passes over all rows, but only when boxes are evicted. An index by correlation key would cost every command something.
    fn rows_by_correlation_key(&self) -> FxHashMap<(TenantId, Text), KeyRows> {
        let mut keys: FxHashMap<(TenantId, Text), KeyRows> = FxHashMap::default();
        let mut note = |tenant: &TenantId, correlation_key: &Text, row: i64, add: &dyn Fn(&mut KeyRows)| {
            let rows = keys.entry((tenant.clone(), correlation_key.clone())).or_default();
            rows.newest = rows.newest.max(row);
            add(rows);
        };
        for row in self.tables.messages.rows() {
            note(&row.tenant, &row.correlation_key, row.key.0, &|rows| rows.messages.push(row.key));
        }
        for row in self.tables.box_subscriptions.rows() {
            note(&row.tenant, &row.correlation_key, row.key.0, &|rows| rows.subscriptions.push(row.key));
        }
        for row in self.tables.start_locks.rows() {
            note(&row.tenant, &row.correlation_key, row.instance.0, &|rows| rows.locks.push(row.instance));
        }
        keys
    }
}
