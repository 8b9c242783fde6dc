//! User tasks: managed by the engine itself, or handed to a worker as a job.

use super::Subject;
use super::job_task::{self, NewJob};
use crate::data::expression::wrong_type;
use crate::lifecycle::activated;
use crate::limits::CANDIDATES_MAX;
use crate::run::Run;
use crate::state::{by_deployment, by_tag};
use crate::stop::{Stepped, Stop};
use std::sync::Arc;
use tidemill_bpmn::{Binding, FormLink, Source, UserTask as Model};
use tidemill_calendar::Date;
use tidemill_feel::{Number, Value};
use tidemill_model::entity::{ElementInstance, Form, IncidentKind, UserTask, UserTaskState};
use tidemill_model::{Event, FormKey, RawJson, Text, UserTaskKey, Variables};

/// The type under which workers get user tasks that the engine does not manage.
const JOB_TYPE: &str = "io.camunda.zeebe:userTask";
const PRIORITY_DEFAULT: i32 = 50;

pub(super) fn activate(run: &mut Run<'_>, subject: &Subject, model: &Model) -> Stepped {
    let task = evaluate(run, subject, model)?;
    subject.arm_boundary_events(run)?;
    let key = run.new_key();
    let now = run.now;
    let instance = run.instance(subject.instance.origin.instance)?.clone();
    let assignee = task.assignee.clone();
    run.insert(UserTask {
        key,
        origin: subject.instance.origin.clone(),
        element_instance: subject.key,
        element: subject.instance.element,
        element_id: subject.instance.element_id.clone(),
        name: Some(subject.element().label().clone()),
        state: UserTaskState::Creating,
        assignee: None,
        candidate_users: task.candidate_users,
        candidate_groups: task.candidate_groups,
        due_at: task.due.as_ref().map(Date::timestamp),
        follow_up_at: task.follow_up.as_ref().map(Date::timestamp),
        priority: task.priority,
        form: task.form,
        external_form_reference: task.external_form_reference,
        headers: subject.element().headers.clone(),
        business_id: instance.business_id.clone(),
        tags: instance.tags.clone(),
        action: None,
        created_at: now,
        ended_at: None,
    });
    run.change::<ElementInstance>(subject.key)?.user_task = Some(key);
    record(run, key)?;
    set_state(run, key, UserTaskState::Created)?;
    if let Some(assignee) = assignee {
        set_state(run, key, UserTaskState::Assigning)?;
        run.change::<UserTask>(key)?.assignee = Some(assignee);
        set_state(run, key, UserTaskState::Created)?;
    }
    activated(run, subject.key)
}

/// A user task without the engine's own management: a job with the attributes as headers.
pub(super) fn activate_job(run: &mut Run<'_>, subject: &Subject, model: &Model) -> Stepped {
    let task = evaluate(run, subject, model)?;
    subject.arm_boundary_events(run)?;
    let headers = job_headers(subject, &task);
    create_job(run, subject, headers)?;
    activated(run, subject.key)
}

fn create_job(run: &mut Run<'_>, subject: &Subject, headers: Option<RawJson>) -> Stepped {
    let job_type = Text::new_static(JOB_TYPE);
    job_task::create(run, subject, NewJob { job_type, retries: 1, priority: 0, headers })
}

/// The attributes of a task after evaluation.
struct Evaluated {
    assignee: Option<Text>,
    candidate_users: Vec<Text>,
    candidate_groups: Vec<Text>,
    due: Option<Date>,
    follow_up: Option<Date>,
    priority: i32,
    form: Option<FormKey>,
    form_key_text: Option<Text>,
    external_form_reference: Option<Text>,
}

