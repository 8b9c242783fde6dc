"""The server is killed at random moments under load. What it answered must be there afterwards, once."""

import os
import random
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from ledger import Ledger
from load import Load
from server import Server
from store import fresh_store
from wire import Wire

ROUNDS = 100 if os.environ.get("TIDEMILL_TEST_FULL") else 12
DRAIN_TIMEOUT_S = 60


class KillNine(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="tidemill-kill-")
        self.addCleanup(home.cleanup)
        self.server = Server(os.environ["TIDEMILL_BINARY"], fresh_store(home.name), f"{home.name}/server.log")
        self.addCleanup(lambda: self.server.running() and self.server.kill())
        self.ledger = Ledger()

    def test_nothing_answered_is_lost_or_doubled(self):
        self.server.start()
        with Wire(self.server.port) as wire:
            wire.deploy(HERE.parent / "models" / "ledger.bpmn")
        seed = int.from_bytes(os.urandom(4))
        moments = random.Random(seed)
        for round_number in range(ROUNDS):
            with self.subTest(round=round_number, seed=seed):
                self.load_until_killed(moments.uniform(0.3, 2.5))
                self.server.start()
                with Wire(self.server.port) as wire:
                    self.check_answered_commands(wire)
        with Wire(self.server.port) as wire:
            self.drain(wire)
            self.check_everything(wire)
        self.assertEqual(self.server.stop(), 0)
        print(f"{ROUNDS} kills: {len(self.ledger.created)} creations, {len(self.ledger.completed)} completions and "
              f"{len(self.ledger.published)} messages answered, {len(self.ledger.unanswered_completes)} "
              f"completions and {len(self.ledger.unanswered_creates)} creations without an answer; "
              f"{self.ledger.timers_fired} timers fired, none early; {len(self.ledger.leases)} jobs handed out, none to "
              f"two workers at a time, {self.ledger.late_jobs} when their lease was over already")

    def load_until_killed(self, seconds):
        load = Load(self.server.port, self.ledger).start()
        time.sleep(seconds)
        self.server.kill()
        load.stop()

    def check_answered_commands(self, wire):
        """Right after the restart, before anything is sent again."""
        instances = {one["processInstanceKey"] for one in all_of(wire, "process-instances", "processInstanceKey")}
        lost = set(self.ledger.created.values()) - instances
        self.assertFalse(lost, f"{len(lost)} answered creations are lost")
        states = {one["jobKey"]: one["state"] for one in all_of(wire, "jobs", "jobKey")}
        undone = [job for job in self.ledger.completed if states.get(job) != "COMPLETED"]
        self.assertFalse(undone, f"{len(undone)} answered completions are lost")
        self.check_ledger()

    def drain(self, wire):
        """Lets all instances come to their end, without creating more."""
        load = Load(self.server.port, self.ledger, creators=0).start()
        give_up = time.monotonic() + DRAIN_TIMEOUT_S
        try:
            while active := wire.search("process-instances", {"state": "ACTIVE"}):
                self.assertLess(time.monotonic(), give_up, f"{len(active)} instances do not end, as {active[0]}")
                self.publish_for_unanswered(active)
                time.sleep(0.2)
        finally:
            load.stop()

    def publish_for_unanswered(self, active):
        """An instance whose creation was not answered may exist; then it wants its message like all others."""
        for one in active:
            if one["businessId"] in self.ledger.unanswered_creates:
                self.ledger.note_created(one["businessId"], one["processInstanceKey"])

    def check_everything(self, wire):
        instances = all_of(wire, "process-instances", "processInstanceKey")
        entries = Counter(one["businessId"] for one in instances)
        self.assertFalse([entry for entry, count in entries.items() if count > 1], "doubled instances")
        self.assertEqual({one["state"] for one in instances}, {"COMPLETED"})
        self.assertLessEqual(set(self.ledger.created), set(entries))
        self.assertLessEqual(set(entries), set(self.ledger.created) | set(self.ledger.unanswered_creates))

        jobs = all_of(wire, "jobs", "jobKey")
        per_element = Counter((one["processInstanceKey"], one["elementId"]) for one in jobs)
        self.assertEqual(per_element.most_common(1)[0][1], 1, "doubled jobs")
        self.assertGreaterEqual(self.ledger.timers_fired, 2 * len(self.ledger.created), "timers were not seen to fire")
        self.assertEqual({one["state"] for one in jobs}, {"COMPLETED"})
        met = all_of(wire, "correlated-message-subscriptions", "subscriptionKey")
        self.assertEqual(sorted(one["processInstanceKey"] for one in met),
                         sorted(one["processInstanceKey"] for one in instances), "one message per instance")
        self.check_tokens(wire, jobs)
        self.check_ledger()

    def check_ledger(self):
        self.assertFalse(self.ledger.violations[:5])
        self.assertFalse(self.ledger.unexplained(), "jobs were handed out but gone")

    def check_tokens(self, wire, jobs):
        """The variables are those of the last completion, if that was answered."""
        last = {one["jobKey"]: one["processInstanceKey"] for one in jobs if one["elementId"] == "after-date"}
        tokens = {one["processInstanceKey"]: int(one["value"])
                  for one in all_of(wire, "variables", "variableKey", {"name": "token"})}
        wrong = [job for job, token in self.ledger.completed.items()
                 if job in last and tokens.get(last[job]) != token]
        self.assertFalse(wrong, "variables of another completion")


def all_of(wire, entity, key, conditions=None):
    """Every row, page by page."""
    rows, page = [], {"limit": 5_000}
    while True:
        status, found = wire.send("POST", f"/{entity}/search", {"filter": conditions or {}, "page": page})
        assert status == 200, found
        if not found["items"]:
            assert len({row[key] for row in rows}) == len(rows), f"{entity} repeats rows"
            return rows
        rows += found["items"]
        page = {"limit": 5_000, "after": found["page"]["endCursor"]}


if __name__ == "__main__":
    unittest.main(verbosity=2)
