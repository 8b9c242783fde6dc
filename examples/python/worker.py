"""A worker with Camunda's own client: deploys the order process, starts an instance, and works on its payments."""

import asyncio
import os
from pathlib import Path

os.environ.setdefault("CAMUNDA_REST_ADDRESS", "http://127.0.0.1:8080")
os.environ.setdefault("CAMUNDA_AUTH_STRATEGY", "NONE")

import camunda_orchestration_sdk as sdk

MODEL = Path(__file__).parent.parent / "order.bpmn"


async def pay(job):
    order = job.variables.to_dict()
    if order["amount"] > 1000:
        raise sdk.JobError("DECLINED", "more than the card allows")
    print(f"order {order['orderId']}: {order['amount']} paid", flush=True)
    return {"paid": order["amount"]}


async def main():
    async with sdk.CamundaAsyncClient() as camunda:
        await camunda.deploy_resources_from_files([MODEL])
        order = {"processDefinitionId": "web-order", "variables": {"orderId": "P-1", "amount": 120}}
        await camunda.create_process_instance(data=sdk.models.ProcessCreationById.from_dict(order))
        camunda.create_job_worker(sdk.WorkerConfig(job_type="payment", job_timeout_milliseconds=60_000), pay)
        await camunda.run_workers()


asyncio.run(main())
