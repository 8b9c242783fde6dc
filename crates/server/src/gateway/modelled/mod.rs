//! Facts about an element that stand only in its model, such as names and properties: rows do not repeat them. A search by such a
//! fact asks the definitions first for the elements that have it; answers look it up there too.

mod filter;
mod sort;

use super::Gateway;
use super::problem::Problem;
use super::search::Searchable;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::future::Future;
use std::sync::Arc;
use tidemill_bpmn::{Element, Process};
use tidemill_model::DefinitionKey;
use tidemill_store::query::plain::Shown;
use tidemill_store::query::{Query, Results, Search, Value};

/// Rows of elements, searched by members that stand in the model.
pub(super) trait Modelled: Searchable + Shown<View: Send + Sync> {
    /// Members of filters and sorts that stand in the model.
    const MEMBERS: &'static [&'static str];
    const DEFINITION: Self;
    const ELEMENT_ID: Self;

    /// The value that the model has for an element in one of these members.
    fn fact<'e>(element: &'e Element, member: &str) -> Option<&'e str>;
    /// True if there can be rows of this element.
    fn has_rows(element: &Element) -> bool;
    fn definition(view: &Self::View) -> DefinitionKey;
    fn element_id(view: &Self::View) -> &str;
    fn row_key(view: &Self::View) -> i64;
    /// The value of a stored field that can be sorted by.
    fn stored(view: &Self::View, field: &str) -> Value;

    fn find(
        queries: &dyn Query,
        search: &Search<Self>,
    ) -> impl Future<Output = tidemill_store::Result<Results<Self::View>>> + Send;
}

/// The definitions of some rows.
pub(super) struct Models(HashMap<DefinitionKey, Option<Arc<Process>>>);

impl Models {
    pub(super) async fn of<F: Modelled>(gateway: &Gateway, rows: &[F::View]) -> Result<Models, Problem> {
        let mut processes = HashMap::new();
        for row in rows {
            let definition = F::definition(row);
            if let Entry::Vacant(place) = processes.entry(definition) {
                place.insert(gateway.process(definition).await?);
            }
        }
        Ok(Models(processes))
    }

    /// None where the definition is gone, or has no such element.
    pub(super) fn element<F: Modelled>(&self, row: &F::View) -> Option<&Element> {
        let process = self.0.get(&F::definition(row))?.as_ref()?;
        process.element_by_id(F::element_id(row))
    }
}

/// One page of rows and their models, found and sorted by whatever the request names.
pub(super) async fn search<F: Modelled>(
    gateway: &Gateway,
    tree: &Json,
) -> Result<(Results<F::View>, Models), Problem> {
    let mut search: Search<F> = super::search::translate(tree)?;
    filter::resolve(gateway, &tree["filter"], &mut search.filter).await?;
    let found = match sort::is_wanted::<F>(tree) {
        true => sort::page(gateway, tree, search).await?,
        false => F::find(&*gateway.queries, &search).await?,
    };
    let models = Models::of::<F>(gateway, &found.items).await?;
    Ok((found, models))
}
