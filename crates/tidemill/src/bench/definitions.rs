//! `tidemill bench definitions`: what a command costs with its definition in the cache and without.

use super::place::{BenchStore, FreshPlace};
use crate::output::print_rows;
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;
use tidemill_model::command::{CreateInstance, DefinitionRef, Deploy, ResourceFile};
use tidemill_model::{Command, PartitionCount, TenantId, Text, Variables};
use tidemill_server::broker::{Broker, CommandOptions};
use tidemill_server::{CacheReport, DefinitionCacheConfig, Node, NodeConfig};

/// Sizes of the models.
const ELEMENTS: [usize; 2] = [20, 100];
/// By turns, so that a cache of one never has the next.
const PROCESSES: [&str; 2] = ["first", "second"];
const COMPILATIONS: usize = 50;

/// The cost of a command whose definition is in the cache, and of one that has to read and compile it first
///
/// Starts instances of two processes by turns, one after the other: once with room for both in the cache, once with room
/// for one, so that every command misses. The difference is what a miss costs.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill bench definitions
  tidemill bench definitions --rounds 1000 --json")]
pub(super) struct Definitions {
    /// Store, sqlite:PATH, postgres://... or redis://... [default: a new file in this directory, removed afterwards]
    #[arg(long, value_name = "URL")]
    store: Option<String>,

    /// Commands of each kind
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = clap::value_parser!(u32).range(10..))]
    rounds: u32,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Figures {
    elements: usize,
    hit_us: f64,
    miss_us: f64,
    miss_costs_us: f64,
    /// To read and compile the file alone, without the store: the fastest of many, which other work on the machine hardly touches.
    compile_us: f64,
    bytes_per_definition: usize,
}

impl Definitions {
    pub(super) fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let mut all = Vec::new();
        for elements in ELEMENTS {
            let place = FreshPlace::make(self.store.as_deref())?;
            all.push(runtime.block_on(self.measure(&place, elements))?);
        }
        if self.json {
            println!("{:#}", serde_json::to_value(&all)?);
            return Ok(());
        }
        let rows = all.into_iter().map(|figures| {
            vec![
                figures.elements.to_string(),
                format!("{:.0} µs", figures.hit_us),
                format!("{:.0} µs", figures.miss_us),
                format!("{:.0} µs", figures.miss_costs_us),
                format!("{:.0} µs", figures.compile_us),
                format!("{:.1} kB", figures.bytes_per_definition as f64 / 1024.0),
            ]
        });
        let heads = ["ELEMENTS", "WITH A HIT", "WITH A MISS", "A MISS COSTS", "TO COMPILE", "MEMORY"];
        print_rows(heads.into_iter(), rows);
        Ok(())
    }

    async fn measure(&self, place: &BenchStore, elements: usize) -> Result<Figures> {
        let (hit_us, report) = self.time(place, elements, 1_000).await?;
        let (miss_us, missed) = self.time(place, elements, 1).await?;
        anyhow::ensure!(missed.misses >= u64::from(self.rounds), "commands have found what they should miss");
        Ok(Figures {
            elements,
            hit_us,
            miss_us,
            miss_costs_us: miss_us - hit_us,
            compile_us: compile_us(elements)?,
            bytes_per_definition: report.bytes / report.entries.max(1),
        })
    }

    /// The median time of a start, and what the cache is like in the end.
    async fn time(
        &self,
        place: &BenchStore,
        elements: usize,
        entries_max: usize,
    ) -> Result<(f64, CacheReport)> {
        let store = place.open(PartitionCount(1), None).await?;
        let definitions =
            DefinitionCacheConfig { entries_max, warms_up: false, ..DefinitionCacheConfig::default() };
        let node = Node::start(store, NodeConfig { definitions, ..NodeConfig::default() }).await?;
        let files = PROCESSES.iter().map(|id| ResourceFile {
            name: format!("{id}.bpmn").into(),
            content: Arc::from(model(id, elements).into_bytes()),
        });
        let deploy = Deploy { tenant: TenantId::default(), files: files.collect() };
        node.execute(Command::Deploy(deploy), CommandOptions::default()).await?;
        let mut times_us = Vec::new();
        for round in 0..self.rounds as usize {
            let began = Instant::now();
            node.execute(start(PROCESSES[round % 2]), CommandOptions::default()).await?;
            times_us.push(began.elapsed().as_secs_f64() * 1e6);
        }
        let report = node.cache_reports().await.into_iter().find_map(|(_, _, report)| report);
        node.end_waits().await;
        node.stop().await;
        times_us.sort_by(f64::total_cmp);
        Ok((times_us[times_us.len() / 2], report.context("the node tells of its cache")?))
    }
}

fn compile_us(elements: usize) -> Result<f64> {
    let (xml, mut fastest) = (model(PROCESSES[0], elements), f64::INFINITY);
    for _ in 0..COMPILATIONS {
        let began = Instant::now();
        let read = tidemill_bpmn::read_process(xml.as_bytes(), PROCESSES[0]);
        fastest = fastest.min(began.elapsed().as_secs_f64() * 1e6);
        read.map_err(anyhow::Error::msg)?;
    }
    Ok(fastest)
}

fn start(process: &str) -> Command {
    Command::CreateInstance(Box::new(CreateInstance {
        definition: DefinitionRef::Latest(Text::from(process)),
        tenant: TenantId::default(),
        variables: Variables::default(),
        start: Vec::new(),
        terminate_after: Vec::new(),
        tags: Vec::new(),
        business_id: None,
        is_unique: false,
    }))
}

/// A row of tasks, each with a mapping and an expression, behind a task at which instances wait.
fn model(id: &str, elements: usize) -> String {
    let tasks: String = (1..elements - 1)
        .map(|number| {
            format!(
                "<serviceTask id=\"task-{number}\" name=\"Task {number}\"><extensionElements>\
                 <zeebe:taskDefinition type=\"work-{number}\" retries=\"=retries + {number}\"/>\
                 <zeebe:ioMapping><zeebe:input source=\"=order.items[{number}].price * 1.19\" target=\"price\"/>\
                 <zeebe:output source=\"=if price &gt; 100 then &quot;high&quot; else &quot;low&quot;\" target=\"class\"/>\
                 </zeebe:ioMapping></extensionElements></serviceTask>\
                 <sequenceFlow id=\"flow-{number}\" sourceRef=\"task-{number}\" targetRef=\"{}\"/>",
                if number == elements - 2 { "end".to_owned() } else { format!("task-{}", number + 1) }
            )
        })
        .collect();
    format!(
        "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" \
         xmlns:zeebe=\"http://camunda.org/schema/zeebe/1.0\" targetNamespace=\"bench\">\
         <process id=\"{id}\" isExecutable=\"true\"><startEvent id=\"start\"/>\
         <sequenceFlow id=\"flow-0\" sourceRef=\"start\" targetRef=\"task-1\"/>{tasks}\
         <endEvent id=\"end\"/></process></definitions>"
    )
}
