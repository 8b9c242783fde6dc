//! `tidemill deploy`: files to the server, all or none.

use crate::client::{Failure, NewFile, Once, RemoteCommand, Session};
use crate::output::{cell, complain, finding, print_rows};
use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Deploy BPMN files, forms and other resources, all or none
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill deploy order.bpmn
  tidemill deploy models/*.bpmn forms/*.form
  tidemill deploy order.bpmn --json | jq -r '.deployments[0].processDefinition.processDefinitionKey'

A file that is deployed already, unchanged, keeps its version.")]
pub(crate) struct Deploy {
    /// Files to deploy together, at most 32 MB (see --deployment-limit of `tidemill serve`)
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    once: Once,
}

impl RemoteCommand for Deploy {
    fn run(self, session: &Session) -> Result<()> {
        let files: Vec<NewFile> = self.files.iter().map(|path| read(path)).collect::<Result<_>>()?;
        let answer = session
            .client
            .deploy_once(&files, self.once.key())
            .map_err(|failure| with_paths(failure, &self.files))?;
        for warning in answer["warnings"].as_array().into_iter().flatten() {
            complain!("warning: {}", finding(&with_path(warning.clone(), &self.files)));
        }
        session.show(&answer, |answer| {
            let deployed = answer["deployments"].as_array().into_iter().flatten().filter_map(row);
            print_rows(["KIND", "ID", "VERSION", "KEY", "FILE"].into_iter(), deployed);
        });
        Ok(())
    }
}

/// Findings name their file as it was given, so that it can be opened from there.
fn with_paths(mut failure: Failure, paths: &[PathBuf]) -> Failure {
    if let Failure::Refused { problem, .. } = &mut failure {
        for finding in problem["findings"].as_array_mut().into_iter().flatten() {
            *finding = with_path(finding.take(), paths);
        }
    }
    failure
}

fn with_path(mut finding: Value, paths: &[PathBuf]) -> Value {
    let known = paths.iter().find(|path| Some(name(path).as_str()) == finding["file"].as_str());
    if let Some(path) = known {
        finding["file"] = path.display().to_string().into();
    }
    finding
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string())
}

fn read(path: &Path) -> Result<NewFile> {
    let content = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(NewFile { name: name(path), content })
}

/// An entry has one member for each kind of resource; one of them is set.
fn row(entry: &Value) -> Option<Vec<String>> {
    let kinds = [
        (
            "process",
            "processDefinition",
            "processDefinitionId",
            "processDefinitionVersion",
            "processDefinitionKey",
        ),
        ("decision", "decisionDefinition", "decisionDefinitionId", "version", "decisionDefinitionKey"),
        (
            "decision graph",
            "decisionRequirements",
            "decisionRequirementsId",
            "version",
            "decisionRequirementsKey",
        ),
        ("form", "form", "formId", "version", "formKey"),
        ("resource", "resource", "resourceId", "version", "resourceKey"),
    ];
    let (kind, member, id, version, key) = kinds.into_iter().find(|kind| !entry[kind.1].is_null())?;
    let shown = &entry[member];
    Some(vec![
        kind.to_owned(),
        cell(shown, id),
        cell(shown, version),
        cell(shown, key),
        cell(shown, "resourceName"),
    ])
}
