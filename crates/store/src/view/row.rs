//! The parts of a view: the stored entity, the definition it follows, and whether it has ended.

use tidemill_model::entity::ProcessDefinition;
use tidemill_model::{Text, Timestamp};

#[derive(Clone, Copy, Debug)]
pub struct Row<'e, E> {
    pub entity: &'e E,
    /// None where the store does not have it.
    pub definition: Option<&'e ProcessDefinition>,
    /// It stands in history.
    pub has_ended: bool,
}

impl<E> Row<'_, E> {
    /// Definition facts are joined when rows are read, not repeated in every row. A definition that is
    /// missing must not hide the row, so it shows an empty name.
    pub(super) fn process_id(&self) -> Text {
        self.definition.map(|definition| definition.process_id.clone()).unwrap_or_default()
    }

    pub(super) fn process_name(&self) -> Option<Text> {
        self.definition.and_then(|definition| definition.name.clone())
    }

    pub(super) fn version(&self) -> i32 {
        self.definition.map_or(0, |definition| definition.version)
    }

    /// The end that a view shows. Ended entities always show one, if need be another time; live ones never do.
    pub(super) fn ended_at(&self, ended_at: Option<Timestamp>, otherwise: Timestamp) -> Option<Timestamp> {
        self.has_ended.then(|| ended_at.unwrap_or(otherwise))
    }
}
