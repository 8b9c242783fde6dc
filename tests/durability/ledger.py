"""What the outside world knows: which commands were answered, which were sent without an answer, when timers were begun
and who holds which job."""

import itertools
import threading
import time


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.numbers = itertools.count()
        self.created = {}
        self.unanswered_creates = {}
        self.completed = {}
        self.unanswered_completes = set()
        self.gone = set()
        self.published = set()
        self.leases = {}
        self.late_jobs = 0
        self.timers_begun = {}
        self.timers_fired = 0
        self.violations = []

    def next_id(self):
        with self.lock:
            return f"entry-{next(self.numbers)}"

    def violation(self, text):
        with self.lock:
            self.violations.append(text)

    def note_created(self, entry, instance):
        with self.lock:
            self.unanswered_creates.pop(entry, None)
            known = self.created.setdefault(entry, instance)
            if known != instance:
                self.violations.append(f"{entry} was created as {known} and as {instance}")

    def note_unanswered_create(self, entry, is_keyed):
        with self.lock:
            self.unanswered_creates[entry] = is_keyed

    def note_completed(self, job, token):
        with self.lock:
            if job in self.completed:
                self.violations.append(f"job {job} was completed twice")
            self.completed[job] = token

    def note_unanswered_complete(self, job):
        with self.lock:
            self.unanswered_completes.add(job)

    def note_gone(self, job):
        with self.lock:
            self.gone.add(job)

    def unexplained(self):
        """Jobs that were handed out but gone when they were to be completed. That is right only if another worker
        got them after a lease had run out, and completed them, answered or not."""
        with self.lock:
            return self.gone - set(self.completed) - self.unanswered_completes

    def note_published(self, entry):
        with self.lock:
            self.published.add(entry)

    def waiting_for_message(self, limit):
        with self.lock:
            return list(itertools.islice((one for one in self.created if one not in self.published), limit))

    def keyed_retries(self, limit):
        with self.lock:
            return [one for one, is_keyed in self.unanswered_creates.items() if is_keyed][:limit]

    def note_job(self, job, worker):
        """A worker has received a job. Until the deadline in it no other worker may receive it too."""
        now_ms = time.time() * 1_000
        key, deadline_ms = job["jobKey"], job["deadline"]
        with self.lock:
            if now_ms >= deadline_ms:
                self.late_jobs += 1
                return
            other, other_deadline_ms = self.leases.get(key, (worker, 0))
            if now_ms < other_deadline_ms:
                self.violations.append(f"job {key} is with {worker}, {other_deadline_ms - now_ms:.0f} ms before the "
                                       f"lease of {other} ends")
            self.leases[key] = (worker, deadline_ms)

    def note_timer_begins(self, entry):
        """The command that begins the pause of an entry is about to be sent. If it is sent several times, any of them may
        have begun it: the first counts, so that a fault of the test is never blamed on the server."""
        with self.lock:
            self.timers_begun.setdefault(entry, time.monotonic())

    def note_pause_is_over(self, entry, pause_s):
        """What comes behind a pause is there: the time since the command was sent must be the pause at least."""
        with self.lock:
            self.timers_fired += 1
            elapsed_s = time.monotonic() - self.timers_begun[entry]
            if elapsed_s < pause_s:
                self.violations.append(f"the pause of {entry} ended after {elapsed_s:.3f} of {pause_s} s")

    def note_date_has_come(self, entry, due_s):
        """What comes behind a date is there: by the clock of the machine, which the store shares, it must have come."""
        with self.lock:
            self.timers_fired += 1
            early_s = due_s - time.time()
            if early_s > 0:
                self.violations.append(f"the date of {entry} fired {early_s:.3f} s early")
