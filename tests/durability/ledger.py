"""What the outside world knows: which commands were answered, and which were sent without an answer."""

import itertools
import threading


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
