"""A new version opens the database of an earlier one, and instances that were under way go on where they were."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from postgres import program
from server import Server
from store import Embedded, shared_postgres
from wire import Wire


KIND = os.environ.get("TIDEMILL_TEST_STORE", "embedded")


class Loaded:
    """A schema of a Postgres that was loaded from a dump."""

    def __init__(self, dump):
        load = [program("psql"), "-q", "-v", "ON_ERROR_STOP=1", "-d", shared_postgres().url, "-f", dump]
        subprocess.run(load, check=True, stdout=subprocess.DEVNULL)
        self.options = ["--store", shared_postgres().url, "--schema", "tidemill", "--lease", "2s"]


def earlier_store(home):
    """The store as an earlier version has left it, on whatever the tests run on."""
    if KIND == "postgres":
        return Loaded(HERE / "before" / "running_instances.postgres.sql")
    os.mkdir(f"{home}/data")
    database = sqlite3.connect(f"{home}/data/tidemill.db")
    database.executescript((HERE / "before" / "running_instances.sql").read_text())
    database.close()
    return Embedded(home)


class Upgrade(unittest.TestCase):
    def setUp(self):
        home = tempfile.TemporaryDirectory(prefix="tidemill-upgrade-")
        self.addCleanup(home.cleanup)
        store = earlier_store(home.name)
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
