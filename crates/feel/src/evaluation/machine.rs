//! The state of one evaluation: budget, frames, variables read so far, warnings, random sequence.

use super::program::{Program, Slot};
use super::suggestion::nearest;
use crate::builtins;
use crate::environment::{Environment, Spent};
use crate::error::{EvaluationError, JsonError, Warning, WarningKind};
use crate::expression::Dialect;
use crate::json;
use crate::pattern::PATTERNS_MAX;
use crate::scope::{Lookup, Scope};
use crate::value::{Extent, Function, Text, VALUE_DEPTH_MAX, Value};
use std::collections::VecDeque;

/// An error in a box: results stay small on the way that is taken.
pub(crate) type Fault = Box<EvaluationError>;

/// Bytes of values or text that are read or written for one step.
pub(crate) const BYTES_PER_STEP: u64 = 64;
const SHORT_TEXT_BYTES: usize = 4096;
/// Bytes that a collection takes beside its items.
const COLLECTION_BYTES: usize = Extent::OWN_WEIGHT as usize;
/// An entry of a context that was just made: its value and its key.
const CONTEXT_ENTRY_BYTES: usize = size_of::<Value>() + size_of::<Text>();
/// More warnings than this say nothing new.
const WARNINGS_MAX: usize = 32;
/// So many are worded, to see whether they are new.
const WARNINGS_WORDED_MAX: u32 = 256;
/// Levels of nodes that may be under evaluation at once, through calls included. Every way in which an evaluation recurses
/// counts here, and the tests go through all of them on a stack of 512 KB. The smallest that a server gives its threads
/// has 2 MB, so a count is safe; a look at the stack that is left would make the outcome depend on the thread.
pub(crate) const HEIGHT_MAX: u32 = 500;

pub(crate) struct Machine<'e> {
    environment: &'e Environment,
    scope: &'e dyn Scope,
    dialect: Dialect,
    names: &'e [Text],
    globals: Vec<Global>,
    slots: Vec<Value>,
    base: usize,
    pub(super) height: u32,
    steps: u64,
    bytes: u64,
    /// Two sequences: the halves of an identifier come from different ones.
    random_states: Option<[u64; 2]>,
    draws: usize,
    /// Regular expressions and their flags that were used lately, the last one first.
    patterns: VecDeque<(Text, Text)>,
    /// While more than zero, warnings are dropped.
    quiet: u32,
    warnings: Vec<Warning>,
    warnings_worded: u32,
}

/// A variable of the caller, as far as it was read.
#[derive(Clone)]
enum Global {
    Untouched,
    /// A part was read straight from the text; the next time the whole is kept.
    PartlyRead,
    Known(Value),
    /// There is none: every use of it warns.
    Missing,
}

