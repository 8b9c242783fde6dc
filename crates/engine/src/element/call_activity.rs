//! Call activities: another process as a part of this one.

use super::Subject;
use crate::command::assign_business_id::is_too_long;
use crate::command::create_instance::{self, NewInstance};
use crate::data::expression::{check_indexed, push_warnings, type_name};
use crate::lifecycle::{activated, terminated};
use crate::limits::{BUSINESS_ID_CHARACTERS_MAX, CALL_DEPTH_MAX, RECURSIVE_CALLS_MAX};
use crate::run::Run;
use crate::state::{Definition, by_deployment, by_tag};
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::{Behavior, Binding, CalledElement, Source};
use tidemill_feel::Value;
use tidemill_model::command::Step;
use tidemill_model::entity::{ElementInstance, IncidentKind, Lifecycle, ParentCall, ProcessInstance};
use tidemill_model::{DefinitionKey, ElementInstanceKey, ProcessInstanceKey, Text, Variables};

pub(super) fn activate(run: &mut Run<'_>, subject: &Subject, called: &CalledElement) -> Stepped {
    let parent = run.instance(subject.instance.origin.instance)?.clone();
    if parent.call_depth >= CALL_DEPTH_MAX {
        return Err(failed(format!(
            "The call activity has reached the maximum depth of {CALL_DEPTH_MAX}. This is likely due to a recursive \
             call. Cancel the root process instance if this was unintentional."
        )));
    }
    let process_id = run.text(subject.key, &called.process_id)?;
    let definition = find_called(run, subject, called, &process_id)?;
    let start = definition.process.none_start().ok_or_else(|| {
        failed(format!(
            "Expected process with BPMN process id '{process_id}' to have a none start event, but not found."
        ))
    })?;
    let business_id = business_id(run, subject, called, &parent)?;
    let is_recursive = is_recursive(run, &parent, definition.head.key)?;
    if is_recursive {
        // The termination that begins at the root may still be on its way down.
        if run.instance(parent.root)?.state == Lifecycle::Terminating {
            return Ok(());
        }
        check_recursive(run, parent.root)?;
    }
    subject.arm_boundary_events(run)?;
    activated(run, subject.key)?;
    if is_recursive {
        run.change::<ProcessInstance>(parent.root)?.recursive_calls += 1;
    }
    let variables = if called.propagates_all_parent_variables {
        run.visible_variables(subject.key, &[])?
    } else if subject.element().inputs.is_empty() {
        // Not even those of a loop around it.
        Variables::default()
    } else {
        run.local_variables(subject.key)
    };
    let instance = create_instance::begin(
        run,
        &definition,
        NewInstance {
            tenant: parent.tenant.clone(),
            variables,
            parent: Some(ParentCall { instance: parent.key, element: subject.key }),
            root: Some(parent.root),
            call_depth: parent.call_depth + 1,
            is_recursive,
            business_id,
            ..NewInstance::default()
        },
    )?;
    run.change::<ElementInstance>(subject.key)?.called = Some(instance);
    create_instance::start_at(run, instance, start, None)
}

/// The one that the model gives, or that of the caller. An empty one, or null on purpose, leaves the called instance without.
fn business_id(
    run: &Run<'_>,
    subject: &Subject,
    called: &CalledElement,
    parent: &ProcessInstance,
) -> Stepped<Option<Text>> {
    let given = match &called.business_id {
        None => return Ok(parent.business_id.clone()),
        Some(Source::Static { text, .. }) => text.clone(),
        Some(Source::Feel(expression)) => {
            let outcome = run.evaluate(subject.key, expression, &[])?;
            match &outcome.value {
                Value::String(text) => text.clone(),
                Value::Null if outcome.warnings.is_empty() => return Ok(None),
                Value::Null => {
                    let mut message = format!(
                        "Expected to resolve the business id for the call activity from expression '{}', but it \
                         evaluated to null.",
                        expression.text()
                    );
                    push_warnings(&mut message, &outcome.warnings);
                    return Err(Stop::fail(IncidentKind::ExtractValueError, message));
                }
                other => {
                    let message = format!(
                        "Expected the business id for the call activity to resolve to a string, but expression \
                         '{}' evaluated to '{}'.",
                        expression.text(),
                        type_name(other)
                    );
                    return Err(Stop::fail(IncidentKind::ExtractValueError, message));
                }
            }
        }
    };
    if is_too_long(&given) {
        let message = format!(
            "Expected to resolve a valid business id for the call activity, but it exceeds the max length of \
             {BUSINESS_ID_CHARACTERS_MAX}."
        );
        return Err(Stop::fail(IncidentKind::ExtractValueError, message));
    }
    check_indexed(&given)?;
    Ok(Some(given).filter(|given| !given.is_empty()))
}

