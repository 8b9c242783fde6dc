//! The work that the expressions of one command take. It is counted, not timed: the outcome of a command must not depend
//! on the machine.

use super::expression::explained;
use crate::limits::{FEEL_STEPS_PER_ELEMENT_MAX, FEEL_STEPS_PER_FILE_BYTE, FEEL_STEPS_PER_STEP};
use crate::run::Run;
use std::cell::Cell;
use tidemill_feel::{Budget, Evaluation, EvaluationError, Expression, Scope};

/// Bytes of JSON or values that are converted for one step.
const BYTES_PER_STEP: u64 = 64;

/// The work that the expressions of a command have taken so far.
#[derive(Default)]
pub(crate) struct Work {
    feel_steps: Cell<u64>,
    /// As it was when the current step of the process began.
    before_step: Cell<u64>,
    evaluations: Cell<u64>,
}

impl Work {
    /// Counts the conversion of so many bytes.
    pub(crate) fn charge_bytes(&self, bytes: u64) {
        self.charge(bytes / BYTES_PER_STEP);
    }

    /// Counts the reading of deployed files. It leaves the expressions of their start events what they may take.
    pub(crate) fn charge_files(&self, bytes: u64) {
        self.charge(bytes.saturating_mul(FEEL_STEPS_PER_FILE_BYTE));
        self.begin_step();
    }

    fn charge(&self, feel_steps: u64) {
        self.feel_steps.set(self.feel_steps.get().saturating_add(feel_steps));
    }

    /// The work in steps of a process.
    pub(crate) fn steps(&self) -> usize {
        usize::try_from(self.feel_steps.get() / FEEL_STEPS_PER_STEP).unwrap_or(usize::MAX)
    }

    pub(crate) fn feel_steps(&self) -> u64 {
        self.feel_steps.get()
    }

    pub(crate) fn begin_step(&self) {
        self.before_step.set(self.feel_steps.get());
    }

    /// The work that expressions of the current step may still take.
    fn left(&self) -> u64 {
        FEEL_STEPS_PER_ELEMENT_MAX.saturating_sub(self.feel_steps.get() - self.before_step.get())
    }

    pub(crate) fn evaluations(&self) -> u64 {
        self.evaluations.get()
    }

    fn count_evaluation(&self) -> u64 {
        self.evaluations.set(self.evaluations.get() + 1);
        self.evaluations.get()
    }
}

impl Run<'_> {
    /// Evaluates within what is left to the step, and tells in words why that failed.
    pub(crate) fn evaluate_in(
        &self,
        scope: &dyn Scope,
        expression: &Expression,
    ) -> Result<Evaluation, String> {
        let usual = Budget::default();
        let left = self.work.left();
        let budget = Budget { steps_max: usual.steps_max.min(left), ..usual };
        let seed = self.seed(self.work.count_evaluation()) ^ spread(self.now.0);
        let environment = self.environment.clone().with_budget(budget).with_seed(seed);
        let (result, spent) = expression.evaluate_counted(scope, &environment);
        self.work.charge(spent.steps);
        match result {
            Ok(outcome) => {
                // The value will be written as JSON.
                self.work.charge_bytes(outcome.value.weight());
                Ok(outcome)
            }
            Err(EvaluationError::StepsExceeded { .. }) if left < usual.steps_max => Err(format!(
                "Failed to evaluate expression '{}': Expected the expressions of one element to end within \
                 {FEEL_STEPS_PER_ELEMENT_MAX} steps together, but they go on; let fewer of them read large values",
                expression.text()
            )),
            Err(error) => Err(explained(expression, &error)),
        }
    }
}

/// The time in all bits of a seed: stores that count the same keys then still draw different numbers.
fn spread(now_ms: i64) -> u128 {
    u128::from(now_ms.cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
}