fn evaluate(run: &Run<'_>, subject: &Subject, model: &Model) -> Stepped<Evaluated> {
    let key = subject.key;
    let text = |source: &Option<Source>| source.as_ref().map(|source| run.text(key, source)).transpose();
    let list = |source: &Option<Source>| {
        let list = source.as_ref().map(|source| run.text_list(key, source)).transpose()?.unwrap_or_default();
        if list.len() > CANDIDATES_MAX {
            let count = list.len();
            let message = format!(
                "Expected at most {CANDIDATES_MAX} candidates of a user task, but there are {count}."
            );
            return Err(Stop::fail(IncidentKind::ExtractValueError, message));
        }
        Ok(list)
    };
    // In the order in which Camunda evaluates them: the first that fails is told.
    let assignee = text(&model.assignee)?.filter(|assignee| !assignee.is_empty());
    let (candidate_groups, candidate_users) = (list(&model.candidate_groups)?, list(&model.candidate_users)?);
    let due = date(run, subject, model.due_date.as_ref())?;
    let follow_up = date(run, subject, model.follow_up_date.as_ref())?;
    let (mut form, mut form_key_text, mut external_form_reference) = (None, None, None);
    match &model.form {
        Some(FormLink::Deployed { form_id, binding }) => {
            let found = find_form(run, subject, &run.text(key, form_id)?, binding)?;
            form = Some(found.key);
            form_key_text = Some(Text::from(found.key.to_string()));
        }
        Some(FormLink::External { reference }) => external_form_reference = Some(run.text(key, reference)?),
        Some(FormLink::Key(written)) => form_key_text = Some(written.clone()),
        None => {}
    }
    Ok(Evaluated {
        assignee,
        candidate_users,
        candidate_groups,
        due,
        follow_up,
        priority: priority(run, subject, model.priority.as_ref())?,
        form,
        form_key_text,
        external_form_reference,
    })
}

fn priority(run: &Run<'_>, subject: &Subject, source: Option<&Source>) -> Stepped<i32> {
    let Some(source) = source else { return Ok(PRIORITY_DEFAULT) };
    let number = match source {
        Source::Static { .. } => run.integer(subject.key, source)?,
        Source::Feel(expression) => {
            let outcome = run.evaluate(subject.key, expression, &[])?;
            let Value::Number(number) = &outcome.value else {
                return Err(wrong_type(expression, &outcome, "NUMBER"));
            };
            let whole = number.trunc_i64().filter(|whole| Number::from(*whole) == *number);
            whole.ok_or_else(|| {
                let reason = format!(
                    "Expected result of the expression '{}' to be an integer, but was a decimal.",
                    expression.text()
                );
                Stop::fail(IncidentKind::ExtractValueError, reason)
            })?
        }
    };
    match i32::try_from(number) {
        Ok(priority @ 0..=100) => Ok(priority),
        _ => Err(Stop::fail(
            IncidentKind::ExtractValueError,
            format!("Expected priority to be in the range [0,100] but was '{number}'."),
        )),
    }
}

fn source_text(source: &Source) -> &str {
    match source {
        Source::Static { text, .. } => text,
        Source::Feel(expression) => expression.text(),
    }
}

/// Due and follow-up dates may be null.
fn date(run: &Run<'_>, subject: &Subject, source: Option<&Source>) -> Stepped<Option<Date>> {
    let Some(source) = source else { return Ok(None) };
    let invalid = |text: &str, error: &dyn std::fmt::Display| {
        let reason =
            format!("Invalid date-time format '{text}' for expression '{}'. {error}", source_text(source));
        Stop::fail(IncidentKind::ExtractValueError, reason)
    };
    let parsed = match source {
        Source::Static { text, .. } => Date::parse(text, &run.zone).map_err(|error| invalid(text, &error))?,
        Source::Feel(expression) => {
            let outcome = run.evaluate(subject.key, expression, &[])?;
            match &outcome.value {
                Value::Null => return Ok(None),
                Value::String(text) if text.is_empty() => return Ok(None),
                Value::String(text) => {
                    Date::parse_with_offset(text).map_err(|error| invalid(text, &error))?
                }
                Value::DateTime(value) => {
                    let text = value.to_string();
                    Date::parse(&text, &run.zone).map_err(|error| invalid(&text, &error))?
                }
                _ => return Err(wrong_type(expression, &outcome, "[NULL, DATE_TIME, STRING]")),
            }
        }
    };
    Ok(Some(parsed))
}

