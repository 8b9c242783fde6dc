"""Incidents of expressions: found, resolved after the data was put right, counted."""

import unittest

from client import call, client, deploy, refused, start, text, wait_for_end


class Incidents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        deploy("route.bpmn")

    def test_an_incident_is_found_and_put_right(self):
        instance = start("route")
        [incident] = client.search_process_instance_incidents(instance).items
        self.assertEqual((incident.element_id, text(incident.state)), ("choice", "ACTIVE"))
        self.assertTrue(client.get_process_instance(instance).has_incident)
        [same] = call(client.search_element_instance_incidents, incident.element_instance_key, page={"limit": 5}).items
        self.assertEqual(same.incident_key, incident.incident_key)
        self.assertTrue(client.get_element_instance(incident.element_instance_key).has_incident)
        call(client.create_element_instance_variables, instance, variables={"weight": 20})
        client.resolve_incident(incident.incident_key)
        self.assertEqual(wait_for_end(instance), "COMPLETED")
        self.assertEqual(text(client.get_incident(incident.incident_key).state), "RESOLVED")
        with refused(404):
            client.resolve_incident(incident.incident_key)

    def test_incidents_are_counted_by_error(self):
        start("route")
        counted = client.get_process_instance_statistics_by_error()
        self.assertGreaterEqual(counted.items[0].active_instances_with_error_count, 1)
