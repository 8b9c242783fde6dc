//! Where the result of an element goes when it completes.

use super::{mapping, variables};
use crate::run::Run;
use crate::state::Definition;
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::{Behavior, Catch, Element};
use tidemill_model::ElementInstanceKey;
use tidemill_model::entity::ElementInstance;

/// Where a result is merged from when there is no output mapping.
enum Destination {
    /// The element's own scope: a local variable of that name takes it and keeps it.
    Own,
    /// The scope around the element.
    Around,
    /// It stays in the element and ends with it.
    Local,
}

/// Applies the payload and the output mappings of a completing element.
pub(crate) fn apply(run: &mut Run<'_>, key: ElementInstanceKey) -> Stepped {
    let element = run.element(key)?.clone();
    let definition = run.definition(element.origin.definition)?;
    let target = definition.process.element(element.element);
    if !target.outputs.is_empty() {
        if let Some(payload) = &element.payload {
            variables::set_all_local(run, key, payload)?;
        }
        let into = if element.loop_counter > 0 { key } else { element.parent };
        let results = mapping::outputs(run, key, &target.outputs)?;
        return variables::merge(run, into, &results).map_err(as_mapping_error);
    }
    let Some(payload) = &element.payload else { return Ok(()) };
    match destination(&definition, target) {
        Destination::Own => variables::merge(run, key, payload),
        Destination::Around => variables::merge(run, element.parent, payload),
        Destination::Local => variables::set_all_local(run, key, payload),
    }
}

fn as_mapping_error(stop: Stop) -> Stop {
    match stop {
        Stop::Fail(failure) => {
            Stop::fail(tidemill_model::entity::IncidentKind::IoMappingError, failure.message)
        }
        other => other,
    }
}

fn destination(definition: &Definition, target: &Element) -> Destination {
    match &target.behavior {
        Behavior::Boundary { catch: Catch::Error { .. }, .. } => Destination::Local,
        Behavior::Boundary { .. } | Behavior::Start { .. } => Destination::Around,
        Behavior::IntermediateCatch(_) if follows_event_based_gateway(definition, target) => {
            Destination::Around
        }
        _ => Destination::Own,
    }
}

fn follows_event_based_gateway(definition: &Definition, target: &Element) -> bool {
    target.incoming.iter().any(|flow| {
        let source = definition.process.flow(*flow).source;
        matches!(definition.process.element(source).behavior, Behavior::EventBased { .. })
    })
}

/// Sets what an element will bring to its scope when it completes.
pub(crate) fn set_payload(
    run: &mut Run<'_>,
    key: ElementInstanceKey,
    payload: Option<tidemill_model::Variables>,
) -> Stepped {
    run.change::<ElementInstance>(key)?.payload = payload.filter(|payload| !payload.is_empty());
    Ok(())
}
