//! `tidemill validate`: what a deployment would say, without a server.

use crate::output::{count, finding, say};
use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use std::fmt;
use std::path::{Path, PathBuf};

/// Check BPMN files without a server
///
/// Reports everything that would keep a file from being deployed, as file:line:column.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill validate models/*.bpmn
  tidemill validate order.bpmn --json

Exit code 0 when all files are fine, 7 when something was found.")]
pub(crate) struct Validate {
    /// Files to check
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,

    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// The outcome that makes the exit code.
#[derive(Debug)]
pub(crate) struct Invalid {
    findings: usize,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&count(self.findings as i64, "finding", "findings"))
    }
}

impl std::error::Error for Invalid {}

impl Validate {
    pub(crate) fn run(self) -> Result<()> {
        let mut findings = Vec::new();
        for file in &self.files {
            findings.extend(check(file)?);
        }
        if self.json {
            say!("{:#}", json!({"findings": findings}));
        } else {
            findings.iter().for_each(|found| say!("{}", finding(found)));
        }
        match findings.len() {
            0 if self.json => Ok(()),
            0 => {
                say!("{} fine", if self.files.len() == 1 { "the file is" } else { "all files are" });
                Ok(())
            }
            findings => Err(Invalid { findings }.into()),
        }
    }
}

fn check(file: &Path) -> Result<Vec<Value>> {
    let content = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let Err(findings) = tidemill_bpmn::read(&content) else { return Ok(Vec::new()) };
    let shown = findings.0.into_iter().map(|finding| {
        json!({
            "file": file.display().to_string(),
            "line": finding.line,
            "column": finding.column,
            "elementId": finding.element_id.as_str(),
            "elementName": finding.element_name.as_deref(),
            "reason": finding.reason,
            "remedy": finding.remedy,
        })
    });
    Ok(shown.collect())
}
