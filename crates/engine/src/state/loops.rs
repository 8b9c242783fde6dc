//! The collections of multi-instance bodies: items taken apart once instead of once per child, and outputs put
//! together for those who read them before the body completes.

use super::Working;
use crate::stop::{Stepped, Stop};
use rustc_hash::FxHashMap;
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex, PoisonError};
use tidemill_feel::Value;
use tidemill_model::entity::{ElementInstance, LoopInput, LoopOutput};
use tidemill_model::{ElementInstanceKey, ElementKind, Need, RawJson, Text};

/// Outputs that an expression has read, parsed, each with the row that it was parsed from. A second read
/// parses only what is new: a completion condition reads the whole collection after each child, and parsing
/// it anew each time would cost the square of its length. Readers have a shared reference only, hence the
/// lock. It is never contended, because one thread runs the core.
#[derive(Default)]
pub(super) struct ParsedOutputs(Mutex<FxHashMap<ElementInstanceKey, Vec<ParsedOutput>>>);

type ParsedOutput = Option<(Arc<LoopOutput>, Value)>;

impl ParsedOutputs {
    pub(super) fn forget(&mut self, body: ElementInstanceKey) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).remove(&body);
    }
}

impl Working {
    /// The item for an inner instance, counted from 1.
    pub(crate) fn loop_item(&mut self, body: ElementInstanceKey, counter: u32) -> Stepped<RawJson> {
        if !self.loops.contains_key(&body) {
            let items = self.split_items(body)?;
            // The items are kept for all children of the body: splitting the text once per child would cost
            // the square of its length.
            self.loops.insert(body, Arc::new(items));
        }
        let items = &self.loops[&body];
        Ok(items.get(counter as usize - 1).cloned().unwrap_or(RawJson::NULL))
    }

    fn split_items(&self, body: ElementInstanceKey) -> Stepped<Vec<RawJson>> {
        let input = self.get::<LoopInput>(body).ok_or_else(|| Stop::broken("a body has no collection"))?;
        let items: Vec<&RawValue> = serde_json::from_str(input.items.as_str())
            .map_err(|error| Stop::broken(format!("a collection is no JSON array: {error}")))?;
        Ok(items.into_iter().map(|item| RawJson::new(item.get())).collect())
    }

    pub(crate) fn forget_loop_items(&mut self, body: ElementInstanceKey) {
        self.loops.remove(&body);
        self.parsed_outputs.forget(body);
    }

    /// The name of the collection that a body gathers; none for all other elements.
    pub(crate) fn output_collection(&self, body: &ElementInstance) -> Stepped<Option<Text>> {
        if body.kind != ElementKind::MultiInstanceBody || body.progress.is_none() {
            return Ok(None);
        }
        let definition = self.definition(body.origin.definition)?;
        let model = definition.process.element(body.element).multi_instance.as_ref();
        Ok(model.and_then(|model| model.output.as_ref()).map(|output| output.collection.clone()))
    }

    /// The output collection as it stands: one entry per item, null where an instance has given nothing yet.
    pub(crate) fn collected(&self, body: &ElementInstance) -> Stepped<Value> {
        self.require_outputs(body)?;
        let total = body.progress.unwrap_or_default().total as usize;
        let mut items = vec![Value::Null; total];
        let mut parsed = self.parsed_outputs.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parsed = parsed.entry(body.key).or_default();
        parsed.resize_with(total, || None);
        for row in self.outputs(body.key) {
            let place = row.loop_counter as usize - 1;
            let (Some(item), Some(known)) = (items.get_mut(place), parsed.get_mut(place)) else { continue };
            // The same pointer means the same row: a row that changed has a new one, because this table holds the old one.
            if !known.as_ref().is_some_and(|(from, _)| Arc::ptr_eq(from, row)) {
                let value = Value::from_json(row.value.as_str()).unwrap_or(Value::Null);
                *known = Some((row.clone(), value));
            }
            if let Some((_, value)) = known {
                *item = value.clone();
            }
        }
        Ok(Value::List(items.into()))
    }

    /// The same as JSON text.
    pub(crate) fn collected_json(&self, body: &ElementInstance) -> Stepped<RawJson> {
        self.require_outputs(body)?;
        let total = body.progress.unwrap_or_default().total;
        let mut rows = self.outputs(body.key).peekable();
        let mut list = String::from("[");
        // The texts are put together as they are: parsing thousands of outputs only to write them again would cost far more.
        for counter in 1..=total {
            if counter > 1 {
                list.push(',');
            }
            match rows.next_if(|row| row.loop_counter == counter) {
                Some(row) => list.push_str(row.value.as_str()),
                None => list.push_str("null"),
            }
        }
        list.push(']');
        Ok(RawJson::new(list))
    }

    /// In the order of the items.
    fn outputs(&self, body: ElementInstanceKey) -> impl Iterator<Item = &Arc<LoopOutput>> {
        let counters = self.links(body).into_iter().flat_map(|links| &links.outputs);
        counters.filter_map(move |counter| self.get::<LoopOutput>((body, *counter)))
    }

    /// Asks for outputs that are not in memory, as in a large instance. A body counts what it has completed, so it is known without a read
    /// whether any are missing.
    pub(crate) fn require_outputs(&self, body: &ElementInstance) -> Stepped {
        let completed = body.progress.unwrap_or_default().completed as usize;
        let known = self.links(body.key).map_or(0, |links| links.outputs.len());
        if known < completed && self.output_collection(body)?.is_some() {
            return self.require(Need::LoopOutputs(body.key));
        }
        Ok(())
    }
}
