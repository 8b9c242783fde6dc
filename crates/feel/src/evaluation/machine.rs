//! The state of one evaluation: budget, warnings, random sequence.

use crate::environment::Environment;
use crate::error::{EvaluationError, Warning};
use crate::expression::Dialect;
use crate::value::{Function, Value};

/// More warnings than this say nothing new.
const WARNINGS_MAX: usize = 32;

pub(crate) struct Machine<'e> {
    environment: &'e Environment,
    dialect: Dialect,
    steps: u64,
    bytes: u64,
    random_state: u64,
    warnings: Vec<Warning>,
}

impl<'e> Machine<'e> {
    pub(crate) fn new(environment: &'e Environment, dialect: Dialect) -> Machine<'e> {
        let random_state = environment.seed;
        Machine { environment, dialect, steps: 0, bytes: 0, random_state, warnings: Vec::new() }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub(crate) fn environment(&self) -> &'e Environment {
        self.environment
    }

    #[inline]
    pub(crate) fn charge_steps(&mut self, steps: u64) -> Result<(), EvaluationError> {
        self.steps = self.steps.saturating_add(steps);
        let steps_max = self.environment.budget.steps_max;
        if self.steps > steps_max { Err(EvaluationError::StepsExceeded { steps_max }) } else { Ok(()) }
    }

    #[inline]
    pub(crate) fn charge_bytes(&mut self, bytes: u64) -> Result<(), EvaluationError> {
        self.bytes = self.bytes.saturating_add(bytes);
        let bytes_max = self.environment.budget.bytes_max;
        if self.bytes > bytes_max { Err(EvaluationError::BytesExceeded { bytes_max }) } else { Ok(()) }
    }

    /// Whether so many bytes could still be taken; takes none.
    pub(crate) fn ensure_bytes(&self, bytes: u64) -> Result<(), EvaluationError> {
        let bytes_max = self.environment.budget.bytes_max;
        let fits = self.bytes.saturating_add(bytes) <= bytes_max;
        if fits { Ok(()) } else { Err(EvaluationError::BytesExceeded { bytes_max }) }
    }

    pub(crate) fn warn(&mut self, message: impl FnOnce() -> String) {
        if self.warnings.len() < WARNINGS_MAX {
            let warning = Warning { message: message() };
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// SplitMix64: a well-spread sequence from any seed.
    pub(crate) fn random(&mut self) -> u64 {
        self.random_state = self.random_state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random_state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn invoke(
        &mut self,
        _function: &Function,
        _arguments: Vec<Value>,
    ) -> Result<Value, EvaluationError> {
        self.charge_steps(1)?;
        Ok(Value::Null)
    }
}
