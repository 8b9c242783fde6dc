"""Filters, sorts and the four forms of a page through the client's own request classes."""

import unittest

from client import activate, call, client, deploy, refused, start

COUNT = 7


class Search(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        deploy("order.bpmn")
        cls.instances = [start("order", {"n": n}, tags=["paged"], businessId=f"page-{n}") for n in range(COUNT)]

    def search(self, page, order="ASC"):
        sort = [{"field": "businessId", "order": order}]
        return call(client.search_process_instances, filter={"tags": ["paged"]}, sort=sort, page=page)

    def keys(self, page, **more):
        return [one.process_instance_key for one in self.search(page, **more).items]

    def test_pages_by_limit_and_offset(self):
        self.assertEqual(self.keys({"limit": 3}), self.instances[:3])
        self.assertEqual(self.keys({"from": 3, "limit": 3}), self.instances[3:6])
        self.assertEqual(self.keys({"limit": 100}, order="DESC"), self.instances[::-1])
        counted = self.search({"limit": 0})
        self.assertEqual((counted.items, counted.page.total_items), ([], COUNT))

    def test_pages_by_cursor_forward_and_backward(self):
        first = self.search({"limit": 4})
        second = self.search({"after": first.page.end_cursor, "limit": 4})
        self.assertEqual([one.process_instance_key for one in first.items + second.items], self.instances)
        back = self.keys({"before": second.page.start_cursor, "limit": 2})
        self.assertEqual(back, self.instances[2:4])

    def test_filters_with_operators(self):
        cases = [
            ({"businessId": "page-1"}, 1),
            ({"businessId": {"$neq": "page-1"}}, COUNT - 1),
            ({"businessId": {"$in": ["page-1", "page-2", "other"]}}, 2),
            ({"businessId": {"$notIn": ["page-1", "page-2"]}}, COUNT - 2),
            ({"businessId": {"$like": "page-?"}}, COUNT),
            ({"businessId": {"$exists": False}}, 0),
            ({"state": "ACTIVE", "hasIncident": False}, COUNT),
            ({"variables": [{"name": "n", "value": "3"}]}, 1),
            ({"startDate": {"$lt": "2020-01-01T00:00:00Z"}}, 0),
            ({"startDate": {"$gte": "2020-01-01T00:00:00Z"}}, COUNT),
            ({"$or": [{"businessId": "page-1"}, {"businessId": "page-5"}]}, 2),
        ]
        for condition, expected in cases:
            with self.subTest(condition):
                found = call(client.search_process_instances, filter={"tags": ["paged"], **condition})
                self.assertEqual(found.page.total_items, expected)

    def test_every_search_answers(self):
        activate("collect-money", self.instances[0])
        for operation in (
            client.search_process_definitions, client.search_process_instances, client.search_element_instances,
            client.search_variables, client.search_jobs, client.search_incidents, client.search_user_tasks,
            client.search_message_subscriptions, client.search_correlated_message_subscriptions,
        ):
            with self.subTest(operation.__name__):
                found = call(operation, page={"limit": 2})
                self.assertLessEqual(len(found.items), 2)
                self.assertGreaterEqual(found.page.total_items, len(found.items))

    def test_bad_pages_are_refused(self):
        with refused(400):
            self.search({"limit": -1})
