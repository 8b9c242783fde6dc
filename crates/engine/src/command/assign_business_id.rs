//! A running instance gets its business id: on request, or with the completion of a job.

use crate::limits::BUSINESS_ID_CHARACTERS_MAX;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::AssignBusinessId;
use tidemill_model::entity::{Lifecycle, ProcessInstance};
use tidemill_model::{Answer, ElementInstanceKey, ProcessInstanceKey, Rejection, Text};

pub(super) fn run(run: &mut Run<'_>, command: &AssignBusinessId) -> Stepped<Answer> {
    let key = command.instance;
    if run.find_instance(key)?.is_none() {
        return Err(Rejection::not_found(format!("{}, but {}", expected(key), missing(run, key)?)).into());
    }
    assign(run, key, &command.business_id)?;
    Ok(Answer::Done)
}

/// The kind of entity that the key belongs to instead of a process instance.
fn missing(run: &Run<'_>, key: ProcessInstanceKey) -> Stepped<&'static str> {
    Ok(match run.find_element(ElementInstanceKey(key.0))? {
        Some(_) => "the element with this key is not a process instance",
        None => "no such process instance was found",
    })
}

/// Jobs and user tasks that exist already keep what they were made with; whatever begins later has the new id.
pub(super) fn assign(run: &mut Run<'_>, key: ProcessInstanceKey, business_id: &Text) -> Stepped {
    let instance = run.instance(key)?;
    let refuse = |why: String| format!("{}, but {why}", expected(key));
    let only = |which: &str| format!("a business id can only be assigned to {which} process instances");
    let rejection = if instance.parent.is_some() {
        Rejection::invalid_state(refuse(format!("it is a child process instance; {}", only("root"))))
    } else if instance.state != Lifecycle::Activated {
        Rejection::invalid_state(refuse(format!("it is not active; {}", only("active"))))
    } else if business_id.is_empty() {
        Rejection::invalid_argument(refuse("the provided business id is empty".to_owned()))
    } else if is_too_long(business_id) {
        let limit = BUSINESS_ID_CHARACTERS_MAX;
        Rejection::invalid_argument(refuse(format!("the business id exceeds the max length of {limit}")))
    } else if instance.business_id.is_some() {
        Rejection::invalid_state(refuse("it already has a business id assigned".to_owned()))
    } else {
        run.change::<ProcessInstance>(key)?.business_id = Some(business_id.clone());
        return Ok(());
    };
    Err(rejection.into())
}

pub(crate) fn is_too_long(business_id: &str) -> bool {
    business_id.len() > BUSINESS_ID_CHARACTERS_MAX
        && business_id.encode_utf16().count() > BUSINESS_ID_CHARACTERS_MAX
}

fn expected(key: ProcessInstanceKey) -> String {
    format!("Expected to assign a business id to process instance with key '{key}'")
}
