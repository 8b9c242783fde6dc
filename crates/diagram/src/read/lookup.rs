//! Tables of what elements refer to, such as event definitions. They are filled before elements are read, because a
//! search through the file for each reference would cost the square of its length.

use super::event;
use super::tag::{is_bpmn, is_true, name};
use crate::model::Trigger;
use roxmltree::Document;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(super) struct Lookup<'a> {
    /// Data objects that stand for many.
    pub(super) collections: FxHashSet<&'a str>,
    /// Event definitions that stand beside the processes.
    pub(super) triggers: FxHashMap<&'a str, Trigger>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(document: &'a Document<'a>) -> Lookup<'a> {
        let mut lookup = Lookup::default();
        let root = document.root_element();
        let objects = root.descendants().filter(|xml| is_bpmn(xml) && name(xml) == "dataObject");
        lookup.collections = objects
            .filter(|object| is_true(object, "isCollection"))
            .filter_map(|object| object.attribute("id"))
            .collect();
        let definitions =
            root.children().filter(|xml| is_bpmn(xml) && name(xml).ends_with("EventDefinition"));
        lookup.triggers = definitions
            .filter_map(|definition| {
                Some((definition.attribute("id")?, event::by_definition(name(&definition))))
            })
            .collect();
        lookup
    }
}
