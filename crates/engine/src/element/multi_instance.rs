//! Multi-instance activities: a body that holds one inner instance per item of a collection. Items in and
//! out are rows of their own, so that a step costs the same with ten children as with a hundred thousand.

use super::Subject;
use crate::data::expression::{to_raw, wrong_type};
use crate::data::variables;
use crate::event::subscription;
use crate::lifecycle::{activated, completed, enqueue_activation};
use crate::limits::{CHILDREN_PER_STEP, LOOP_ITEMS_MAX};
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use tidemill_bpmn::{LoopOutputs, MultiInstance, Source};
use tidemill_feel::{Number, Value};
use tidemill_model::command::{Command, Continue, Step};
use tidemill_model::entity::{ElementInstance, IncidentKind, Lifecycle, LoopInput, LoopOutput, LoopProgress};
use tidemill_model::{ElementInstanceKey, RawJson, Text, Variables};

/// The body begins: the collection is evaluated once and the first children are made.
pub(super) fn activate(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    let model = model_of(subject)?;
    let outcome = run.evaluate(subject.key, &model.input_collection, &[])?;
    let items =
        outcome.value.as_list().ok_or_else(|| wrong_type(&model.input_collection, &outcome, "ARRAY"))?;
    if items.len() > LOOP_ITEMS_MAX {
        let message =
            format!("Expected a collection of at most {LOOP_ITEMS_MAX} items, but it has {}", items.len());
        return Err(Stop::fail(IncidentKind::ExtractValueError, message));
    }
    let total = items.len() as u32;
    let items = to_raw(&outcome.value);
    subscription::open(
        run,
        subject.key,
        &subject.definition,
        subject.element().boundary_events.iter().copied(),
    )?;
    run.insert(LoopInput { body: subject.key, origin: subject.instance.origin.clone(), items });
    run.change::<ElementInstance>(subject.key)?.progress =
        Some(LoopProgress { total, ..LoopProgress::default() });
    activated(run, subject.key)?;
    match total {
        0 => run.push(Step::Complete { element: subject.key }),
        _ if model.is_sequential => {
            enqueue_activation(run, subject.key, subject.instance.element, None, None)?;
        }
        _ => run.push(Step::SpawnChildren { body: subject.key }),
    }
    Ok(())
}

fn model_of(subject: &Subject) -> Stepped<&MultiInstance> {
    subject.element().multi_instance.as_ref().ok_or_else(|| Stop::broken("a body without multi-instance"))
}

/// Makes the next children; very many are spread over follow-up commands.
pub(crate) fn spawn(run: &mut Run<'_>, body: ElementInstanceKey) -> Stepped {
    let Some(element) = run.find_element(body)?.cloned() else { return Ok(()) };
    let Some(progress) = element.progress.filter(|progress| !progress.is_done) else { return Ok(()) };
    if element.state != Lifecycle::Activated || element.scope.interruption.is_some() {
        return Ok(());
    }
    let left = (progress.total - progress.created - element.scope.flows) as usize;
    for _ in 0..left.min(CHILDREN_PER_STEP) {
        enqueue_activation(run, body, element.element, None, None)?;
    }
    if left > CHILDREN_PER_STEP {
        let steps = vec![Step::SpawnChildren { body }];
        let instance = element.origin.instance;
        run.send_here(Command::Continue(Continue { instance, steps, elements_passed: 0 }));
    }
    Ok(())
}

/// The number of a child that is being made. Each uses up an item, so the path does not go on for ever.
pub(crate) fn count_child(run: &mut Run<'_>, body: ElementInstanceKey) -> Stepped<u32> {
    run.elements_passed = 0;
    let progress = progress_mut(run, body)?;
    progress.created += 1;
    Ok(progress.created)
}

fn progress_mut<'a>(run: &'a mut Run<'_>, body: ElementInstanceKey) -> Stepped<&'a mut LoopProgress> {
    let element = run.change::<ElementInstance>(body)?;
    element.progress.as_mut().ok_or_else(|| Stop::broken("a body without progress"))
}

/// The local variables of a new inner instance.
pub(super) fn prepare_child(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    let model = model_of(subject)?;
    let counter = subject.instance.loop_counter;
    if let Some(name) = &model.input_element {
        let item = run.loop_item(subject.instance.parent, counter)?;
        variables::set_local(run, subject.key, name, &item)?;
    }
    let counter = RawJson::new(counter.to_string());
    variables::set_local(run, subject.key, &Text::new_static("loopCounter"), &counter)?;
    if let Some(LoopOutputs { preset: Some(name), .. }) = &model.output
        && run.local_variable(subject.key, name).is_none()
    {
        variables::set_local(run, subject.key, name, &RawJson::NULL)?;
    }
    Ok(())
}

