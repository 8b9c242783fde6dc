//! `tidemill variables`: what an instance knows, and how to change it.

use crate::client::{Listing, Once, Paging, RemoteCommand, Session, VariablesArgument};
use crate::output::{Column, cell, say};
use anyhow::Result;
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use ureq::http::Method;

/// List the variables of an instance, or set them
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill variables list 2251799813685251
  tidemill variables set 2251799813685251 --variable amount=120 --variable name=Ada
  tidemill variables set 2251799813685251 --variables '{\"order\": {\"id\": \"A-1\"}}'")]
pub(crate) struct Variables {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    List(List),
    Set(Set),
}

/// List the variables of a process instance
#[derive(Args)]
struct List {
    /// Key of the process instance
    instance: i64,

    /// Only variables of this name
    #[arg(long)]
    name: Option<String>,

    #[command(flatten)]
    paging: Paging,
}

/// Set variables of a process instance, or of one of its elements
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill variables set 2251799813685251 --variable amount=120 --variable name=Ada
  tidemill variables set 2251799813685260 --local --variables @values.json

A variable goes to the innermost scope that has it, from the element that is named up to the instance; a new one to the
instance. With --local it goes to the element itself.")]
struct Set {
    /// Key of the instance, or of an element of it (see `tidemill show KEY --json`)
    key: i64,

    #[command(flatten)]
    variables: VariablesArgument,

    /// In this scope itself, whatever the scopes around it have
    #[arg(long)]
    local: bool,

    #[command(flatten)]
    once: Once,
}

const COLUMNS: [Column<'_>; 4] = [
    ("NAME", |item| cell(item, "name")),
    ("VALUE", |item| cell(item, "value")),
    ("SCOPE", |item| cell(item, "scopeKey")),
    ("KEY", |item| cell(item, "variableKey")),
];

#[derive(Serialize)]
struct Body {
    variables: Box<RawValue>,
    local: bool,
}

impl RemoteCommand for Variables {
    fn run(self, session: &Session) -> Result<()> {
        match self.action {
            Action::List(list) => list.run(session),
            Action::Set(set) => set.run(session),
        }
    }
}

impl List {
    fn run(self, session: &Session) -> Result<()> {
        let listing = Listing {
            path: "/v2/variables/search?truncateValues=false",
            filter: json!({"processInstanceKey": self.instance.to_string(), "name": self.name}),
            sort: json!([{"field": "name"}, {"field": "variableKey"}]),
            columns: &COLUMNS,
            things: "variables",
        };
        listing.print(session, &self.paging)
    }
}

impl Set {
    fn run(self, session: &Session) -> Result<()> {
        let body = Body { variables: self.variables.required()?, local: self.local };
        let path = format!("/v2/element-instances/{}/variables", self.key);
        session.client.command::<()>(Method::PUT, &path, self.once.key(), &body)?;
        let done = json!({"elementInstanceKey": self.key.to_string(), "updated": true});
        session.show_line(&done, |_| say!("set variables of {}", self.key));
        Ok(())
    }
}
