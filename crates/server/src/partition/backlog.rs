//! Requests that wait for their turn, when more of them have come than a batch takes: tenants and processes take
//! turns, so that nobody who sends much holds up the others. Shares are counted in work: who has used much waits longer.

use super::BATCH_WORK_MAX;
use super::take::{Source, Work};
use std::collections::{BTreeMap, HashMap, VecDeque};
use tidemill_model::command::DefinitionRef;
use tidemill_model::{Command, TenantId, Text};

/// Work that a request counts for before it has run.
const WORK_PER_REQUEST: u64 = 1_000;
/// Work beyond its share that a line is reminded of when it comes back: a few batches.
const DEBT_MAX: u64 = 4 * BATCH_WORK_MAX;
/// Lines without requests of which it is still known that they have used more than their share.
const DEBTORS_MAX: usize = 10_000;

/// Whose requests keep their order among each other: those of a tenant, but creates of each process for themselves.
pub(super) type Line = (TenantId, Text);

/// Lines are served in the order of the work that each has used. One that comes anew begins where the one in turn is, so
/// nobody saves up a share; one that comes back in time still owes what it has used beyond its share.
#[derive(Default)]
pub(super) struct Backlog {
    lines: HashMap<Line, Waiting>,
    /// Lines with requests: those that have used least first, then those that came first.
    turns: BTreeMap<(u64, u64), Line>,
    /// What lines without requests have used, where that is more than the line in turn has.
    debtors: HashMap<Line, u64>,
    /// What the line in turn has used.
    used: u64,
    arrivals: u64,
    count: usize,
}

struct Waiting {
    requests: VecDeque<Work>,
    /// Its place among the turns.
    turn: (u64, u64),
}

impl Backlog {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn push(&mut self, work: Work) {
        self.line_of(&work).requests.push_back(work);
        self.count += 1;
    }

    /// Back to the head of its line: it was taken and not run.
    pub(super) fn put_back(&mut self, work: Work) {
        let line = line(&work);
        self.line_of(&work).requests.push_front(work);
        self.count += 1;
        let in_turn = self.used;
        self.move_turn(&line, |used| used.saturating_sub(WORK_PER_REQUEST).max(in_turn));
    }

    fn line_of(&mut self, work: &Work) -> &mut Waiting {
        let line = line(work);
        if !self.lines.contains_key(&line) {
            let used = self.debtors.remove(&line).unwrap_or(0).max(self.used);
            self.arrivals += 1;
            self.turns.insert((used, self.arrivals), line.clone());
            let waiting = Waiting { requests: VecDeque::new(), turn: (used, self.arrivals) };
            self.lines.insert(line.clone(), waiting);
        }
        self.lines.get_mut(&line).expect("it was just put there")
    }

    /// The next request of the line that has used least.
    pub(super) fn pop(&mut self) -> Option<Work> {
        let ((used, _), line) = self.turns.pop_first()?;
        let waiting = self.lines.get_mut(&line)?;
        let work = waiting.requests.pop_front();
        self.used = self.used.max(used);
        self.count -= usize::from(work.is_some());
        let used = used.saturating_add(WORK_PER_REQUEST);
        if waiting.requests.is_empty() {
            self.lines.remove(&line);
            self.owe(line, used);
        } else {
            self.arrivals += 1;
            waiting.turn = (used, self.arrivals);
            self.turns.insert(waiting.turn, line);
        }
        work
    }

    /// A request of the line has run and has taken this much work. What every request counts for is counted already.
    pub(super) fn charge(&mut self, line: Line, work: u64) {
        let Some(work) = work.checked_sub(WORK_PER_REQUEST).filter(|work| *work > 0) else { return };
        if self.lines.contains_key(&line) {
            self.move_turn(&line, |used| used.saturating_add(work));
        } else {
            let used = self.debtors.get(&line).copied().unwrap_or(0).max(self.used);
            self.owe(line, used.saturating_add(work));
        }
    }

    fn move_turn(&mut self, line: &Line, change: impl FnOnce(u64) -> u64) {
        let Some(waiting) = self.lines.get_mut(line) else { return };
        self.turns.remove(&waiting.turn);
        waiting.turn.0 = change(waiting.turn.0);
        self.turns.insert(waiting.turn, line.clone());
    }

