//! Script tasks whose script is FEEL.

use super::{Subject, pass};
use crate::data::expression::to_raw;
use crate::data::{result, variables};
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_feel::Expression;
use tidemill_model::{Text, Variables};

pub(super) fn activate(
    run: &mut Run<'_>,
    subject: &Subject,
    expression: &Expression,
    result_variable: &Text,
) -> Stepped {
    let value = to_raw(&run.evaluate(subject.key, expression, &[])?.value);
    // Asked here, so that resolving the incident runs the script again.
    variables::check_size(result_variable, &value)?;
    subject.arm_boundary_events(run)?;
    let payload: Variables = [(result_variable.clone(), value)].into_iter().collect();
    result::set_payload(run, subject.key, Some(payload))?;
    pass(run, subject.key)
}
