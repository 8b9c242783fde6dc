//! Goes on with steps that an earlier command did not get to.

use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::Answer;
use tidemill_model::command::Continue;

pub(super) fn run(run: &mut Run<'_>, command: &Continue) -> Stepped<Answer> {
    run.elements_passed = command.elements_passed;
    for step in &command.steps {
        run.push(step.clone());
    }
    Ok(Answer::Done)
}
