"""Workers in threads and in an event loop, and jobs one by one."""

import asyncio
import unittest

import camunda_orchestration_sdk as sdk

from client import activate, call, client, deploy, refused, start, state_of, text, variables_of, wait_for_end

TYPE = "collect-money"


def jobs_of(instance):
    return call(client.search_jobs, filter={"processInstanceKey": instance}).items


def incidents_of(instance):
    return call(client.search_incidents, filter={"processInstanceKey": instance}).items


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        deploy("order.bpmn")

    def test_a_worker_completes_fails_and_throws(self):
        instances = {outcome: start("order", {"outcome": outcome}) for outcome in ("pay", "stumble", "decline")}
        asyncio.run(self.work_until_ended(instances.values()))
        self.assertEqual(variables_of(instances["pay"])["paid"], True)
        self.assertEqual({state_of(one) for one in instances.values()}, {"COMPLETED"})
        taken = call(client.search_element_instances,
                     filter={"processInstanceKey": instances["decline"], "elementId": "refused"})
        self.assertEqual(taken.page.total_items, 1)

    async def work_until_ended(self, instances):
        stumbled = set()

        async def handle(job):
            outcome = job.variables.to_dict().get("outcome")
            if outcome == "decline":
                raise sdk.JobError("DECLINED", "no money")
            if outcome == "stumble" and job.job_key not in stumbled:
                stumbled.add(job.job_key)
                raise sdk.JobFailure("try again", retries=1, retry_back_off=100)
            return {"paid": True}

        async with sdk.CamundaAsyncClient() as asynchronous:
            config = sdk.WorkerConfig(job_type=TYPE, job_timeout_milliseconds=30_000,
                                      request_timeout_milliseconds=2_000, worker_name="cashier")
            asynchronous.create_job_worker(config, handle)
            workers = asyncio.create_task(asynchronous.run_workers())
            for instance in instances:
                await asyncio.to_thread(wait_for_end, instance)
            workers.cancel()
            await asyncio.gather(workers, return_exceptions=True)

    def test_an_activated_job_carries_what_a_worker_needs(self):
        instance = start("order", {"amount": 3})
        job = activate(TYPE, instance)
        self.assertEqual(job.variables.to_dict(), {"amount": 3})
        self.assertEqual(job.custom_headers.to_dict(), {"method": "card"})
        self.assertEqual((job.retries, job.element_id, job.worker), (3, "collect", "scenario"))
        call(client.complete_job, job.job_key, variables={"paid": 3})
        self.assertEqual(wait_for_end(instance), "COMPLETED")
        self.assertEqual(variables_of(instance), {"amount": 3, "paid": 3})

    def test_retries_run_out_and_are_given_again(self):
        instance = start("order")
        job = activate(TYPE, instance)
        call(client.fail_job, job.job_key, retries=0, errorMessage="broken")
        [incident] = incidents_of(instance)
        self.assertEqual((text(incident.error_type), incident.error_message), ("JOB_NO_RETRIES", "broken"))
        with refused(409):
            client.resolve_incident(incident.incident_key)
        call(client.update_job, job.job_key, changeset={"retries": 2})
        client.resolve_incident(incident.incident_key)
        client.complete_job(activate(TYPE, instance).job_key)
        self.assertEqual(wait_for_end(instance), "COMPLETED")

    def test_an_error_without_catcher_is_an_incident(self):
        instance = start("order")
        call(client.throw_job_error, activate(TYPE, instance).job_key, errorCode="UNKNOWN")
        self.assertEqual([text(one.error_type) for one in incidents_of(instance)], ["UNHANDLED_ERROR_EVENT"])

    def test_a_finished_job_is_gone(self):
        instance = start("order")
        key = activate(TYPE, instance).job_key
        client.complete_job(key)
        with refused(404):
            client.complete_job(key)
        self.assertEqual([text(one.state) for one in jobs_of(instance)], ["COMPLETED"])
