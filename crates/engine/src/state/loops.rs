//! Input collections of multi-instance bodies, taken apart once instead of once per child.

use super::Working;
use crate::stop::{Step, Stop};
use serde_json::value::RawValue;
use std::sync::Arc;
use tidemill_model::entity::LoopInput;
use tidemill_model::{ElementInstanceKey, RawJson};

impl Working {
    /// The item for an inner instance, counted from 1.
    pub(crate) fn loop_item(&mut self, body: ElementInstanceKey, counter: u32) -> Step<RawJson> {
        if !self.loops.contains_key(&body) {
            let items = self.split_items(body)?;
            self.loops.insert(body, Arc::new(items));
        }
        let items = &self.loops[&body];
        Ok(items.get(counter as usize - 1).cloned().unwrap_or(RawJson::NULL))
    }

    fn split_items(&self, body: ElementInstanceKey) -> Step<Vec<RawJson>> {
        let input = self.get::<LoopInput>(body).ok_or_else(|| Stop::broken("a body has no collection"))?;
        let items: Vec<&RawValue> = serde_json::from_str(input.items.as_str())
            .map_err(|error| Stop::broken(format!("a collection is no JSON array: {error}")))?;
        Ok(items.into_iter().map(|item| RawJson::new(item.get())).collect())
    }

    pub(crate) fn forget_loop_items(&mut self, body: ElementInstanceKey) {
        self.loops.remove(&body);
    }
}
