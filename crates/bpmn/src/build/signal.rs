//! Signals, caught and thrown.

use super::Builder;
use crate::executable::Source;
use crate::xml::Tag;

impl<'a> Builder<'a, '_, '_> {
    pub(super) fn signal_name(&mut self, definition: Tag<'a>, is_process_start: bool) -> Option<Source> {
        let Some(signal) = self.definitions.referenced(definition, "signalRef", "signal") else {
            self.report.refuse(definition, "Must reference a signal");
            return None;
        };
        let name = self.shared_name(signal)?;
        if is_process_start { self.constant_string(signal, "signal", name) } else { Some(name) }
    }
}
