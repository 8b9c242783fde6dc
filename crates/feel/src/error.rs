//! Errors in the words that users read.

use std::fmt;

/// A text that is not a FEEL expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// Tokens that the grammar allows here, e.g. `')'`.
    pub expected: String,
    /// The token that stands here instead.
    pub found: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SyntaxError { line, column, expected, found } = self;
        write!(f, "Expected {expected}, but found {found} (line {line}, column {column})")
    }
}

impl std::error::Error for SyntaxError {}

/// An evaluation that did not end with a value. Everything else that fails is null with a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    StepsExceeded {
        steps_max: u64,
    },
    BytesExceeded {
        bytes_max: u64,
    },
    /// Calls or values nest too deep.
    DepthExceeded {
        depth_max: u32,
    },
    /// `assert` found its condition not met.
    AssertionFailed {
        message: String,
        /// The warnings of the evaluation up to this failure, which is one of them.
        warnings: Vec<Warning>,
    },
    /// A variable that was read is not JSON.
    Variable {
        name: String,
        error: JsonError,
    },
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluationError::StepsExceeded { steps_max } => {
                write!(f, "Expected to end within {steps_max} steps, but the expression goes on")
            }
            EvaluationError::BytesExceeded { bytes_max } => {
                write!(f, "Expected to need at most {bytes_max} bytes, but the expression needs more")
            }
            EvaluationError::DepthExceeded { depth_max } => {
                write!(f, "Expected calls and values to nest at most {depth_max} deep, but they nest deeper")
            }
            EvaluationError::AssertionFailed { message, .. } => f.write_str(message),
            EvaluationError::Variable { name, error } => {
                write!(f, "Expected variable '{name}' to be JSON, but {error}")
            }
        }
    }
}

impl std::error::Error for EvaluationError {}

/// A text that is not JSON, or that nests too deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset.
    pub offset: usize,
    pub expected: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was expected at byte {}", self.expected, self.offset)
    }
}

impl std::error::Error for JsonError {}

/// Why a part of the expression gave null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub kind: WarningKind,
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.kind.name(), self.message)
    }
}

/// The kinds of warnings, as users of Camunda know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningKind {
    NoVariableFound,
    NoContextEntryFound,
    NoPropertyFound,
    NotComparable,
    InvalidType,
    NoFunctionFound,
    FunctionInvocationFailure,
    AssertFailure,
    /// Warnings that Camunda does not give.
    Unknown,
}

impl WarningKind {
    pub fn name(self) -> &'static str {
        match self {
            WarningKind::NoVariableFound => "NO_VARIABLE_FOUND",
            WarningKind::NoContextEntryFound => "NO_CONTEXT_ENTRY_FOUND",
            WarningKind::NoPropertyFound => "NO_PROPERTY_FOUND",
            WarningKind::NotComparable => "NOT_COMPARABLE",
            WarningKind::InvalidType => "INVALID_TYPE",
            WarningKind::NoFunctionFound => "NO_FUNCTION_FOUND",
            WarningKind::FunctionInvocationFailure => "FUNCTION_INVOCATION_FAILURE",
            WarningKind::AssertFailure => "ASSERT_FAILURE",
            WarningKind::Unknown => "UNKNOWN",
        }
    }
}
