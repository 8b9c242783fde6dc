//! Requests of clients that wait for their turn. Tenants and processes take turns, so that nobody who sends much holds up the
//! others. Shares are counted in work: who has used much waits longer. A request that came after something was appended to
//! the inbox runs after the read that shows it.

use crate::open::WORK_MAX;
use crate::queued::{CommandSource, QueuedCommand};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use tidemill_model::command::DefinitionRef;
use tidemill_model::{Command, TenantId, Text};

/// Work that a request counts for before it has run. Without it, a line could send any number of requests
/// while its first one runs.
const WORK_PER_REQUEST: u64 = 1_000;
/// Work beyond its share that a line is reminded of when it comes back: a few batches.
const DEBT_MAX: u64 = 4 * WORK_MAX;
/// Lines without requests of which it is still known that they have used more than their share.
/// Tenants and process ids are chosen by clients, so what is kept for each must be bounded.
const DEBTORS_MAX: usize = 10_000;

/// Requests keep their order within a line: those of a tenant, with the creates of each process in a line of their own.
pub(crate) type Line = (TenantId, Text);

/// Lines are served in the order of the work that each has used. One that comes anew begins where the one in turn is, so
/// nobody saves up a share; one that comes back in time still owes what it has used beyond its share.
#[derive(Default)]
pub(crate) struct Backlog {
    lines: FxHashMap<Line, Waiting>,
    /// Lines with requests: those that have used least first, then those that came first.
    turns: BTreeMap<(u64, u64), Line>,
    /// Lines without requests that have used more work than the line in turn, with the work that each has used.
    debtors: FxHashMap<Line, u64>,
    /// The work that the line in turn has used.
    used: u64,
    arrivals: u64,
    count: usize,
    /// Requests that have come so far.
    requests: u64,
    /// Number of requests that came before the read of the inbox began that is under way.
    before_read: u64,
    /// Number of requests that came before the last read began that has arrived.
    before_last_read: u64,
}

struct Waiting {
    /// With the numbers by which they came.
    requests: VecDeque<(u64, QueuedCommand)>,
    /// Its place among the turns.
    turn: (u64, u64),
}

impl Backlog {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn push(&mut self, queued: QueuedCommand) {
        self.requests += 1;
        let number = self.requests;
        self.line_of(&queued).requests.push_back((number, queued));
        self.count += 1;
    }

    /// Back to the head of its line: it was taken and not run.
    pub(crate) fn put_back(&mut self, queued: QueuedCommand) {
        let line = line(&queued);
        // It has waited for the inbox already.
        self.line_of(&queued).requests.push_front((0, queued));
        self.count += 1;
        let in_turn = self.used;
        self.move_turn(&line, |used| used.saturating_sub(WORK_PER_REQUEST).max(in_turn));
    }

    fn line_of(&mut self, queued: &QueuedCommand) -> &mut Waiting {
        let line = line(queued);
        if !self.lines.contains_key(&line) {
            // A new line does not begin with zero: it would be served alone until it had caught up with all others.
            let used = self.debtors.remove(&line).unwrap_or(0).max(self.used);
            self.arrivals += 1;
            self.turns.insert((used, self.arrivals), line.clone());
            let waiting = Waiting { requests: VecDeque::new(), turn: (used, self.arrivals) };
            self.lines.insert(line.clone(), waiting);
        }
        self.lines.get_mut(&line).expect("it was just put there")
    }

    /// The next request of the line that has used least. Unless all may come, only a request that
    /// came before the last read of the inbox began.
    pub(crate) fn pop(&mut self, all_may_come: bool) -> Option<QueuedCommand> {
        if !self.has_next(all_may_come) {
            return None;
        }
        let ((used, _), line) = self.turns.pop_first()?;
        let waiting = self.lines.get_mut(&line)?;
        let queued = waiting.requests.pop_front();
        self.used = self.used.max(used);
        self.count -= usize::from(queued.is_some());
        let used = used.saturating_add(WORK_PER_REQUEST);
        if waiting.requests.is_empty() {
            self.lines.remove(&line);
            self.owe(line, used);
        } else {
            self.arrivals += 1;
            waiting.turn = (used, self.arrivals);
            self.turns.insert(waiting.turn, line);
        }
        queued.map(|(_, queued)| queued)
    }