fn find_form(run: &Run<'_>, subject: &Subject, form_id: &Text, binding: &Binding) -> Stepped<Arc<Form>> {
    let tenant = &subject.instance.origin.tenant;
    let mut versions = run.form_versions(tenant, form_id)?;
    versions.retain(|form| !form.is_deleted);
    let (found, missing) = match binding {
        Binding::Latest => (
            versions.last(),
            format!(
                "Expected to find a form with id '{form_id}', but no form with this id is found, at least a form with \
                 this id should be available. To resolve the Incident please deploy a form with the same id"
            ),
        ),
        Binding::Deployment => {
            let deployment = subject.definition.head.deployment;
            (
                by_deployment(&versions, |form| form.deployment, deployment),
                format!(
                    "Expected to use a form with id '{form_id}' with binding type 'deployment', but no such form found \
                     in the deployment with key {deployment} which contained the current process. To resolve this incident, \
                     migrate the process instance to a process definition that is deployed together with the intended form \
                     to use. Migration is not offered yet: deploy both together and start anew, or bind the form to its \
                     latest version."
                ),
            )
        }
        Binding::VersionTag(tag) => (
            by_tag(&versions, |form| form.version_tag.as_ref(), tag),
            format!(
                "Expected to use a form with id '{form_id}' and version tag '{tag}', but no such form found. To \
                     resolve the incident, deploy a form with the given id and version tag."
            ),
        ),
    };
    found.cloned().ok_or_else(|| Stop::fail(IncidentKind::FormNotFound, missing))
}

fn job_headers(subject: &Subject, task: &Evaluated) -> Option<RawJson> {
    let mut headers = match &subject.element().headers {
        Some(headers) => Variables::parse(headers.as_str()).unwrap_or_default(),
        None => Variables::default(),
    };
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            headers.set(format!("io.camunda.zeebe:{name}"), RawJson::string(&value));
        }
    };
    let list = |items: &[Text]| (!items.is_empty()).then(|| serde_json::to_string(items).unwrap_or_default());
    put("assignee", task.assignee.as_ref().map(ToString::to_string));
    put("candidateGroups", list(&task.candidate_groups));
    put("candidateUsers", list(&task.candidate_users));
    put("dueDate", task.due.as_ref().map(Date::to_text));
    put("followUpDate", task.follow_up.as_ref().map(Date::to_text));
    put("formKey", task.form_key_text.as_ref().map(ToString::to_string));
    (!headers.is_empty()).then(|| headers.to_json())
}

pub(crate) fn set_state(run: &mut Run<'_>, key: UserTaskKey, state: UserTaskState) -> Stepped {
    run.change::<UserTask>(key)?.state = state;
    record(run, key)
}

fn record(run: &mut Run<'_>, key: UserTaskKey) -> Stepped {
    if run.records_wanted
        && let Some(task) = run.get::<UserTask>(key).cloned()
    {
        run.record(key, Some(task.origin.instance), || Event::UserTask {
            element_id: task.element_id.clone(),
            state: task.state,
        });
    }
    Ok(())
}

/// The task's element is being terminated.
pub(super) fn cancel(run: &mut Run<'_>, key: UserTaskKey) -> Stepped {
    if run.get::<UserTask>(key).is_none() {
        return Ok(());
    }
    set_state(run, key, UserTaskState::Canceling)?;
    end(run, key, UserTaskState::Canceled)
}

pub(crate) fn end(run: &mut Run<'_>, key: UserTaskKey, state: UserTaskState) -> Stepped {
    let now = run.now;
    set_state(run, key, state)?;
    run.change::<UserTask>(key)?.ended_at = Some(now);
    if let Some(task) = run.end::<UserTask>(key)
        && run.get::<ElementInstance>(task.element_instance).is_some()
    {
        run.change::<ElementInstance>(task.element_instance)?.user_task = None;
    }
    Ok(())
}
