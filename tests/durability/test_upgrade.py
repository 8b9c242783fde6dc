"""A new version opens the database of an earlier one, and instances that were under way go on where they were."""

import os
import sqlite3
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from server import Server
from store import Embedded
from wire import Wire


@unittest.skipUnless(os.environ.get("TIDEMILL_TEST_STORE", "embedded") == "embedded", "the database is one of SQLite")
class Upgrade(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="tidemill-upgrade-")
        self.addCleanup(home.cleanup)
        os.mkdir(f"{home.name}/data")
        database = sqlite3.connect(f"{home.name}/data/tidemill.db")
        database.executescript((HERE / "before" / "running_instances.sql").read_text())
        database.close()
        store = Embedded(home.name)
        self.server = Server(os.environ["TIDEMILL_BINARY"], store, f"{home.name}/server.log").start()
        self.addCleanup(lambda: self.server.running() and self.server.kill())

    def complete(self, wire, kind):
        """Completes all jobs of a type and returns how many there were."""
        request = {"type": kind, "timeout": 60_000, "maxJobsToActivate": 10}
        status, found = wire.send("POST", "/jobs/activation", request)
        self.assertEqual(status, 200, found)
        for job in found["jobs"]:
            status, answer = wire.send("POST", f"/jobs/{job['jobKey']}/completion", {})
            self.assertEqual(status, 204, answer)
        return len(found["jobs"])

    def test_instances_go_on_where_they_were(self):
        """Of three instances one has passed the inclusive join and waits at the parallel one, one waits at the inclusive
        join for its second branch, and one has both branches before it. Flows are named by their place in the file, in
        whatever order a version takes them."""
        with Wire(self.server.port) as wire:
            # The timer of the first instance was due while no server ran: nothing else keeps it from its end.
            give_up = time.monotonic() + 30
            while len(wire.search("process-instances", {"state": "COMPLETED"})) < 1:
                self.assertLess(time.monotonic(), give_up, "the timer does not fire")
                time.sleep(0.05)
            done = [self.complete(wire, kind) for kind in ["b", "a", "c", "d"]]
            self.assertEqual(done, [1, 2, 0, 2])
            ended = wire.search("process-instances", {"state": "COMPLETED"})
            self.assertEqual(len(ended), 3)
            passed = [one["elementId"] for one in wire.search("element-instances", {"state": "COMPLETED"})]
            self.assertEqual([passed.count(gateway) for gateway in ["split", "join", "pair", "both"]], [3, 3, 3, 3])
        self.assertEqual(self.server.complaints(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
