//! The working state of one partition: what commands have touched, as entities with indexes over them.
//! Derived from the store at any time; losing it loses nothing.

mod aggregate;
mod catalog;
mod evict;
mod files;
mod index;
mod jobs;
mod keys;
mod links;
mod loops;
mod residence;
mod table;

pub use aggregate::Aggregate;
pub(crate) use catalog::{Definition, by_deployment, by_tag};
pub use catalog::{ReadProcess, UnreadableDefinition};
pub(crate) use jobs::JobQueues;
pub(crate) use links::Residency;

use crate::stop::{Stepped, Stop};
use catalog::Catalog;
use files::FilesRead;
use index::{Filed, Index};
use keys::KeySource;
use links::ScopeLinks;
use loops::ParsedOutputs;
use residence::Residence;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use table::Table;
use tidemill_calendar::Zone;
use tidemill_model::entity::*;
use tidemill_model::{
    Change, ElementInstanceKey, Entity, Need, PartitionCount, PartitionId, ProcessInstanceKey, RawJson,
    Stored,
};

/// The in-memory picture of a partition.
pub struct Working {
    pub(crate) partition: PartitionId,
    pub(crate) partitions: PartitionCount,
    pub(crate) zone: Zone,
    pub(crate) jobs: JobQueues,
    pub(crate) catalog: Catalog,
    /// Records are for tests and traces. Without a reader they would cost time in every step.
    pub(crate) records_wanted: bool,
    keys: KeySource,
    files_read: FilesRead,
    tables: Tables,
    index: Index,
    residence: Residence,
    /// Derived from `LoopInput` rows.
    loops: FxHashMap<ElementInstanceKey, Arc<Vec<RawJson>>>,
    /// Derived from `LoopOutput` rows.
    parsed_outputs: ParsedOutputs,
    /// Of values that were written since it was last asked for.
    /// The core adds them to the size of its batch, which has a limit.
    value_bytes: usize,
}

impl Working {
    pub fn new(partition: PartitionId, partitions: PartitionCount) -> Working {
        Working {
            partition,
            partitions,
            zone: Zone::utc(),
            jobs: JobQueues::default(),
            catalog: Catalog::default(),
            records_wanted: false,
            keys: KeySource::new(partition),
            files_read: FilesRead::default(),
            tables: Tables::default(),
            index: Index::default(),
            residence: Residence::default(),
            loops: FxHashMap::default(),
            parsed_outputs: ParsedOutputs::default(),
            value_bytes: 0,
        }
    }

    /// The zone of dates and crons that name none.
    pub fn with_zone(mut self, zone: Zone) -> Working {
        self.zone = zone;
        self
    }

    /// Outcomes carry records from now on.
    pub fn with_records(mut self) -> Working {
        self.records_wanted = true;
        self
    }

    /// Forgets everything that can be read from the store again. Compiled processes never change and stay.
    /// Changes that were not taken are lost.
    /// Keys stay reserved: those that were given out are never given again.
    pub fn forget(&mut self) {
        self.jobs = JobQueues::default();
        self.tables = Tables::default();
        self.index = Index::default();
        self.residence = Residence::default();
        self.loops.clear();
        self.parsed_outputs = ParsedOutputs::default();
    }

    /// The net changes of all commands since they were last taken.
    pub fn take_changes(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        self.tables.take_changes(&mut changes);
        // From here on the store has these jobs, as far as this memory is concerned: what is in flight counts as written.
        self.jobs.forget_young();
        changes
    }

    /// Bytes of the values that commands have written since it was last asked: variables, and items of collections.
    pub fn take_value_bytes(&mut self) -> usize {
        std::mem::take(&mut self.value_bytes)
    }

    /// The command succeeded.
    pub(crate) fn keep(&mut self) {
        self.value_bytes += self.tables.value_bytes();
        // Queues of jobs have no journal of their own. They follow only when a command counts, so there is nothing to undo.
        let touched: Vec<_> = self.tables.jobs.touched().collect();
        for job in touched {
            self.jobs.refresh(job, self.tables.jobs.get(job).map(|job| &**job));
        }
        self.jobs.told(true);
        self.keys.keep();
        self.files_read.forget();
        self.catalog.keep();
        self.tables.keep();
    }

    /// Number of rows that the current command has changed.
    pub(crate) fn rows_touched(&self) -> usize {
        self.tables.touched_count()
    }

    /// The command failed: everything is as it was before, the index included, which the tables report to.
    pub(crate) fn undo(&mut self) {
        self.jobs.told(false);
        self.keys.undo();
        // `files_read` stays: the command that has failed for want of rows runs again with the same files.
        self.catalog.undo();
        self.tables.undo(&mut self.index);
    }

    pub(crate) fn get<R: Tabled>(&self, key: R::Key) -> Option<&Arc<R>> {
        R::table(&self.tables).get(key)
    }

    /// The row, known to be absent, or a need.
    pub(crate) fn find<R: Tabled>(
        &self,
        key: R::Key,
        need: impl FnOnce() -> Need,
    ) -> Stepped<Option<&Arc<R>>> {
        let table = R::table(&self.tables);
        match table.get(key) {
            Some(row) => Ok(Some(row)),
            // This batch has taken it away, of which the store does not know yet: asking would bring it back.
            None if table.is_gone(key) => Ok(None),
            None => {
                let need = need();
                if self.residence.is_answered(&need) { Ok(None) } else { Err(need.into()) }
            }
        }
    }

    pub(crate) fn change<R: Tabled>(&mut self, key: R::Key) -> Stepped<&mut R> {
        R::table_mut(&mut self.tables)
            .get_mut(key)
            .ok_or_else(|| Stop::broken("a row to change is not there"))
    }