/// An inner instance completes: its output is kept, and the completion condition is asked.
pub(super) fn collect(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    let model = model_of(subject)?;
    let body = subject.instance.parent;
    if let Some(output) = &model.output {
        let value = to_raw(&run.evaluate(subject.key, &output.element, &[])?.value);
        keep_output(run, subject, value)?;
    }
    // It sees the output of this instance as well.
    let is_done = match &model.completion_condition {
        Some(condition) => is_condition_met(run, subject, model, condition)?,
        None => false,
    };
    if is_done {
        progress_mut(run, body)?.is_done = true;
        run.scope_mut(body)?.flows = 0;
        run.push(Step::TerminateChildren { scope: body, after: None });
    }
    Ok(())
}

/// An instance whose completion has failed brings its output again.
fn keep_output(run: &mut Run<'_>, subject: &Subject, value: RawJson) -> Stepped {
    let (body, loop_counter) = (subject.instance.parent, subject.instance.loop_counter);
    if run.get::<LoopOutput>((body, loop_counter)).is_some() {
        run.change::<LoopOutput>((body, loop_counter))?.value = value;
        return Ok(());
    }
    let origin = subject.instance.origin.clone();
    run.insert(LoopOutput { body, origin, loop_counter, value });
    Ok(())
}

fn is_condition_met(
    run: &Run<'_>,
    subject: &Subject,
    model: &MultiInstance,
    condition: &Source,
) -> Stepped<bool> {
    let progress = run.element(subject.instance.parent)?.progress.unwrap_or_default();
    let completed = progress.completed + 1;
    let active = if model.is_sequential { 0 } else { progress.total - completed - progress.terminated };
    let number = |value: u32| Value::Number(Number::from(i64::from(value)));
    let counters = [
        ("numberOfInstances", number(progress.total)),
        ("numberOfActiveInstances", number(active)),
        ("numberOfCompletedInstances", number(completed)),
        ("numberOfTerminatedInstances", number(progress.terminated)),
    ];
    match condition {
        Source::Static { value, .. } => Ok(value.as_str() == "true"),
        Source::Feel(condition) => run.boolean(subject.key, condition, &counters),
    }
}

/// True if the completion condition of a body was met, after which no further children begin.
pub(crate) fn is_done(run: &Run<'_>, body: ElementInstanceKey) -> bool {
    let progress = run.get::<ElementInstance>(body).and_then(|body| body.progress);
    progress.is_some_and(|progress| progress.is_done)
}

pub(crate) fn child_completed(run: &mut Run<'_>, body: ElementInstanceKey) -> Stepped {
    progress_mut(run, body)?.completed += 1;
    Ok(())
}

pub(crate) fn child_terminated(run: &mut Run<'_>, body: ElementInstanceKey) -> Stepped {
    progress_mut(run, body)?.terminated += 1;
    Ok(())
}

/// A child has ended: the next one, the end of the body, or just waiting.
pub(crate) fn go_on(run: &mut Run<'_>, body: ElementInstanceKey) -> Stepped {
    let element = run.element(body)?.clone();
    let progress = element.progress.unwrap_or_default();
    if element.scope.children > 0 || element.scope.flows > 0 {
        return Ok(());
    }
    if progress.is_done || progress.completed + progress.terminated == progress.total {
        run.push(Step::Complete { element: body });
        return Ok(());
    }
    let subject = Subject::of(run, body)?;
    if model_of(&subject)?.is_sequential {
        enqueue_activation(run, body, element.element, None, None)?;
    }
    Ok(())
}

/// The body completes: the outputs become one list in the scope around it.
pub(super) fn complete(run: &mut Run<'_>, subject: &Subject) -> Stepped {
    if let Some(output) = &model_of(subject)?.output {
        let list = run.collected_json(&subject.instance)?;
        let results: Variables = [(output.collection.clone(), list)].into_iter().collect();
        variables::merge(run, subject.instance.parent, &results)?;
    }
    subscription::close_all(run, subject.key)?;
    discard(run, subject.key);
    completed(run, subject.key)
}

/// The body is terminated and gives nothing.
pub(super) fn terminate(run: &mut Run<'_>, body: ElementInstanceKey) -> Stepped {
    run.require_outputs(run.element(body)?)?;
    discard(run, body);
    Ok(())
}

/// The collections go with the body.
fn discard(run: &mut Run<'_>, body: ElementInstanceKey) {
    run.remove::<LoopInput>(body);
    run.forget_loop_items(body);
    let outputs: Vec<u32> =
        run.links(body).map(|links| links.outputs.iter().copied().collect()).unwrap_or_default();
    for counter in outputs {
        run.remove::<LoopOutput>((body, counter));
    }
}
