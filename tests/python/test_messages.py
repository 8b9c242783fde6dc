"""Messages that wait for instances, instances that wait for messages, and signals."""

import unittest

from client import call, client, deploy, eventually, refused, start, variables_of, wait_for_end

NAME = "parcel-arrived"


class Messages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        deploy("parcel.bpmn", "alarm.bpmn")

    def test_a_published_message_reaches_its_instance(self):
        instance = start("parcel", {"parcelId": "py-1"})
        published = call(client.publish_message, name=NAME, correlationKey="py-1", variables={"weight": 2})
        self.assertTrue(published.message_key.isdigit())
        self.assertEqual(wait_for_end(instance), "COMPLETED")
        self.assertEqual(variables_of(instance)["weight"], 2)

    def test_a_message_waits_and_is_published_once(self):
        body = {"name": NAME, "correlationKey": "py-2", "timeToLive": 60_000, "messageId": "py-once"}
        call(client.publish_message, **body)
        with refused(409):
            call(client.publish_message, **body)
        self.assertEqual(wait_for_end(start("parcel", {"parcelId": "py-2"})), "COMPLETED")

    def test_a_correlation_names_the_instance(self):
        instance = start("parcel", {"parcelId": "py-3"})
        correlated = call(client.correlate_message, name=NAME, correlationKey="py-3")
        self.assertEqual(correlated.process_instance_key, instance)
        with refused(404):
            call(client.correlate_message, name=NAME, correlationKey="py-3")
        met = call(client.search_correlated_message_subscriptions, filter={"processInstanceKey": instance})
        self.assertEqual([one.message_key for one in met.items], [correlated.message_key])

    def test_subscriptions_can_be_seen(self):
        instance = start("parcel", {"parcelId": "py-4"})
        waiting = call(client.search_message_subscriptions, filter={"processInstanceKey": instance})
        self.assertEqual([(one.message_name, one.correlation_key) for one in waiting.items], [(NAME, "py-4")])

    def test_signals_start_and_continue_instances(self):
        call(client.broadcast_signal, signalName="alarm-raised", variables={"room": "attic"})
        running = {"processDefinitionId": "alarm", "state": "ACTIVE"}
        waiting = eventually("an alarm waits", lambda: call(client.search_process_instances, filter=running).items)
        call(client.broadcast_signal, signalName="alarm-cleared")
        for one in waiting:
            self.assertEqual(wait_for_end(one.process_instance_key), "COMPLETED")
