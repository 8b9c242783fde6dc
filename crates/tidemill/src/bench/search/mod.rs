//! `tidemill bench search`: the searches that people make, over a small and a large history in one run.

mod fill;
mod questions;
mod report;

use super::child::Child;
use super::place::FreshPlace;
use crate::client::{Client, NewFile};
use anyhow::{Context, Result, bail};
use clap::Args;
use fill::Filling;
use questions::{Answered, Question};
use report::{Report, Row};
use serde_json::json;
use tidemill_model::DefinitionKey;

pub(super) const PROCESS_ID: &str = "bench-search";

/// Latency of searches at two sizes of history: lists must stay fast for years
///
/// Fills a fresh store with ended instances, starts a server on it in a process of its own and asks it over HTTP on
/// loopback; then fills on to the larger size and asks the same again. Every search is asked with other values each time.
///
/// The history is not run but written: batches of ended instances go through the store's own commit, as those of a server
/// do, with the rows that a run of the process would have left (the instance, three elements, a job, four variables; a
/// user task for one in 20, an incident for one in 50, one in 100 terminated). A million of them takes minutes.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill bench search
  tidemill bench search --large 1000000 --json
  tidemill bench search --store postgres://postgres@localhost/postgres")]
pub(super) struct Search {
    /// Store of the server, sqlite:PATH, postgres://... or redis://...; on a server in a new schema or under a new prefix, dropped afterwards [default: a
    /// new file in this directory, removed afterwards]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// Ended instances of the small history, enough for a hundred pages
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u64).range(6_000..))]
    small: u64,

    /// Ended instances of the large history
    #[arg(long, default_value_t = 300_000, value_name = "N", value_parser = clap::value_parser!(u64).range(6_000..))]
    large: u64,

    /// Times that each search is asked
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(10..))]
    repeat: u32,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

impl Search {
    pub(super) fn run(self) -> Result<()> {
        if self.large <= self.small {
            bail!(
                "Expected the large history to be larger than the small one, but {} <= {}",
                self.large,
                self.small
            );
        }
        let place = FreshPlace::make(self.store.as_deref())?;
        let definition = deploy(&place)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let mut filling = Filling::new(definition);
        let mut at_size = |instances: u64| -> Result<Vec<Answered>> {
            runtime.block_on(filling.fill_to(&place, instances))?;
            self.ask(&place, instances)
        };
        let (small, large) = (at_size(self.small)?, at_size(self.large)?);
        let rows = small.into_iter().zip(large).map(|(small, large)| Row::of(small, large)).collect();
        let report = Report::new(self.small, self.large, rows);
        if self.json {
            println!("{:#}", serde_json::to_value(&report)?)
        } else {
            report.print()
        }
        Ok(())
    }

    fn ask(&self, place: &FreshPlace, instances: u64) -> Result<Vec<Answered>> {
        let child = Child::start(place, 1, None)?;
        let client = Client::new(&format!("http://{}", child.address));
        Question::all()
            .iter()
            .map(|question| {
                eprintln!("{instances} instances: {}", question.name);
                question.ask(&client, instances, self.repeat).with_context(|| question.name)
            })
            .collect()
    }
}

/// A real deployment, so that the server knows the process of the instances.
fn deploy(place: &FreshPlace) -> Result<DefinitionKey> {
    let child = Child::start(place, 1, None)?;
    let client = Client::new(&format!("http://{}", child.address));
    let xml = format!(
        "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" \
         xmlns:zeebe=\"http://camunda.org/schema/zeebe/1.0\" targetNamespace=\"bench\">\
         <process id=\"{PROCESS_ID}\" isExecutable=\"true\"><startEvent id=\"start\"/>\
         <sequenceFlow id=\"a\" sourceRef=\"start\" targetRef=\"task\"/><serviceTask id=\"task\"><extensionElements>\
         <zeebe:taskDefinition type=\"bench\"/></extensionElements></serviceTask>\
         <sequenceFlow id=\"b\" sourceRef=\"task\" targetRef=\"end\"/><endEvent id=\"end\"/></process></definitions>"
    );
    client.deploy(&[NewFile { name: "bench.bpmn".to_owned(), content: xml.into_bytes() }])?;
    let filter = json!({"filter": {"processDefinitionId": PROCESS_ID}});
    let found = client.post("/v2/process-definitions/search", &filter)?;
    let key = found["items"][0]["processDefinitionKey"].as_str().context("the process was deployed")?;
    Ok(DefinitionKey(key.parse()?))
}
