//! Variables on the command line: JSON, a file, or standard input.

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Map, Value};
use std::io::Read;

#[derive(Args)]
pub(crate) struct VariablesArgument {
    /// Variables as a JSON object, @FILE to read them from a file, @- from standard input
    #[arg(long, short = 'v', value_name = "JSON|@FILE")]
    variables: Option<String>,
}

impl VariablesArgument {
    pub(crate) fn read(&self) -> Result<Value> {
        let Some(given) = &self.variables else { return Ok(Value::Object(Map::new())) };
        let text = match given.strip_prefix('@') {
            Some("-") => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
                text
            }
            Some(file) => std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?,
            None => given.clone(),
        };
        match serde_json::from_str(&text).with_context(|| format!("the variables are not JSON: {given}"))? {
            Value::Object(variables) => Ok(Value::Object(variables)),
            _ => bail!("variables must be a JSON object, such as '{{\"amount\": 3}}', but got: {given}"),
        }
    }
}
