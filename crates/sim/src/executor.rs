//! Runs the tasks of all nodes and users in one thread. The dice decide which of those that could go on goes on next. Tasks
//! belong to groups, one for each start of a node: a group can be paused or dropped as a whole.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use tidemill_model::dice::Dice;
use tokio::time::Instant;

/// Steps that are taken before tokio's own tasks and timers have their turn.
const STEPS_PER_TURN: usize = 8;
/// Turns that are taken for one millisecond of simulated time, so that time goes on while somebody is busy.
const TURNS_PER_MS: u64 = 50;
/// A run that gets so far does not end.
const TURNS_MAX: u64 = 10_000_000;
/// A task that goes on so often within one simulated second asks again and again for something that has not changed.
const STEPS_PER_SECOND_MAX: u64 = 3_000;

/// Users and faults, which nothing happens to, are in the first group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Group(pub(crate) u64);

pub(crate) const OUTSIDE: Group = Group(0);

#[derive(Default)]
pub(crate) struct Executor {
    tasks: Mutex<BTreeMap<u64, Task>>,
    paused: Mutex<BTreeSet<Group>>,
    queue: Arc<Queue>,
    last_id: Mutex<u64>,
    began: OnceLock<Instant>,
    busiest: Mutex<Busiest>,
}

/// The task that went on most often within one second.
#[derive(Clone, Copy, Default)]
struct Busiest {
    task: u64,
    second: u64,
    steps: u64,
}

struct Task {
    group: Group,
    /// The second in which it went on last, and how often it did so in that second.
    second: u64,
    steps: u64,
    /// None while it runs.
    future: Option<BoxFuture<'static, ()>>,
    waker: Waker,
}

#[derive(Default)]
struct Queue {
    ready: Mutex<Vec<u64>>,
    root: Mutex<Option<Waker>>,
}

struct TaskWaker {
    id: u64,
    queue: Arc<Queue>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut ready = lock(&self.queue.ready);
        if !ready.contains(&self.id) {
            ready.push(self.id);
        }
        if let Some(root) = lock(&self.queue.root).take() {
            root.wake();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Executor {
    pub(crate) fn spawn(&self, group: Group, future: BoxFuture<'static, ()>) {
        let id = {
            let mut last = lock(&self.last_id);
            *last += 1;
            *last
        };
        let waker = Waker::from(Arc::new(TaskWaker { id, queue: self.queue.clone() }));
        waker.wake_by_ref();
        lock(&self.tasks).insert(id, Task { group, second: 0, steps: 0, future: Some(future), waker });
    }

    /// Nothing of this group runs any more, and what it held is gone.
    pub(crate) fn kill(&self, group: Group) {
        let dead: Vec<Task> = {
            let mut tasks = lock(&self.tasks);
            let ids: Vec<u64> =
                tasks.iter().filter(|(_, task)| task.group == group).map(|(id, _)| *id).collect();
            ids.iter().filter_map(|id| tasks.remove(id)).collect()
        };
        lock(&self.paused).remove(&group);
        // Dropping a task may wake others.
        drop(dead);
    }

    pub(crate) fn pause(&self, group: Group) {
        lock(&self.paused).insert(group);
    }

    pub(crate) fn resume(&self, group: Group) {
        lock(&self.paused).remove(&group);
        if let Some(root) = lock(&self.queue.root).take() {
            root.wake();
        }
    }

    pub(crate) fn tasks_of(&self, group: Group) -> usize {
        lock(&self.tasks).values().filter(|task| task.group == group).count()
    }

    /// Runs until `is_done`; tells why that was not the end of it.
    pub(crate) async fn run(&self, dice: &Mutex<Dice>, is_done: impl Fn() -> bool) -> Result<(), String> {
        for turn in 1..TURNS_MAX {
            if is_done() {
                return self.nobody_was_too_busy();
            }
            std::future::poll_fn(|cx| self.turn(cx, dice)).await;
            tokio::task::yield_now().await;
            if turn % TURNS_PER_MS == 0 {
                tokio::time::advance(Duration::from_millis(1)).await;
            }
        }
        Err(format!("the run has not ended after {TURNS_MAX} turns"))
    }

    fn nobody_was_too_busy(&self) -> Result<(), String> {
        let Busiest { task, second, steps } = *lock(&self.busiest);
        if steps <= STEPS_PER_SECOND_MAX {
            return Ok(());
        }
        Err(format!(
            "task {task} went on {steps} times in second {second}: it does not wait for what it needs"
        ))
    }

    /// Lets some tasks go on; waits for one where none can.
    fn turn(&self, cx: &mut Context<'_>, dice: &Mutex<Dice>) -> Poll<()> {
        let second = self.began.get_or_init(Instant::now).elapsed().as_secs();
        for step in 0..STEPS_PER_TURN {
            let Some(id) = self.next(dice) else {
                if step > 0 {
                    break;
                }
                *lock(&self.queue.root) = Some(cx.waker().clone());
                return Poll::Pending;
            };
            self.go_on(id, second);
            // The tasks of a turn share one budget of tokio's. A task that has none left gives way, as it would in a server.
            if !tokio::task::coop::has_budget_remaining() {
                break;
            }
        }
        Poll::Ready(())
    }

    fn go_on(&self, id: u64, second: u64) {
        let taken = lock(&self.tasks).get_mut(&id).and_then(|task| {
            self.count_step(id, task, second);
            Some((task.future.take()?, task.waker.clone()))
        });
        let Some((mut future, waker)) = taken else { return };
        let mut context = Context::from_waker(&waker);
        let polled = AssertUnwindSafe(|| future.poll_unpin(&mut context));
        match std::panic::catch_unwind(polled) {
            Ok(Poll::Pending) => {
                if let Some(task) = lock(&self.tasks).get_mut(&id) {
                    task.future = Some(future);
                }
            }
            Ok(Poll::Ready(())) => drop(lock(&self.tasks).remove(&id)),
            // The hook has told.
            Err(_) => drop(lock(&self.tasks).remove(&id)),
        }
    }

    fn count_step(&self, id: u64, task: &mut Task, second: u64) {
        task.steps = if task.second == second { task.steps + 1 } else { 1 };
        task.second = second;
        let mut busiest = lock(&self.busiest);
        if task.steps > busiest.steps {
            *busiest = Busiest { task: id, second, steps: task.steps };
        }
    }

    fn next(&self, dice: &Mutex<Dice>) -> Option<u64> {
        let (tasks, paused, mut ready) = (lock(&self.tasks), lock(&self.paused), lock(&self.queue.ready));
        ready.retain(|id| tasks.contains_key(id));
        let can_go_on = |id: &u64| tasks.get(id).is_some_and(|task| !paused.contains(&task.group));
        let count = ready.iter().filter(|id| can_go_on(id)).count();
        if count == 0 {
            return None;
        }
        let chosen = lock(dice).below(count as u64) as usize;
        let place = ready.iter().enumerate().filter(|(_, id)| can_go_on(id)).nth(chosen)?.0;
        Some(ready.remove(place))
    }
}
