"""The ledger itself: what it must complain about, it complains about."""

import time
import unittest

from ledger import Ledger


def job(key, lease_ms):
    return {"jobKey": key, "deadline": time.time() * 1_000 + lease_ms}


class Complaints(unittest.TestCase):
    def test_a_timer_that_fires_early(self):
        ledger = Ledger()
        ledger.note_timer_begins("one")
        ledger.note_pause_is_over("one", 60)
        ledger.note_date_has_come("one", time.time() + 60)
        self.assertEqual(len(ledger.violations), 2)

    def test_a_timer_that_fires_in_time(self):
        ledger = Ledger()
        ledger.note_timer_begins("one")
        ledger.note_pause_is_over("one", 0)
        ledger.note_date_has_come("one", time.time() - 1)
        self.assertEqual((ledger.violations, ledger.timers_fired), ([], 2))

    def test_a_job_that_two_workers_hold(self):
        ledger = Ledger()
        ledger.note_job(job("one", 60_000), "first")
        ledger.note_job(job("one", 60_000), "second")
        self.assertEqual(len(ledger.violations), 1)

    def test_a_job_that_comes_back_when_its_lease_is_over(self):
        ledger = Ledger()
        ledger.note_job(job("one", 20), "first")
        time.sleep(0.03)
        ledger.note_job(job("one", 60_000), "second")
        self.assertEqual(ledger.violations, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
