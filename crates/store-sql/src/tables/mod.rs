//! The searchable entities and their tables, one file for each group.

mod definition;
mod element;
mod instance;
mod message;
mod task;

use super::row::Columns;
use tidemill_store::Result;
use tidemill_store::view::OriginView;

/// Reads `instance_key, root_key, definition_key, d.process_id, tenant`.
fn origin(columns: &mut Columns<'_>) -> Result<OriginView> {
    Ok(OriginView {
        instance: columns.key()?,
        root: columns.key()?,
        definition: columns.key()?,
        process_id: columns.maybe_text()?.unwrap_or_default(),
        tenant: columns.tenant()?,
    })
}
