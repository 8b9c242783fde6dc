"""User tasks from creation to completion, with forms and variables."""

import unittest

from client import call, client, deploy, refused, start, text, variables_of, wait_for_end


def open_task(title):
    instance = start("review", {"title": title})
    [task] = call(client.search_user_tasks, filter={"processInstanceKey": instance}).items
    return task


class UserTasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        deploy("review.form", "review.bpmn")

    def test_a_task_shows_what_the_model_says(self):
        task = open_task("One")
        self.assertEqual((task.name, text(task.state), task.priority), ("Check the text", "CREATED", 70))
        self.assertEqual(sorted(task.candidate_groups), ["editors", "lawyers"])
        self.assertEqual(task.due_date.isoformat(), "2030-01-01T00:00:00+00:00")

    def test_a_task_is_assigned_and_completed(self):
        task = open_task("Two")
        call(client.assign_user_task, task.user_task_key, assignee="ada")
        with refused(409):
            call(client.assign_user_task, task.user_task_key, assignee="bob", allowOverride=False)
        self.assertEqual(client.get_user_task(task.user_task_key).assignee, "ada")
        client.unassign_user_task(task.user_task_key)
        call(client.complete_user_task, task.user_task_key, variables={"approved": True})
        self.assertEqual(wait_for_end(task.process_instance_key), "COMPLETED")
        self.assertTrue(variables_of(task.process_instance_key)["approved"])
        with refused(404):
            client.complete_user_task(task.user_task_key)

    def test_a_change_sets_what_it_names(self):
        task = open_task("Three")
        call(client.update_user_task, task.user_task_key, changeset={"priority": 5, "candidateUsers": []})
        changed = client.get_user_task(task.user_task_key)
        self.assertEqual((changed.priority, changed.candidate_users), (5, []))
        self.assertEqual(sorted(changed.candidate_groups), ["editors", "lawyers"])

    def test_form_and_variables_belong_to_the_task(self):
        task = open_task("Four")
        self.assertEqual(client.get_user_task_form(task.user_task_key).form_id, "review-form")
        found = client.search_user_task_variables(task.user_task_key)
        self.assertEqual(sorted(one.name for one in found.items), ["heading", "title"])
        effective = client.search_user_task_effective_variables(task.user_task_key)
        self.assertEqual({one.name: one.value for one in effective.items}, {"heading": '"Four"', "title": '"Four"'})