    /// Every change of a row's existence goes through here or `remove`, `end` and `load`, so that the index cannot fall behind.
    pub(crate) fn insert<R: Tabled>(&mut self, row: R) {
        row.file(&mut self.index);
        R::table_mut(&mut self.tables).insert(row);
    }

    pub(crate) fn remove<R: Tabled>(&mut self, key: R::Key) -> Option<Arc<R>> {
        let row = R::table_mut(&mut self.tables).remove(key)?;
        row.unfile(&mut self.index);
        Some(row)
    }

    pub(crate) fn end<R: Tabled>(&mut self, key: R::Key) -> Option<Arc<R>> {
        let row = R::table_mut(&mut self.tables).end(key)?;
        row.unfile(&mut self.index);
        Some(row)
    }

    pub(crate) fn log<R: Tabled>(&mut self, row: R) {
        R::table_mut(&mut self.tables).log(row);
    }

    /// Changes a row in memory only. See [`Table::patch`].
    pub(crate) fn patch<R: Tabled>(&mut self, key: R::Key, change: impl FnOnce(&mut R)) {
        R::table_mut(&mut self.tables).patch(key, change);
    }

    pub(crate) fn is_dirty<R: Tabled>(&self, key: R::Key) -> bool {
        R::table(&self.tables).is_dirty(key)
    }

    /// Taken away by this batch.
    pub(crate) fn is_gone<R: Tabled>(&self, key: R::Key) -> bool {
        R::table(&self.tables).is_gone(key)
    }

    /// A row that memory has already is not filed again: it may have changed since.
    fn load<R: Tabled>(&mut self, row: Arc<R>) {
        if R::table_mut(&mut self.tables).load(row.clone()) {
            row.file(&mut self.index);
        }
    }

    pub(crate) fn links(&self, scope: ElementInstanceKey) -> Option<&ScopeLinks> {
        self.index.links.get(&scope)
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// Number of rows of instances that are in memory: the measure for eviction.
    pub fn rows(&self) -> usize {
        self.tables.element_instances.len()
            + self.tables.variables.len()
            + self.tables.process_instances.len()
    }

    /// Everything that is kept in memory, counted: rows, lists that lead to them, and what is known of the store.
    pub fn entries(&self) -> usize {
        let names = self.index.len() + self.residence.len() + self.jobs.len();
        self.tables.len() + names + self.loops.len() + self.catalog.len()
    }

    pub(crate) fn instance(&self, key: ProcessInstanceKey) -> Stepped<&Arc<ProcessInstance>> {
        self.find_instance(key)?.ok_or_else(|| Stop::broken(format!("instance {key} is not there")))
    }

    pub(crate) fn find_instance(&self, key: ProcessInstanceKey) -> Stepped<Option<&Arc<ProcessInstance>>> {
        self.find(key, || Need::Instance(key))
    }

    pub(crate) fn element(&self, key: ElementInstanceKey) -> Stepped<&Arc<ElementInstance>> {
        self.find_element(key)?.ok_or_else(|| Stop::broken(format!("element instance {key} is not there")))
    }

    pub(crate) fn find_element(&self, key: ElementInstanceKey) -> Stepped<Option<&Arc<ElementInstance>>> {
        self.find(key, || Need::Element(key))
    }
}

/// A row with a table of its own. The macro below writes the implementations, so that a new kind of row cannot be forgotten in one of the
/// loops over all tables.
pub(crate) trait Tabled: Stored + Filed {
    fn table(tables: &Tables) -> &Table<Self>;

    fn table_mut(tables: &mut Tables) -> &mut Table<Self>;
}

macro_rules! tables {
    ([] $($row:ident in $field:ident $facts:tt)+) => {
        #[derive(Default)]
        pub(crate) struct Tables {
            $($field: Table<$row>,)+
        }

        $(
            impl Tabled for $row {
                fn table(tables: &Tables) -> &Table<$row> {
                    &tables.$field
                }

                fn table_mut(tables: &mut Tables) -> &mut Table<$row> {
                    &mut tables.$field
                }
            }
        )+

        impl Tables {
            fn keep(&mut self) {
                $(self.$field.keep();)+
            }

            fn undo(&mut self, index: &mut Index) {
                // Both closures change the index, but never at the same time.
                let index = std::cell::RefCell::new(index);
                $(self.$field.undo(
                    |row| row.file(&mut index.borrow_mut()),
                    |row| row.unfile(&mut index.borrow_mut()),
                );)+
            }

            fn len(&self) -> usize {
                0 $(+ self.$field.len())+
            }

            fn touched_count(&self) -> usize {
                0 $(+ self.$field.touched_count())+
            }

            fn take_changes(&mut self, changes: &mut Vec<Change>) {
                $(self.$field.take_changes(changes);)+
            }
        }

        impl Working {
            /// Takes what the store has into memory, without a change to write.
            fn load_entity(&mut self, entity: &Entity) {
                match entity {
                    $(Entity::$row(row) => self.load(row.clone()),)+
                }
            }
        }
    };
}

tidemill_model::for_each_entity!([tables] []);

impl Tables {
    /// Of what the current command writes, the values that can be large.
    fn value_bytes(&self) -> usize {
        let variables = self.variables.written().map(|row| row.value.as_str().len());
        let inputs = self.loop_inputs.written().map(|row| row.items.as_str().len());
        let outputs = self.loop_outputs.written().map(|row| row.value.as_str().len());
        variables.chain(inputs).chain(outputs).sum()
    }
}
