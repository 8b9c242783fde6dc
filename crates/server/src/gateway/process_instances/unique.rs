//! Business ids that are unique among the running root instances of a process. The partition of a business id keeps a lock
//! on it; what other partitions and earlier settings have left running is looked for here.

use super::super::call::Call;
use super::super::problem::Problem;
use tidemill_model::command::{CreateInstance, DefinitionRef};
use tidemill_model::{ProcessInstanceKey, Rejection};
use tidemill_store::query::{
    Filter, Page, PageStart, ProcessDefinitionField, ProcessInstanceField as Field, Search, Test,
};

/// Refuses a new instance whose business id another one has.
pub(super) async fn check_creation(call: &Call, command: &CreateInstance) -> Result<(), Problem> {
    let Some(business_id) = &command.business_id else { return Ok(()) };
    let process_id = match &command.definition {
        DefinitionRef::Latest(id) | DefinitionRef::Version(id, _) => id.clone(),
        DefinitionRef::Key(key) => {
            let filter = Filter::default().is(ProcessDefinitionField::Key, Test::eq(key.key()));
            let found = call.gateway.queries.process_definitions(&first(filter)).await?;
            // The engine says that there is no such definition.
            let Some(definition) = found.items.into_iter().next() else { return Ok(()) };
            definition.process_id
        }
    };
    let filter = Filter::default()
        .is(Field::BusinessId, Test::eq(business_id.as_str()))
        .is(Field::State, Test::eq("ACTIVE"))
        .is(Field::ProcessId, Test::eq(process_id.as_str()))
        .is(Field::TenantId, Test::eq(command.tenant.as_str()))
        .is(Field::ParentInstance, Test::Exists(false));
    if call.gateway.queries.process_instances(&first(filter)).await?.items.is_empty() {
        return Ok(());
    }
    let reason = format!(
        "Expected to create instance of process with business id '{business_id}', but an instance with this business id \
         already exists for process definition '{process_id}'"
    );
    Err(Problem::rejected("CREATE", &Rejection::already_exists(reason)))
}

/// Where business ids are unique, a running instance gets none. The engine checks everything else.
pub(crate) async fn check_assignment(call: &Call, instance: ProcessInstanceKey) -> Result<(), Problem> {
    if !call.gateway.config.unique_business_ids {
        return Ok(());
    }
    let found = call.gateway.queries.process_instance(instance).await?;
    if found.is_none_or(|found| found.parent_instance.is_some() || found.ended_at.is_some()) {
        return Ok(());
    }
    let reason = format!(
        "Expected to assign a business id to process instance with key '{instance}', but business id assignment is not \
         allowed while business id uniqueness is enabled"
    );
    Err(Problem::rejected("ASSIGN", &Rejection::invalid_state(reason)))
}

fn first<F: tidemill_store::query::Field>(filter: Filter<F>) -> Search<F> {
    Search::of(filter).page(Page { limit: 1, start: PageStart::Offset(0) })
}