    pub(crate) fn has_next(&self, all_may_come: bool) -> bool {
        let line = self.turns.first_key_value().map(|(_, line)| line);
        let next = line.and_then(|line| self.lines.get(line)?.requests.front());
        next.is_some_and(|(number, _)| all_may_come || *number <= self.before_last_read)
    }

    /// Takes out everything, when the partition is given up.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = QueuedCommand> {
        std::iter::from_fn(|| self.pop(true))
    }

    pub(crate) fn begin_read_of_inbox(&mut self) {
        self.before_read = self.requests;
    }

    pub(crate) fn inbox_was_read(&mut self) {
        self.before_last_read = self.before_read;
    }

    /// The reads of the inbox begin anew.
    pub(crate) fn forget_reads(&mut self) {
        self.before_read = self.before_last_read;
    }

    /// A request of the line has run and has taken this much work. The fixed work of a request
    /// (`WORK_PER_REQUEST`) was counted when it was taken.
    pub(crate) fn charge(&mut self, line: Line, work: u64) {
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
            // Forgetting debts is unfair for a moment; memory that grows with the number of names would be worse.
            self.debtors.clear();
        }
    }
}

/// The line that pays for a request of a client.
pub(crate) fn line_of_client(queued: &QueuedCommand) -> Option<Line> {
    matches!(queued.source, CommandSource::Client { .. } | CommandSource::Awaiting { .. })
        .then(|| line(queued))
}

fn line(queued: &QueuedCommand) -> Line {
    let tenant = match &queued.source {
        CommandSource::Client { options, .. } | CommandSource::Awaiting { options, .. } => {
            options.tenant.clone()
        }
        _ => TenantId::default(),
    };
    let process = match &queued.command {
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
    use crate::request::{CallId, CommandOptions};
    use tidemill_model::command::CreateInstance;

    fn create(tenant: &str, process: &str) -> QueuedCommand {
        let definition = DefinitionRef::Latest(Text::from(process));
        let command = Command::CreateInstance(Box::new(CreateInstance {
            definition,
            tenant: TenantId::default(),
            variables: Default::default(),
            start: Vec::new(),
            terminate_after: Vec::new(),
            tags: Vec::new(),
            business_id: None,
            is_unique: false,
        }));
        let options = CommandOptions { tenant: TenantId(Text::from(tenant)), ..CommandOptions::default() };
        QueuedCommand::new(command, CommandSource::Client { call: CallId(1), options })
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
        for queued in backlog.drain() {
            let (tenant, process) = line(&queued);
            order.push(format!("{tenant} {process}"));
        }
        assert_eq!(order, ["greedy p", "greedy q", "modest p", "greedy p", "greedy p"]);
        assert_eq!(backlog.len(), 0);
    }

    /// Serves so many requests, each of which takes what its process says.
    fn serve(backlog: &mut Backlog, count: usize, work_of: impl Fn(&str) -> u64) -> Vec<String> {
        let mut served = Vec::new();
        for _ in 0..count {
            let Some(queued) = backlog.pop(true) else { break };
            let line = line(&queued);
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
            backlog.charge(heavy.clone(), WORK_MAX);
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
        let taken = backlog.pop(true).expect("six wait");
        assert_eq!(line(&taken).1, "p");
        backlog.put_back(taken);
        assert_eq!(backlog.len(), 6);
        let mut order = serve(&mut backlog, 2, |_| 0);
        order.sort();
        assert_eq!(order, ["p", "q"]);
    }

    #[test]
    fn a_request_that_came_after_an_append_waits_for_the_read_that_shows_it() {
        let mut backlog = Backlog::default();
        backlog.push(create("a", "before"));
        backlog.begin_read_of_inbox();
        backlog.push(create("a", "after"));
        assert!(!backlog.has_next(false), "nothing was read yet");
        backlog.inbox_was_read();
        assert!(backlog.pop(false).is_some(), "it came before the read began");
        assert!(backlog.pop(false).is_none());
        assert!(backlog.pop(true).is_some());
    }
}
