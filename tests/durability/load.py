"""Users of the server under test: they create instances, work on jobs and publish messages until told to stop."""

import datetime
import random
import threading
import time

from wire import NoAnswer, Wire

LEASE_MS = 1_500
# An instance waits this long behind its first job, and behind its second until a date that lies this far after the first.
PAUSE_S = 0.5
DATE_AFTER_S = 0.9


class Load:
    """Threads that send commands and keep the ledger."""

    def __init__(self, port, ledger, creators=3, workers=4, publishers=2):
        self.port = port
        self.ledger = ledger
        self.stopping = threading.Event()
        roles = [create] * creators + [work] * workers + [publish] * publishers
        self.threads = [threading.Thread(target=self.run, args=(role,), daemon=True) for role in roles]

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)

    def run(self, role):
        with Wire(self.port) as wire:
            while not self.stopping.is_set():
                try:
                    role(wire, self.ledger)
                except NoAnswer:
                    self.stopping.wait(0.05)


def create(wire, ledger):
    """Half of the creations carry a key, so that they may be sent again until there is an answer."""
    retries = ledger.keyed_retries(1)
    if retries:
        return create_entry(wire, ledger, retries[0], True)
    create_entry(wire, ledger, ledger.next_id(), random.random() < 0.5)


def create_entry(wire, ledger, entry, is_keyed):
    body = {"processDefinitionId": "ledger", "businessId": entry, "variables": {"id": entry}}
    headers = {"idempotency-key": entry} if is_keyed else {}
    ledger.note_unanswered_create(entry, is_keyed)
    status, answer = wire.send("POST", "/process-instances", body, headers)
    if status == 200:
        ledger.note_created(entry, answer["processInstanceKey"])
    elif status != 503:
        ledger.violation(f"creation of {entry} answered {status}: {answer}")


def work(wire, ledger):
    for job_type, complete in [("ledger-work", begin_pause), ("ledger-after-pause", end_pause), ("ledger-after-date", end_date)]:
        for job in activate(wire, ledger, job_type):
            complete(wire, ledger, job)


def activate(wire, ledger, job_type):
    body = {"type": job_type, "timeout": LEASE_MS, "maxJobsToActivate": 5, "requestTimeout": 100}
    status, answer = wire.send("POST", "/jobs/activation", body)
    if status != 200:
        return []
    for job in answer["jobs"]:
        ledger.note_job(job, threading.current_thread().name)
    return answer["jobs"]


def begin_pause(wire, ledger, job):
    due = datetime.datetime.fromtimestamp(time.time() + DATE_AFTER_S, datetime.timezone.utc)
    ledger.note_timer_begins(job["variables"]["id"])
    complete(wire, ledger, job["jobKey"], {"pause": f"PT{PAUSE_S}S", "due": due.isoformat(timespec="milliseconds")})


def end_pause(wire, ledger, job):
    ledger.note_pause_is_over(job["variables"]["id"], PAUSE_S)
    complete(wire, ledger, job["jobKey"], {})


def end_date(wire, ledger, job):
    due = datetime.datetime.fromisoformat(job["variables"]["due"])
    ledger.note_date_has_come(job["variables"]["id"], due.timestamp())
    complete(wire, ledger, job["jobKey"], {})


def complete(wire, ledger, job, variables):
    token = random.getrandbits(32)
    try:
        status, answer = wire.send("POST", f"/jobs/{job}/completion", {"variables": {"token": token, **variables}})
    except NoAnswer:
        ledger.note_unanswered_complete(job)
        raise
    if status == 204:
        ledger.note_completed(job, token)
    elif status == 404:
        ledger.note_gone(job)
    elif status != 503:
        ledger.violation(f"completion of job {job} answered {status}: {answer}")


def publish(wire, ledger):
    """The same message id may be sent again: a message that is still there is refused, which is as good."""
    for entry in ledger.waiting_for_message(5) or []:
        body = {"name": "ledger-go", "correlationKey": entry, "messageId": entry, "timeToLive": 600_000}
        status, answer = wire.send("POST", "/messages/publication", body)
        if status in (200, 409):
            ledger.note_published(entry)
        elif status != 503:
            ledger.violation(f"message for {entry} answered {status}: {answer}")