/// True if the called process stands above itself in the chain of calls, or stands below one that does.
fn is_recursive(run: &Run<'_>, caller: &ProcessInstance, called: DefinitionKey) -> Stepped<bool> {
    let mut current = caller;
    loop {
        if current.is_recursive || current.definition == called {
            return Ok(true);
        }
        match current.parent {
            Some(parent) => current = run.instance(parent.instance)?,
            None => return Ok(false),
        }
    }
}

/// Checks whether one more instance may live because a process has called itself.
fn check_recursive(run: &Run<'_>, root: ProcessInstanceKey) -> Stepped {
    if run.instance(root)?.recursive_calls >= RECURSIVE_CALLS_MAX {
        return Err(failed(format!(
            "Expected at most {RECURSIVE_CALLS_MAX} instances below root instance '{root}' that live at once \
             because a process calls itself, but this would be one more; the process may call itself without \
             end. Cancel the root instance, or resolve this incident once others have ended."
        )));
    }
    Ok(())
}

/// A called instance has ended: its root may have another one.
pub(crate) fn uncount_recursive(run: &mut Run<'_>, ended: &ProcessInstance) -> Stepped {
    if ended.is_recursive && run.find_instance(ended.root)?.is_some() {
        let root = run.change::<ProcessInstance>(ended.root)?;
        root.recursive_calls = root.recursive_calls.saturating_sub(1);
    }
    Ok(())
}

fn find_called(
    run: &Run<'_>,
    subject: &Subject,
    called: &CalledElement,
    process_id: &Text,
) -> Stepped<Definition> {
    let tenant = &subject.instance.origin.tenant;
    let versions = run.active_versions(tenant, process_id)?;
    let (found, missing) = match &called.binding {
        Binding::Latest => (
            versions.last(),
            format!("Expected process with BPMN process id '{process_id}' to be deployed, but not found."),
        ),
        Binding::Deployment => {
            let deployment = subject.definition.head.deployment;
            let found = by_deployment(&versions, |version| version.deployment, deployment);
            (
                found,
                format!(
                    "Expected to call process with BPMN process id '{process_id}' with binding type 'deployment', but no \
                     such process found in the deployment with key {deployment} which contained the current process. \
                     To resolve this incident, migrate the process instance to a process definition that is deployed \
                     together with the intended process definition to call. Migration is not offered yet: deploy both \
                     together and start anew, or bind the call to the latest version."
                ),
            )
        }
        Binding::VersionTag(tag) => (
            by_tag(&versions, |version| version.version_tag.as_ref(), tag),
            format!(
                "Expected to call process with BPMN process id '{process_id}' and version tag '{tag}', but no such \
                 process found. To resolve this incident, deploy a process with the given process id and version tag."
            ),
        ),
    };
    match found {
        Some(head) => run
            .definition(head.key)
            .map_err(|unreadable| unreadable.into_incident(IncidentKind::CalledElementError)),
        None => Err(failed(missing)),
    }
}

fn failed(message: String) -> Stop {
    Stop::fail(IncidentKind::CalledElementError, message)
}

/// Before a called instance ends, its variables are handed to the activity that called it.
pub(crate) fn take_results(
    run: &mut Run<'_>,
    caller: ElementInstanceKey,
    child: ProcessInstanceKey,
) -> Stepped {
    if run.find_element(caller)?.is_none() {
        return Ok(());
    }
    let subject = Subject::of(run, caller)?;
    let element = subject.element();
    let Behavior::Call(called) = &element.behavior else { return Ok(()) };
    if called.propagates_all_child_variables || !element.outputs.is_empty() {
        let results = run.local_variables(child.scope());
        crate::data::result::set_payload(run, caller, Some(results))?;
    }
    Ok(())
}

pub(crate) fn child_completed(run: &mut Run<'_>, caller: ElementInstanceKey) -> Stepped {
    match run.find_element(caller)?.map(|element| element.state) {
        Some(Lifecycle::Terminating) => terminated(run, caller),
        Some(_) => run.push(Step::Complete { element: caller }),
        None => {}
    }
    Ok(())
}

pub(crate) fn child_terminated(run: &mut Run<'_>, caller: ElementInstanceKey) -> Stepped {
    if run.find_element(caller)?.is_some_and(|element| element.state == Lifecycle::Terminating) {
        terminated(run, caller);
    }
    Ok(())
}

/// Terminates the called instance first. False if there is none any more.
pub(super) fn terminate_called(run: &mut Run<'_>, called: ProcessInstanceKey) -> Stepped<bool> {
    if run.find_instance(called)?.is_none() {
        return Ok(false);
    }
    run.push(Step::Terminate { element: called.scope() });
    Ok(true)
}