impl<'e> Machine<'e> {
    pub(crate) fn new(
        environment: &'e Environment,
        scope: &'e dyn Scope,
        names: &'e [Text],
        dialect: Dialect,
    ) -> Machine<'e> {
        Machine {
            environment,
            scope,
            dialect,
            names,
            globals: vec![Global::Untouched; names.len()],
            slots: Vec::new(),
            base: 0,
            height: 0,
            steps: 0,
            bytes: 0,
            random_states: None,
            draws: 0,
            patterns: VecDeque::new(),
            quiet: 0,
            warnings: Vec::new(),
            warnings_worded: 0,
        }
    }

    /// Evaluates a whole program; unary tests find their input in the first slot.
    pub(crate) fn run(&mut self, program: &Program, input: Option<&Value>) -> Result<Value, Fault> {
        self.reserve(program.frame_size);
        self.height = program.height;
        if let Some(input) = input
            && program.frame_size > 0
        {
            self.set_local(0, input.clone());
        }
        self.eval(&program.root)
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub(crate) fn environment(&self) -> &'e Environment {
        self.environment
    }

    pub(crate) fn spent(&self) -> Spent {
        Spent { steps: self.steps, bytes: self.bytes }
    }

    pub(crate) fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }

    /// True if nothing was warned of.
    pub(crate) fn is_silent(&self) -> bool {
        self.warnings.is_empty()
    }

    #[inline]
    pub(crate) fn charge_steps(&mut self, steps: u64) -> Result<(), Fault> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.environment.budget.steps_max { Err(self.out_of_steps()) } else { Ok(()) }
    }

    #[cold]
    fn out_of_steps(&self) -> Fault {
        EvaluationError::StepsExceeded { steps_max: self.environment.budget.steps_max }.into()
    }

    #[inline]
    pub(crate) fn charge_bytes(&mut self, bytes: u64) -> Result<(), Fault> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.environment.budget.bytes_max { Err(self.out_of_bytes()) } else { Ok(()) }
    }

    #[cold]
    fn out_of_bytes(&self) -> Fault {
        EvaluationError::BytesExceeded { bytes_max: self.environment.budget.bytes_max }.into()
    }

    /// Counts a collection or text that was just made, and refuses one too deep or too heavy to be walked.
    pub(crate) fn charge_value(&mut self, value: Value) -> Result<Value, Fault> {
        let own = match &value {
            Value::List(list) => COLLECTION_BYTES + list.len() * size_of::<Value>(),
            Value::Context(context) => COLLECTION_BYTES + context.len() * CONTEXT_ENTRY_BYTES,
            Value::String(text) => text.len(),
            Value::Function(_) | Value::Range(_) => COLLECTION_BYTES,
            _ => return Ok(value),
        };
        self.charge_bytes(own as u64 + size_of::<Value>() as u64)?;
        if value.depth() > VALUE_DEPTH_MAX {
            return Err(EvaluationError::DepthExceeded { depth_max: VALUE_DEPTH_MAX }.into());
        }
        if value.weight() > self.environment.budget.bytes_max { Err(self.out_of_bytes()) } else { Ok(value) }
    }

    /// Counts the reading of a JSON text. The step that asks for a short text pays for reading it, too.
    fn charge_text(&mut self, text: &str) -> Result<(), Fault> {
        if text.len() > SHORT_TEXT_BYTES {
            self.charge_steps(text.len() as u64 / BYTES_PER_STEP)?;
            self.ensure_json_fits(text)?;
        }
        Ok(())
    }

    /// Refuses a JSON text whose value could not be kept, before it is read.
    pub(crate) fn ensure_json_fits(&self, text: &str) -> Result<(), Fault> {
        let left = self.environment.budget.bytes_max.saturating_sub(self.bytes);
        if json::fits(text, left) { Ok(()) } else { Err(self.out_of_bytes()) }
    }

    /// Counts a value that was just read, with everything in it.
    pub(crate) fn charge_read(&mut self, value: Value) -> Result<Value, Fault> {
        self.charge_bytes(value.weight())?;
        Ok(value)
    }

    /// Fails if so many bytes could not be taken any more; takes none.
    pub(crate) fn ensure_bytes(&self, bytes: u64) -> Result<(), Fault> {
        let fits = self.bytes.saturating_add(bytes) <= self.environment.budget.bytes_max;
        if fits { Ok(()) } else { Err(self.out_of_bytes()) }
    }

    /// True if the pattern is among those used lately in this evaluation; now it is.
    pub(crate) fn has_used_pattern(&mut self, source: &str, flags: &str) -> bool {
        let known = self.patterns.iter().position(|(known, with)| known == source && with == flags);
        let entry = known.and_then(|place| self.patterns.remove(place));
        self.patterns.push_front(entry.unwrap_or_else(|| (source.into(), flags.into())));
        self.patterns.truncate(PATTERNS_MAX);
        known.is_some()
    }

    pub(crate) fn warn(&mut self, kind: WarningKind, message: impl FnOnce() -> String) {
        let is_heard = self.quiet == 0 && self.warnings.len() < WARNINGS_MAX;
        if is_heard && self.warnings_worded < WARNINGS_WORDED_MAX {
            self.warnings_worded += 1;
            self.warnings.push(Warning { kind, message: message() });
        }
    }

    /// Null, with a warning.
    pub(crate) fn refuse(&mut self, kind: WarningKind, message: impl FnOnce() -> String) -> Value {
        self.warn(kind, message);
        Value::Null
    }

    /// Runs a part whose warnings nobody should see.
    pub(super) fn quietly<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        self.quiet += 1;
        let result = part(self);
        self.quiet -= 1;
        result
    }

    /// SplitMix64, from two sequences in turn: well spread, and different for different seeds.
    pub(crate) fn random(&mut self) -> u64 {
        let states = self.random_states.get_or_insert_with(|| sequences(self.environment.seed));
        let state = &mut states[self.draws % 2];
        self.draws += 1;
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(*state)
    }

    /// Makes room for a frame of that size above the current one.
    pub(crate) fn reserve(&mut self, frame_size: u32) {
        self.slots.resize(self.base + frame_size as usize, Value::Null);
    }

    #[inline]
    pub(super) fn local(&self, slot: Slot) -> &Value {
        &self.slots[self.base + slot as usize]
    }

    #[inline]
    pub(super) fn set_local(&mut self, slot: Slot, value: Value) {
        self.slots[self.base + slot as usize] = value;
    }

    /// Runs a function body in a frame of its own.
    pub(super) fn in_frame<T>(
        &mut self,
        frame_size: u32,
        height: u32,
        body: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.height += height + 2;
        if self.height > HEIGHT_MAX {
            return Err(EvaluationError::DepthExceeded { depth_max: HEIGHT_MAX }.into());
        }
        let outer = std::mem::replace(&mut self.base, self.slots.len());
        self.reserve(frame_size);
        let result = body(self);
        self.slots.truncate(self.base);
        self.base = outer;
        self.height -= height + 2;
        result
    }

    #[inline]
    pub(super) fn global(&mut self, index: u32) -> Result<Value, Fault> {
        match &self.globals[index as usize] {
            Global::Known(value) => Ok(value.clone()),
            _ => self.load(index),
        }
    }

    fn load(&mut self, index: u32) -> Result<Value, Fault> {
        let name = &self.names[index as usize];
        if let Global::Missing = self.globals[index as usize] {
            return Ok(self.missing(name));
        }
        let value = match self.scope.get(name) {
            Some(Lookup::Value(value)) => value,
            Some(Lookup::Json(text)) => {
                self.charge_text(text)?;
                let value = json::read(text).map_err(|error| self.bad_variable(index, error))?;
                self.charge_read(value)?
            }
            None => match builtins::find(name, self.dialect) {
                Some(builtin) => Value::Function(Function::Builtin(builtin)),
                None => {
                    self.globals[index as usize] = Global::Missing;
                    return Ok(self.missing(name));
                }
            },
        };
        self.globals[index as usize] = Global::Known(value.clone());
        Ok(value)
    }

    /// The value at a path of a variable, read straight from its text if that is the first time.
    pub(super) fn global_path(&mut self, index: u32, path: &[Text]) -> Result<Option<Value>, Fault> {
        let Some(text) = self.unread_json(index)? else { return Ok(None) };
        let found = json::read_path(text, path).map_err(|error| self.bad_variable(index, error))?;
        found.map(|value| self.charge_read(value)).transpose()
    }

    /// The text of a variable that is JSON, the first time that it is asked for. After that, the whole is kept.
    pub(super) fn unread_json(&mut self, index: u32) -> Result<Option<&'e str>, Fault> {
        if !matches!(self.globals[index as usize], Global::Untouched) {
            return Ok(None);
        }
        match self.scope.get(&self.names[index as usize]) {
            Some(Lookup::Json(text)) => {
                self.globals[index as usize] = Global::PartlyRead;
                self.charge_text(text)?;
                Ok(Some(text))
            }
            Some(Lookup::Value(value)) => {
                self.globals[index as usize] = Global::Known(value);
                Ok(None)
            }
            None => Ok(None),
        }
    }

    #[cold]
    pub(super) fn bad_variable(&self, index: u32, error: JsonError) -> Fault {
        let name = self.names[index as usize].to_string();
        EvaluationError::Variable { name, error }.into()
    }

    fn missing(&mut self, name: &Text) -> Value {
        let scope = self.scope;
        self.refuse(WarningKind::NoVariableFound, || {
            let names = scope.names();
            match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("No variable found with name '{name}'. Did you mean '{near}'?"),
                None => format!("No variable found with name '{name}'"),
            }
        })
    }
}

/// Where the two random sequences of a seed begin: every bit of the seed counts for both.
fn sequences(seed: u128) -> [u64; 2] {
    let (high, low) = ((seed >> 64) as u64, seed as u64);
    [mixed(high).wrapping_add(low), mixed(!low).wrapping_add(high)]
}

fn mixed(state: u64) -> u64 {
    let mut mixed = state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
