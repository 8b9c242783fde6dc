"""What every scenario needs: the unmodified client, the shared models, and short ways to say things.

Request bodies are written in the words of the API. They become the client's own request classes, whose
names differ between versions of the client."""

import inspect
import json
import os
import re
import time
from contextlib import contextmanager
from pathlib import Path

import camunda_orchestration_sdk as sdk
from camunda_orchestration_sdk import models

from answers import recording_transport

MODELS = Path(__file__).parent.parent / "models"


def connect():
    return sdk.CamundaClient(httpx_args={"transport": recording_transport()})


client = connect()


def call(operation, *keys, **body):
    """Calls an operation of the client with a body in the words of the API."""
    if body:
        return operation(*keys, data=request(operation, body))
    # The client cannot send an absent body where null is allowed.
    return operation(*keys, data=None) if "None" in body_type(operation) else operation(*keys)


def body_type(operation):
    data = inspect.signature(operation).parameters.get("data")
    return str(data.annotation) if data else ""


def request(operation, body):
    annotation = body_type(operation)
    names = [name for name in re.findall(r"\w+", annotation) if hasattr(models, name)]
    for name in names:
        try:
            return getattr(models, name).from_dict(body)
        except KeyError:
            continue
    raise TypeError(f"{operation.__name__} takes {names}, not {body}")


def deploy(*names):
    return client.deploy_resources_from_files([MODELS / name for name in names])


def start(process_id, variables=None, **more):
    created = call(
        client.create_process_instance,
        processDefinitionId=process_id,
        variables=variables or {},
        **more,
    )
    return created.process_instance_key


def activate(job_type, instance, **more):
    asked = {"type": job_type, "worker": "scenario", "timeout": 60_000, "maxJobsToActivate": 100}
    found = call(client.activate_jobs, **asked, requestTimeout=5_000, **more)
    return next(job for job in found.jobs if job.process_instance_key == instance)


def variables_of(instance):
    found = call(client.search_variables, filter={"processInstanceKey": instance})
    return {one.name: json.loads(one.value) for one in found.items}


@contextmanager
def refused(status):
    """What is called within must be answered with this status."""
    try:
        yield
    except sdk.errors.ApiError as error:
        assert error.status_code == status, f"{error.status_code} instead of {status}: {error}"
    else:
        raise AssertionError(f"accepted instead of refused with {status}")


def text(value):
    """States and kinds are enumerations in some versions of the client and text in others."""
    return getattr(value, "value", value)


def state_of(instance):
    return text(client.get_process_instance(instance).state)


def eventually(what, check, timeout_s=15):
    give_up = time.monotonic() + timeout_s
    while not (value := check()):
        assert time.monotonic() < give_up, f"not within {timeout_s} s: {what}"
        time.sleep(0.05)
    return value


def wait_for_end(instance):
    return eventually(f"{instance} ends", lambda: state_of(instance) != "ACTIVE" and state_of(instance))


def server_address():
    return os.environ["CAMUNDA_REST_ADDRESS"]
