//! Starting a process instance, and waiting for its end where that is asked for.

use super::super::answer;
use super::super::call::{Call, Handled, variables};
use super::super::findings::{Findings, default_tenant};
use super::super::json;
use super::super::problem::Problem;
use super::unique;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::time::Duration;
use tidemill_model::command::{CreateInstance, DefinitionRef, StartInstruction};
use tidemill_model::{Command, Key, ProcessInstanceKey, RawJson, Rejection, Text, Variables};
use tidemill_store::query::{Filter, Page, PageStart, Search, Test, VariableField};

const AWAIT_DEFAULT: Duration = Duration::from_secs(15);
const TAGS_MAX: usize = 10;
const TAG_CHARS_MAX: usize = 100;
const BUSINESS_ID_CHARS_MAX: usize = 256;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Creation {
    process_definition_id: Option<String>,
    process_definition_key: Option<String>,
    process_definition_version: Option<i32>,
    variables: Option<Box<RawValue>>,
    tenant_id: Option<String>,
    operation_reference: Option<i64>,
    start_instructions: Option<Vec<StartElement>>,
    runtime_instructions: Option<Vec<RuntimeInstruction>>,
    await_completion: Option<bool>,
    fetch_variables: Option<Vec<String>>,
    request_timeout: Option<i64>,
    tags: Option<Vec<String>>,
    business_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StartElement {
    element_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RuntimeInstruction {
    #[serde(rename = "type")]
    _kind: Option<RuntimeInstructionKind>,
    after_element_id: Option<String>,
}

named_in_any_case! {
    /// The action that follows an element.
    enum RuntimeInstructionKind {
        TerminateProcessInstance = "TERMINATE_PROCESS_INSTANCE",
    }
}

pub(crate) async fn create(call: Call) -> Handled {
    let mut request: Creation = call.required_body()?;
    let (awaits, fetch, timeout) =
        (request.await_completion == Some(true), request.fetch_variables.take(), request.request_timeout);
    let mut command = creation(request)?;
    command.is_unique = call.gateway.config.unique_business_ids && command.business_id.is_some();
    if command.is_unique {
        unique::check_creation(&call, &command).await?;
    }
    if awaits && call.prefers_async() {
        return Err(Problem::invalid_argument(
            "Expected to answer at once because of 'Prefer: respond-async', but awaitCompletion asks to wait for the \
             end of the instance. Use one of them",
        ));
    }
    if !awaits {
        return call.submit(Command::CreateInstance(Box::new(command)), answer::shown).await;
    }
    let timeout = timeout.and_then(|ms| u64::try_from(ms).ok()).filter(|ms| *ms > 0);
    let timeout = timeout.map_or(AWAIT_DEFAULT, Duration::from_millis);
    create_and_await(&call, command, timeout, &fetch.unwrap_or_default()).await
}

async fn create_and_await(
    call: &Call,
    command: CreateInstance,
    timeout: Duration,
    fetch: &[String],
) -> Handled {
    let options = call.options(&command)?;
    let ended = call.gateway.broker.create_and_await(command, options, timeout).await;
    let ended = ended.map_err(|error| Problem::command("CREATE", error))?;
    if !ended.is_completed {
        let reason = format!(
            "Expected to await the completion of process instance with key '{}', but it was terminated",
            ended.created.instance
        );
        return Err(Problem::rejected("CREATE", &Rejection::invalid_state(reason)));
    }
    let variables = root_variables(call, ended.created.instance, fetch).await?;
    Ok(json::ok(&answer::created(&ended.created, Some(&variables))))
}

/// The variables of the process scope as one JSON object; all of them, or those that were asked for.
async fn root_variables(
    call: &Call,
    instance: ProcessInstanceKey,
    fetch: &[String],
) -> Result<RawJson, Problem> {
    let mut filter = Filter::default()
        .is(VariableField::ProcessInstance, Test::eq(instance.key()))
        .is(VariableField::Scope, Test::eq(instance.key()));
    if !fetch.is_empty() {
        filter =
            filter.is(VariableField::Name, Test::In(fetch.iter().map(|name| name.as_str().into()).collect()));
    }
    let mut page = Page { limit: 1000, start: PageStart::Offset(0) };
    let mut variables = Variables::default();
    loop {
        let found = call.gateway.queries.variables(&Search::of(filter.clone()).page(page.clone())).await?;
        let is_last = found.items.len() < page.limit as usize;
        found.items.into_iter().for_each(|variable| variables.set(variable.name, variable.value));
        match found.end_cursor {
            Some(cursor) if !is_last => page.start = PageStart::After(cursor),
            _ => return Ok(variables.to_json()),
        }
    }
}

fn creation(request: Creation) -> Result<CreateInstance, Problem> {
    let mut findings = Findings::default();
    let definition = definition(&request, &mut findings)?;
    findings.operation_reference(request.operation_reference);
    let start = request.start_instructions.unwrap_or_default().into_iter();
    let start = start
        .map(|start| StartInstruction { element_id: findings.required_text("elementId", start.element_id) })
        .collect();
    let ends = request.runtime_instructions.unwrap_or_default().into_iter();
    let terminate_after =
        ends.map(|end| findings.required_text("afterElementId", end.after_element_id)).collect();
    let business_id = business_id(request.business_id, &mut findings);
    let tags = tags(request.tags.unwrap_or_default(), &mut findings);
    let tenant = default_tenant("Create Process Instance", request.tenant_id.as_deref())?;
    findings.finish()?;
    let variables = variables(request.variables.as_deref())?;
    Ok(CreateInstance {
        definition,
        tenant,
        variables,
        start,
        terminate_after,
        tags,
        business_id,
        is_unique: false,
    })
}

fn definition(request: &Creation, findings: &mut Findings) -> Result<DefinitionRef, Problem> {
    let names = "[processDefinitionId, processDefinitionKey]";
    match (&request.process_definition_id, &request.process_definition_key) {
        (None, None) => Err(Problem::bad_request(format!("At least one of {names} is required"))),
        (Some(_), Some(_)) => Err(Problem::bad_request(format!("Only one of {names} is allowed"))),
        (None, Some(key)) => Ok(DefinitionRef::Key(Key(findings.key("processDefinitionKey", key)).into())),
        (Some(id), None) => {
            if !is_xml_id(id) {
                findings.add(
                    "The provided processDefinitionId contains illegal characters. \
                     It must match the pattern '^[\\p{L}_][\\p{L}\\p{N}_\\-.]*$'",
                );
            }
            let id = findings.text("processDefinitionId", id.clone());
            Ok(match request.process_definition_version {
                None | Some(-1) => DefinitionRef::Latest(id),
                Some(version) => DefinitionRef::Version(id, version),
            })
        }
    }
}

fn is_xml_id(id: &str) -> bool {
    let mut characters = id.chars();
    let is_start = |c: char| c.is_alphabetic() || c == '_';
    characters.next().is_some_and(is_start)
        && characters.all(|c| is_start(c) || c.is_numeric() || matches!(c, '-' | '.'))
}

fn tags(tags: Vec<String>, findings: &mut Findings) -> Vec<Text> {
    // One that is given twice counts once.
    let mut seen = BTreeSet::new();
    let tags: Vec<String> = tags.into_iter().filter(|tag| seen.insert(tag.clone())).collect();
    if tags.len() > TAGS_MAX {
        findings.add(format!(
            "The provided number of tags '{}' is not supported. Ensure to not add more than {TAGS_MAX} tags.",
            tags.len()
        ));
    }
    for tag in tags.iter().filter(|tag| !is_tag(tag)) {
        findings.add(format!(
            "The provided tag '{tag}' is not valid. Tags must start with a letter (a-z, A-Z), followed by \
             alphanumerics, underscores, minuses, colons, or periods. It must not be blank and must be \
             {TAG_CHARS_MAX} characters or less."
        ));
    }
    tags.into_iter().map(Text::from).collect()
}

fn is_tag(tag: &str) -> bool {
    let is_rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.');
    tag.len() <= TAG_CHARS_MAX
        && tag.starts_with(|c: char| c.is_ascii_alphabetic())
        && tag.chars().all(is_rest)
}

/// An empty one is none.
pub(crate) fn business_id(id: Option<String>, findings: &mut Findings) -> Option<Text> {
    let id = id.filter(|id| !id.is_empty())?;
    if id.chars().count() > BUSINESS_ID_CHARS_MAX {
        findings
            .add(format!("The provided businessId exceeds the limit of {BUSINESS_ID_CHARS_MAX} characters"));
        return None;
    }
    Some(findings.text("businessId", id))
}
