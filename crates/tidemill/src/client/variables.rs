//! Variables on the command line: JSON, a file, or standard input. They go to the server as they were written.

use crate::exit::Usage;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::value::RawValue;
use std::io::Read;

#[derive(Args)]
pub(crate) struct VariablesArgument {
    /// Variables as a JSON object, @FILE to read them from a file, @- from standard input
    #[arg(long, short = 'v', value_name = "JSON|@FILE")]
    variables: Option<String>,
}

impl VariablesArgument {
    pub(crate) fn read(&self) -> Result<Box<RawValue>> {
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
