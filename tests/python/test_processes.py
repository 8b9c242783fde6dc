"""Deploying, creating, awaiting, cancelling, and what can be read of definitions and instances."""

import json
import unittest
import urllib.request
from io import BytesIO

import camunda_orchestration_sdk as sdk

from client import (MODELS, activate, call, client, deploy, refused, server_address, start, state_of, text, variables_of,
                    wait_for_end)

UNKNOWN = "4503599627370000"


class Definitions(unittest.TestCase):
    def test_a_deployment_lists_processes_and_forms(self):
        deployed = deploy("review.bpmn", "review.form")
        process, form = deployed.processes[0], deployed.forms[0]
        self.assertEqual((process.process_definition_id, form.form_id), ("review", "review-form"))
        definition = client.get_process_definition(process.process_definition_key)
        self.assertEqual((definition.name, definition.has_start_form), ("Review", True))
        start_form = client.get_start_process_form(process.process_definition_key)
        self.assertEqual(start_form.form_key, form.form_key)
        self.assertEqual(json.loads(start_form.schema)["id"], "review-form")
        if hasattr(client, "get_form_by_key"):
            self.assertEqual(client.get_form_by_key(form.form_key).form_id, "review-form")

    def test_equal_content_keeps_its_version(self):
        first, second = deploy("sum.bpmn").processes[0], deploy("sum.bpmn").processes[0]
        self.assertEqual(first.process_definition_key, second.process_definition_key)

    def test_the_model_comes_back_as_it_was_deployed(self):
        key = deploy("order.bpmn").processes[0].process_definition_key
        self.assertEqual(client.get_process_definition_xml(key), (MODELS / "order.bpmn").read_text())

    def test_a_form_that_is_not_there_is_no_error(self):
        key = deploy("order.bpmn").processes[0].process_definition_key
        # The client itself fails on the empty answer.
        with urllib.request.urlopen(f"{server_address()}/v2/process-definitions/{key}/form") as answer:
            self.assertEqual(answer.status, 204)


class Instances(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        deployed = deploy("order.bpmn", "sum.bpmn", "basket.bpmn")
        cls.order = next(one for one in deployed.processes if one.process_definition_id == "order")

    def test_an_instance_starts_by_id_and_by_key(self):
        by_key = call(client.create_process_instance, processDefinitionKey=self.order.process_definition_key)
        self.assertEqual(by_key.process_definition_id, "order")
        by_version = call(client.create_process_instance, processDefinitionId="order",
                          processDefinitionVersion=self.order.process_definition_version)
        self.assertEqual(by_version.process_definition_key, self.order.process_definition_key)
        self.assertEqual(state_of(by_key.process_instance_key), "ACTIVE")

    def test_awaiting_answers_with_the_variables(self):
        ended = call(client.create_process_instance, processDefinitionId="sum", variables={"a": 2, "b": 3},
                     awaitCompletion=True, fetchVariables=["total"])
        self.assertEqual(ended.variables.to_dict(), {"total": 5})

    def test_awaiting_gives_up_while_the_instance_goes_on(self):
        with refused(504):
            call(client.create_process_instance, processDefinitionId="order", businessId="slow",
                 awaitCompletion=True, requestTimeout=200)
        found = call(client.search_process_instances, filter={"businessId": "slow"})
        self.assertIn("ACTIVE", [text(one.state) for one in found.items])

    def test_what_is_unknown_is_not_found(self):
        for attempt in (
            lambda: start("nothing"),
            lambda: client.get_process_instance(UNKNOWN),
            lambda: call(client.cancel_process_instance, UNKNOWN),
        ):
            with refused(404):
                attempt()

    def test_a_cancelled_instance_can_be_deleted(self):
        instance = start("order")
        with refused(409):
            call(client.delete_process_instance, instance)
        call(client.cancel_process_instance, instance)
        self.assertEqual(state_of(instance), "TERMINATED")
        call(client.delete_process_instance, instance)
        with refused(404):
            client.get_process_instance(instance)

    def test_a_called_instance_knows_its_parent(self):
        root = start("basket")
        found = call(client.search_process_instances, filter={"parentProcessInstanceKey": root})
        child = found.items[0].process_instance_key
        self.assertEqual(len(client.get_process_instance_call_hierarchy(child)), 2)
        client.complete_job(activate("collect-money", child).job_key)
        self.assertEqual(wait_for_end(root), "COMPLETED")

    def test_flows_and_counts_tell_the_way(self):
        ended = call(client.create_process_instance, processDefinitionId="sum", variables={"a": 1, "b": 2},
                     awaitCompletion=True)
        instance = ended.process_instance_key
        flows = client.get_process_instance_sequence_flows(instance)
        self.assertEqual(sorted(flow.element_id for flow in flows.items), ["to-add", "to-summed"])
        counts = client.get_process_instance_statistics(instance)
        self.assertEqual({one.element_id: one.completed for one in counts.items}, {"add": 1, "given": 1, "summed": 1})
        overall = client.get_process_definition_statistics(ended.process_definition_key)
        self.assertGreaterEqual({one.element_id: one.completed for one in overall.items}["add"], 1)
        self.assertTrue(client.get_process_definition_instance_statistics().items)

    def test_versions_of_a_process_are_counted(self):
        start("order")
        counted = call(client.get_process_definition_instance_version_statistics,
                       filter={"processDefinitionId": "order"})
        self.assertIn(self.order.process_definition_version, [one.process_definition_version for one in counted.items])

    def test_variables_are_set_and_read(self):
        instance = start("order", {"list": [1]})
        call(client.create_element_instance_variables, instance, variables={"list": [2, {"deep": None}], "text": "ß"})
        self.assertEqual(variables_of(instance), {"list": [2, {"deep": None}], "text": "ß"})
        found = call(client.search_variables, filter={"processInstanceKey": instance, "name": "text"})
        self.assertEqual(client.get_variable(found.items[0].variable_key).value, '"ß"')


class Resources(unittest.TestCase):
    def test_a_resource_can_be_searched_and_read(self):
        script = sdk.types.File(payload=BytesIO(b'{"id": "robot"}'), file_name="robot.rpa")
        deployed = client.create_deployment(data=sdk.models.CreateDeploymentData(resources=[script]))
        key = deployed.deployments[0].resource.resource_key
        self.assertEqual(client.get_resource(key).resource_name, "robot.rpa")
        found = call(client.search_resources, filter={"resourceKey": key})
        self.assertEqual([one.resource_key for one in found.items], [key])

    def test_a_deleted_definition_starts_nothing(self):
        key = deploy("enquiry.bpmn").processes[0].process_definition_key
        call(client.delete_resource, key)
        with refused(404):
            start("enquiry")
