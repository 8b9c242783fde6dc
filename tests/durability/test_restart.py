"""A clean stop under load, the same answers after a restart, and one owner per store."""

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from ledger import Ledger
from load import Load
from ports import free_port
from server import Server
from store import fresh_store
from wire import Wire

SEARCHES = ["process-definitions", "process-instances", "element-instances", "variables", "jobs", "incidents",
            "user-tasks", "message-subscriptions", "correlated-message-subscriptions"]


class Restart(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="tidemill-restart-")
        self.addCleanup(home.cleanup)
        self.server = Server(os.environ["TIDEMILL_BINARY"], fresh_store(home.name), f"{home.name}/server.log").start()
        self.addCleanup(lambda: self.server.running() and self.server.kill())
        with Wire(self.server.port) as wire:
            wire.deploy(HERE.parent / "models" / "ledger.bpmn")

    def everything(self):
        with Wire(self.server.port) as wire:
            return {entity: wire.search(entity, {}) for entity in SEARCHES}

    def wait_for_timers(self):
        """A timer that fires between two looks would make a difference that is none."""
        with Wire(self.server.port) as wire:
            waiting = {"state": "ACTIVE", "elementId": {"$in": ["pause", "date"]}}
            give_up = time.monotonic() + 30
            while wire.search("element-instances", waiting):
                self.assertLess(time.monotonic(), give_up, "timers do not fire")
                time.sleep(0.05)

    def test_a_clean_stop_under_load_loses_nothing(self):
        ledger = Ledger()
        load = Load(self.server.port, ledger).start()
        time.sleep(1.5)
        self.assertEqual(self.server.stop(), 0)
        load.stop()
        self.server.start()
        found = self.everything()
        instances = {one["processInstanceKey"] for one in found["process-instances"]}
        self.assertLessEqual(set(ledger.created.values()), instances)
        done = {one["jobKey"] for one in found["jobs"] if one["state"] == "COMPLETED"}
        self.assertLessEqual(set(ledger.completed), done)
        self.assertGreater(len(ledger.completed), 0)
        self.assertEqual(ledger.violations, [])
        self.assertEqual(ledger.unexplained(), set())

    def test_a_restart_shows_the_same(self):
        load = Load(self.server.port, Ledger()).start()
        time.sleep(1)
        load.stop()
        self.wait_for_timers()
        before = self.everything()
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        after = self.everything()
        for entity in SEARCHES:
            self.assertEqual(before[entity], after[entity], entity)
        self.assertGreater(len(before["jobs"]), 0)

    def test_a_second_server_is_told_who_holds_the_data(self):
        second = [self.server.binary, "serve", *self.server.store.options, "--http", f"127.0.0.1:{free_port()}"]
        ended = subprocess.run(second, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn(self.server.store.name_of_owner(self.server), ended.stdout + ended.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
