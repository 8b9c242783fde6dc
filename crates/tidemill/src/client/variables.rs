//! Variables on the command line: JSON, a file, standard input, or one by one. They go to the server as they were written.

use crate::exit::Usage;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io::Read;
use std::str::FromStr;

#[derive(Args)]
pub(crate) struct VariablesArgument {
    /// Variables as a JSON object, @FILE to read them from a file, @- from standard input
    #[arg(long, short = 'v', value_name = "JSON|@FILE")]
    variables: Option<String>,

    /// One variable; may be given several times. A value that is JSON is taken as such (3, true, null, '[1, 2]',
    /// '"3"'), any other is a text
    #[arg(long, value_name = "NAME=VALUE")]
    variable: Vec<SingleVariable>,
}

/// A variable by itself, as JSON.
#[derive(Clone)]
struct SingleVariable {
    name: String,
    value: Box<RawValue>,
}

impl FromStr for SingleVariable {
    type Err = String;

    fn from_str(text: &str) -> Result<SingleVariable, String> {
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err("Expected NAME=VALUE, such as amount=3".to_owned());
        };
        let value = serde_json::from_str(value).or_else(|_| serde_json::value::to_raw_value(value));
        Ok(SingleVariable { name: name.to_owned(), value: value.map_err(|error| error.to_string())? })
    }
}

impl VariablesArgument {
    /// None at all are fine.
    pub(crate) fn read(&self) -> Result<Box<RawValue>> {
        let together = self.read_together()?;
        if self.variable.is_empty() {
            return Ok(together);
        }
        let mut all: BTreeMap<String, Box<RawValue>> = serde_json::from_str(together.get())?;
        all.extend(self.variable.iter().map(|single| (single.name.clone(), single.value.clone())));
        Ok(serde_json::value::to_raw_value(&all)?)
    }

    pub(crate) fn required(&self) -> Result<Box<RawValue>> {
        if self.variables.is_none() && self.variable.is_empty() {
            return Err(
                Usage("Expected variables, but got none; add --variable NAME=VALUE".to_owned()).into()
            );
        }
        self.read()
    }

    fn read_together(&self) -> Result<Box<RawValue>> {
        let Some(given) = &self.variables else { return Ok(no_variables()) };
        let text = match given.strip_prefix('@') {
            Some("-") => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
                text
            }
            Some(file) => std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?,
            None => given.clone(),
        };
        let variables: Box<RawValue> = serde_json::from_str(&text)
            .with_context(|| Usage(format!("the variables are not JSON: {given}")))?;
        if !is_object(&variables) {
            let wanted = "variables must be a JSON object, such as '{\"amount\": 3}'";
            return Err(Usage(format!("{wanted}, but got: {given}")).into());
        }
        Ok(variables)
    }
}

pub(crate) fn no_variables() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).expect("an empty object is JSON")
}

pub(crate) fn is_object(json: &RawValue) -> bool {
    json.get().starts_with('{')
}
