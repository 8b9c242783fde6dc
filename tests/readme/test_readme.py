"""Everything that README.md shows works: its commands are run word for word, in their order."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from blocks import README, code_blocks, console_blocks
from place import ROOT, Place
from ports import free_port

# Commands that go on for ever, and the words by which they tell that they are at work.
LASTING = {
    "cargo run --release -- serve": "Three things to try",
    "examples/postgres.sh tidemill serve": "ready address=",
    "examples/three-nodes.sh": "all three are ready",
    "node examples/javascript/worker.js": "order J-1: 120 paid",
    "python3 -m venv": "order P-1: 120 paid",
}
SERVERS = ("cargo run", "examples/")
# What the commands of a block must have printed.
EXPECTED = {
    "tidemill deploy examples/order.bpmn": ["web-order", "completed", "Pack the order", "paid = 120"],
    "tidemill validate": ["the file is fine"],
    "tidemill admin nodes": ["127.0.0.1:"],
}


class Readme(unittest.TestCase):
    def test_every_command_works_word_for_word(self):
        place = Place(os.environ["TIDEMILL_BINARY"], free_port())
        try:
            blocks = console_blocks()
            self.assertGreater(len(blocks), 5)
            for block in blocks:
                self.run_block(place, block)
        finally:
            place.remove()

    def run_block(self, place, block):
        text = "\n".join(block)
        words = next((words for start, words in LASTING.items() if block[-1].startswith(start)), None)
        is_server = block[-1].startswith(SERVERS)
        if words:
            # A reader has one server and one worker at a time: others would take the port, or the jobs.
            place.stop(also_servers=is_server)
            place.start(block, words, is_server)
            return
        printed = place.run(block)
        for start, expected in EXPECTED.items():
            for part in expected if start in text else ():
                self.assertIn(part, printed, f"{text}\nprinted:\n{printed}")

    def test_code_is_that_of_the_examples(self):
        worker = (ROOT / "examples/javascript/worker.js").read_text()
        self.assertEqual([worker], code_blocks("js"))

    def test_the_examples_use_the_clients_that_are_tested(self):
        read = lambda path: (ROOT / path).read_text()
        self.assertIn(read("examples/python/requirements.txt").strip(),
                      read("tests/python/requirements-10.txt").splitlines())
        dependencies = lambda path: read(path).split('"dependencies"')[1]
        self.assertEqual(dependencies("examples/javascript/package.json"),
                         dependencies("tests/javascript/package.json"))

    def test_paths_lead_somewhere(self):
        for path in ("examples/order.bpmn", "examples/pay.sh", "examples/README.md"):
            self.assertIn(path, README.read_text())
            self.assertTrue((ROOT / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
