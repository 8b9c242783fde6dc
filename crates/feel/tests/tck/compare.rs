//! Whether a result is what a case expects.

use tidemill_feel::Value;

/// How far numbers may lie apart, as in the kit's own runner.
const TOLERANCE: f64 = 1e-8;

pub(crate) fn conforms(actual: &Value, expected: &Value) -> bool {
    match (actual, expected) {
        (Value::Number(actual), Value::Number(expected)) => {
            actual == expected || (actual.to_f64() - expected.to_f64()).abs() < TOLERANCE
        }
        (Value::List(actual), Value::List(expected)) => {
            actual.len() == expected.len()
                && actual.iter().zip(expected).all(|(actual, expected)| conforms(actual, expected))
        }
        (Value::Context(actual), Value::Context(expected)) => {
            actual.len() == expected.len()
                && expected
                    .iter()
                    .all(|(key, expected)| actual.get(key).is_some_and(|actual| conforms(actual, expected)))
        }
        (actual, expected) => actual == expected,
    }
}