    /// A line that was served while nobody else waited has taken nothing from others, so what it owes is bounded.
    fn owe(&mut self, line: Line, used: u64) {
        self.debtors.insert(line, used.min(self.used.saturating_add(DEBT_MAX)));
        if self.debtors.len() > DEBTORS_MAX {
            let in_turn = self.used;
            self.debtors.retain(|_, used| *used > in_turn.saturating_add(WORK_PER_REQUEST));
        }
        if self.debtors.len() > DEBTORS_MAX {
            self.debtors.clear();
        }
    }
}

/// The line that pays for a request of a client.
pub(super) fn line_of_client(work: &Work) -> Option<Line> {
    matches!(work.source, Source::Client { .. } | Source::Awaiting { .. }).then(|| line(work))
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

    /// Serves so many requests, each of which takes what its process says.
    fn serve(backlog: &mut Backlog, count: usize, work_of: impl Fn(&str) -> u64) -> Vec<String> {
        let mut served = Vec::new();
        for _ in 0..count {
            let Some(work) = backlog.pop() else { break };
            let line = line(&work);
            served.push(line.1.to_string());
            let taken = work_of(&line.1);
            backlog.charge(line, taken);
        }
        served
    }

    fn work_of(process: &str) -> u64 {
        if process == "heavy" { 100 * WORK_PER_REQUEST } else { WORK_PER_REQUEST }
    }

    #[test]
    fn who_has_used_much_work_waits_longer() {
        let mut backlog = Backlog::default();
        for _ in 0..400 {
            backlog.push(create("t", "heavy"));
            backlog.push(create("t", "light"));
        }
        let served = serve(&mut backlog, 300, work_of);
        let heavy = served.iter().filter(|process| *process == "heavy").count();
        assert_eq!(heavy, 3, "each of them has had the same work");
        let rest = serve(&mut backlog, usize::MAX, work_of);
        assert_eq!(rest.len(), 500, "all are served in the end");
    }

    #[test]
    fn a_debt_outlasts_an_empty_line_and_a_share_is_not_saved_up() {
        let mut backlog = Backlog::default();
        backlog.push(create("t", "heavy"));
        for _ in 0..200 {
            backlog.push(create("t", "light"));
        }
        serve(&mut backlog, 10, work_of);
        // One at a time, as a client does that waits for each answer.
        backlog.push(create("t", "heavy"));
        let served = serve(&mut backlog, 80, work_of);
        assert!(!served.contains(&"heavy".to_owned()), "it still owes for the first");
        serve(&mut backlog, usize::MAX, work_of);
        for _ in 0..50 {
            backlog.push(create("t", "light"));
            backlog.push(create("t", "late"));
        }
        let served = serve(&mut backlog, 20, work_of);
        let late = served.iter().filter(|process| *process == "late").count();
        assert!((8..=12).contains(&late), "who was away begins with the others: {late} of 20");
    }

    #[test]
    fn a_debt_is_bounded() {
        let mut backlog = Backlog::default();
        let heavy = (TenantId(Text::from("t")), Text::from("heavy"));
        for _ in 0..1_000 {
            backlog.charge(heavy.clone(), BATCH_WORK_MAX);
        }
        let lights = usize::try_from(DEBT_MAX / WORK_PER_REQUEST).expect("few") + 1;
        for _ in 0..=lights {
            backlog.push(create("t", "light"));
        }
        backlog.push(create("t", "heavy"));
        assert!(serve(&mut backlog, lights + 1, work_of).contains(&"heavy".to_owned()));
    }

    #[test]
    fn what_was_taken_and_not_run_keeps_its_turn() {
        let mut backlog = Backlog::default();
        for _ in 0..3 {
            backlog.push(create("t", "p"));
            backlog.push(create("t", "q"));
        }
        let taken = backlog.pop().expect("six wait");
        assert_eq!(line(&taken).1, "p");
        backlog.put_back(taken);
        assert_eq!(backlog.len(), 6);
        let mut order = serve(&mut backlog, 2, |_| 0);
        order.sort();
        assert_eq!(order, ["p", "q"]);
    }
}
