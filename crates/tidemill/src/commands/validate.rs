//! `tidemill validate`: what a deployment would say, without a server.

use crate::output::{self, count, finding, say};
use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;
use tidemill_bpmn::Finding;
use tidemill_model::command::ResourceFile;

/// Check files without a server
///
/// Reports everything that would keep them from being deployed together: models as file:line:column, forms, ids that
/// stand in two files, and what is bound to this deployment but not part of it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill validate models/*.bpmn models/*.form
  tidemill validate order.bpmn --json

Exit code 0 when all files are fine, 7 when something was found. Warnings, such as unknown extensions that have no effect,
change nothing about the exit code.")]
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
        if self.json {
            output::report_failures_as_json();
        }
        let files = read(&self.files)?;
        let (findings, warnings) = (check(&files), warnings(&files));
        if self.json {
            say!("{:#}", json!({"findings": findings, "warnings": warnings}));
        } else {
            findings.iter().for_each(|found| say!("{}", finding(found)));
            warnings.iter().for_each(|found| say!("warning: {}", finding(found)));
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

/// Files under their paths, so that findings name what was given.
fn read(paths: &[PathBuf]) -> Result<Vec<ResourceFile>> {
    let read = |path: &PathBuf| {
        let name = path.display().to_string();
        let content = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        Ok(ResourceFile { name: name.into(), content: content.into() })
    };
    paths.iter().map(read).collect()
}

/// Each model by itself, then all files together as one deployment. While a model is broken nobody can tell what it
/// would have brought along, so only the rest is looked at then.
fn check(files: &[ResourceFile]) -> Vec<Value> {
    let (models, rest): (Vec<_>, Vec<_>) =
        files.iter().cloned().partition(|file| file.name.ends_with(".bpmn") || file.name.ends_with(".xml"));
    let mut findings: Vec<Value> = models.iter().flat_map(check_model).collect();
    let together = if findings.is_empty() { files } else { &rest };
    if let Err(rejection) = tidemill_engine::check_deployment(together) {
        // The first line says only that this was about a deployment.
        let reason = rejection.reason.split_once('\n').map_or(&*rejection.reason, |(_, errors)| errors);
        findings.push(json!({"reason": reason}));
    }
    findings
}

fn check_model(file: &ResourceFile) -> Vec<Value> {
    let Err(findings) = tidemill_bpmn::read(&file.content) else { return Vec::new() };
    shown(file, findings.0)
}

/// Warnings about parts of the models that have no effect.
fn warnings(files: &[ResourceFile]) -> Vec<Value> {
    let models = files.iter().filter(|file| file.name.ends_with(".bpmn") || file.name.ends_with(".xml"));
    models.flat_map(|file| shown(file, tidemill_bpmn::warnings(&file.content))).collect()
}

fn shown(file: &ResourceFile, findings: Vec<Finding>) -> Vec<Value> {
    let shown = findings.into_iter().map(|finding| {
        json!({
            "file": &*file.name,
            "line": finding.line,
            "column": finding.column,
            "elementId": finding.element_id.as_str(),
            "elementName": finding.element_name.as_deref(),
            "reason": finding.reason,
            "remedy": finding.remedy,
        })
    });
    shown.collect()
}
