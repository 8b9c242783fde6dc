//! Requests that wait for their turn, when more of them have come than a batch takes: tenants and processes take
//! turns, so that nobody who sends much holds up the others.

use super::take::{Source, Work};
use std::collections::{HashMap, VecDeque};
use tidemill_model::command::DefinitionRef;
use tidemill_model::{Command, TenantId, Text};

/// Whose requests keep their order among each other: those of a tenant, but creates of each process for themselves.
type Line = (TenantId, Text);

#[derive(Default)]
pub(super) struct Backlog {
    lines: HashMap<Line, VecDeque<Work>>,
    /// Lines with requests, the next one first.
    turns: VecDeque<Line>,
    count: usize,
}

impl Backlog {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn push(&mut self, work: Work) {
        self.line_of(&work).push_back(work);
        self.count += 1;
    }

    /// Back to the head of its line: it was taken and not run.
    pub(super) fn put_back(&mut self, work: Work) {
        self.line_of(&work).push_front(work);
        self.count += 1;
    }

    fn line_of(&mut self, work: &Work) -> &mut VecDeque<Work> {
        let line = line(work);
        if !self.lines.contains_key(&line) {
            self.turns.push_back(line.clone());
        }
        self.lines.entry(line).or_default()
    }

    /// The next request: one of each line, and then again.
    pub(super) fn pop(&mut self) -> Option<Work> {
        let line = self.turns.pop_front()?;
        let waiting = self.lines.get_mut(&line)?;
        let work = waiting.pop_front();
        if waiting.is_empty() {
            self.lines.remove(&line);
        } else {
            self.turns.push_back(line);
        }
        self.count -= usize::from(work.is_some());
        work
    }
}

fn line(work: &Work) -> Line {
    let tenant = match &work.source {
        Source::Client { options, .. } | Source::Awaiting { options, .. } => options.tenant.clone(),
        _ => TenantId::default(),
    };
    let process = match &work.command {
        Command::CreateInstance(create) => match &create.definition {
            DefinitionRef::Latest(id) | DefinitionRef::Version(id, _) => id.clone(),
            DefinitionRef::Key(key) => Text::from(key.0.to_string()),
        },
        _ => Text::default(),
    };
    (tenant, process)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::CommandOptions;
    use tidemill_model::command::CreateInstance;
    use tokio::sync::oneshot;

    fn create(tenant: &str, process: &str) -> Work {
        let definition = DefinitionRef::Latest(Text::from(process));
        let command = Command::CreateInstance(Box::new(CreateInstance {
            definition,
            tenant: TenantId::default(),
            variables: Default::default(),
            start: Vec::new(),
            terminate_after: Vec::new(),
            tags: Vec::new(),
            business_id: None,
        }));
        let options = CommandOptions { tenant: TenantId(Text::from(tenant)), ..CommandOptions::default() };
        Work { command, source: Source::Client { options, reply: oneshot::channel().0 } }
    }

    #[test]
    fn tenants_and_processes_take_turns() {
        let mut backlog = Backlog::default();
        for _ in 0..3 {
            backlog.push(create("greedy", "p"));
        }
        backlog.push(create("greedy", "q"));
        backlog.push(create("modest", "p"));
        let mut order = Vec::new();
        while let Some(work) = backlog.pop() {
            let (tenant, process) = line(&work);
            order.push(format!("{tenant} {process}"));
        }
        assert_eq!(order, ["greedy p", "greedy q", "modest p", "greedy p", "greedy p"]);
        assert!(backlog.is_empty());
    }
}
