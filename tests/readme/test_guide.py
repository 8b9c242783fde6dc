"""Everything that docs/ shows works: the commands of each chapter are run word for word, in the order of docs/README.md."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from blocks import console_blocks
from place import ROOT, Place
from ports import free_port
from postgres import Postgres, program

DOCS = ROOT / "docs"
# Commands that go on for ever: all of them are servers.
LASTING = {
    "tidemill serve": "ready address=",
    "examples/postgres.sh tidemill serve": "ready address=",
    "examples/three-nodes.sh": "all three are ready",
}
# What the commands of a block must have printed.
EXPECTED = {
    "tidemill validate": ["the file is fine", "web-order"],
    "tidemill instances --state all\n": ["TERMINATED"],
    "tidemill jobs --type payment": ["payment"],
    "orderId\": \"W-2": ["Refused"],
    "tidemill complete-task": ["Pack the order"],
    "v2/jobs/activation": ['"jobs"'],
    "patience=P3D)": ["Wait for the parcel"],
    "--state completed --process delivery": ["delivery", "COMPLETED"],
    "key P-2": ["P-2"],
    "patience=PT1S": ["P-3"],
    "--id nightly": ["nightly"],
    "tidemill worker payment --exec examples/pay.sh --jobs 3": ["JOB_NO_RETRIES", "Expected a variable"],
    "tidemill resolve": ["paid = 120"],
    "tidemill admin partitions": ["127.0.0.1:"],
    "--parallel 2": ["completed"],
}
SECRET = "known-to-this-test-only"


def chapters():
    """The pages that docs/README.md lists, in its order, and after them all others."""
    index = (DOCS / "README.md").read_text()
    listed = [DOCS / name for name in re.findall(r"^\d+\. \[[^]]*\]\(([^)]+)\)", index, re.MULTILINE)]
    return listed, sorted(set(DOCS.glob("*.md")) - set(listed))


class Guide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place(os.environ["TIDEMILL_BINARY"], free_port())
        cls.addClassCleanup(cls.place.remove)

    def test_the_chapters_are_there_in_order(self):
        listed, others = chapters()
        names = [path.stem for path in listed]
        self.assertEqual(names, ["first-process", "workers", "messages-and-timers", "incidents", "postgres", "many-nodes",
                                 "operating", "upgrading", "SECURITY", "ARCHITECTURE"])
        index = (DOCS / "README.md").read_text()
        for path in others:
            if path.name != "README.md":
                self.assertIn(f"({path.name})", index, "the index leads to every page")

    def test_links_lead_somewhere(self):
        for page in DOCS.glob("*.md"):
            for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
                if "://" not in link:
                    self.assertTrue((page.parent / link).exists(), f"{page.name} leads to {link}")

    def test_every_command_works_word_for_word(self):
        listed, others = chapters()
        count = 0
        for page in listed + others:
            if page.name == "operating.md":
                self.prepare_operating()
            for block in console_blocks(page):
                with self.subTest(page=page.name, block=block[-1]):
                    self.run_block(block)
                    count += 1
        self.assertGreater(count, 25)

    def prepare_operating(self):
        """A server with a secret, and a Postgres with a store that is backed up."""
        place = self.place
        place.stop(also_servers=True)
        postgres = Postgres().start()
        base = f"127.0.0.1:{postgres.port}"
        admin = f"postgres://postgres@{base}/postgres"
        ask = lambda sql: subprocess.run([program("psql"), "-q", "-d", admin, "-c", sql], check=True)
        for sql in ["CREATE ROLE tidemill LOGIN", "CREATE DATABASE flows OWNER tidemill", "CREATE DATABASE restored"]:
            ask(sql)
        place.env["PATH"] = f"{Path(program('psql')).parent}:{place.home}/target/release:{place.env['PATH']}"
        place.env.update({
            "SECRET": SECRET, "SERVER": place.env["TIDEMILL_URL"], "STORE": f"postgres://tidemill@{base}/flows",
            "ADMIN": f"postgres://postgres@{base}/restored", "RESTORED": f"postgres://tidemill@{base}/restored",
        })
        # The store on Postgres is made, and left; then a server on a file of its own is there to be administered.
        place.start(['tidemill serve --store "$STORE"'], "ready address=", True)
        self.serve_a_file()

    def serve_a_file(self):
        self.place.stop(also_servers=True)
        self.place.start(['tidemill serve --cluster-secret "$SECRET"'], "ready address=", True)

    def run_block(self, block):
        place, text = self.place, "\n".join(block) + "\n"
        words = next((words for start, words in LASTING.items() if block[-1].startswith(start)), None)
        if words:
            place.stop(also_servers=True)
            place.start(block, words, True)
            return
        if "tidemill admin backup" in text:
            # The part before has left a server on Postgres.
            self.serve_a_file()
        printed = place.run(block)
        for start, expected in EXPECTED.items():
            for part in expected if start in text else ():
                self.assertIn(part, printed, f"{text}\nprinted:\n{printed}")


if __name__ == "__main__":
    unittest.main()
