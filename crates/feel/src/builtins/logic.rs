//! `not` and the functions that ask whether something is there.

use super::{Builtin, Call, CallResult, builtin, fixed};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Builtin] = &[builtin("not", &[fixed(&["negand"])], not)];

fn not(call: &mut Call<'_, '_>) -> CallResult {
    match call.boolean(0) {
        Some(value) => Ok(Value::Boolean(!value)),
        None => call.refuse("a boolean"),
    }
}
