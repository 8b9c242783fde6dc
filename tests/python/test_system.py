"""Topology, status, licence, configuration, expressions, and the clock that tests can set."""

import time
import unittest

from camunda_orchestration_sdk import models

from client import call, client, deploy, refused, start, state_of, text, wait_for_end

DAY_MS = 24 * 60 * 60 * 1000


class System(unittest.TestCase):
    def test_the_topology_names_one_healthy_leader_per_partition(self):
        topology = client.get_topology()
        partitions = [one for broker in topology.brokers for one in broker.partitions]
        self.assertEqual(len(partitions), topology.partitions_count)
        self.assertEqual({(text(one.role), text(one.health)) for one in partitions}, {("leader", "healthy")})

    def test_status_licence_and_configuration_can_be_read(self):
        client.get_status()
        self.assertFalse(client.get_license().valid_license)
        self.assertIsNotNone(client.get_system_configuration())

    def test_nobody_is_logged_in(self):
        with refused(401):
            client.get_authentication()

    def test_expressions_are_evaluated(self):
        answer = client.evaluate_expression(data=models.ExpressionEvaluationRequest(expression="=2 * 21"))
        self.assertEqual(answer.result, 42)
        self.assertEqual(answer.warnings, [])
        with refused(400):
            client.evaluate_expression(data=models.ExpressionEvaluationRequest(expression="=1 +"))


class Clock(unittest.TestCase):
    def setUp(self):
        deploy("reminder.bpmn")
        self.addCleanup(client.reset_clock)

    def test_a_pinned_clock_lets_a_timer_of_a_day_fire_at_once(self):
        instance = start("reminder")
        self.assertEqual(state_of(instance), "ACTIVE")
        call(client.pin_clock, timestamp=int(time.time() * 1000) + DAY_MS + 60_000)
        self.assertEqual(wait_for_end(instance), "COMPLETED")
