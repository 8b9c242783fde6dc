"""Checks every answer that a client receives against the server's own description of its API."""

import json
import os
import re
import urllib.request

import httpx
from jsonschema import Draft202012Validator

checked = set()


class Description:
    """The OpenAPI document, asked which schema an answer must have."""

    def __init__(self, document):
        self.document = document
        self.routes = [
            (method.upper(), path_pattern(path), operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ]

    def operation(self, method, path):
        matches = [one for verb, pattern, one in self.routes if verb == method and pattern.fullmatch(path)]
        # A literal path wins over one with parameters.
        return min(matches, key=lambda one: len(one.get("parameters", [])), default=None)

    def check(self, method, path, status, media_type, body):
        operation = self.operation(method, path)
        assert operation, f"{method} {path} is not described"
        answer = operation["responses"].get(str(status)) or operation["responses"].get("default")
        assert answer, f"{operation['operationId']} does not describe {status}"
        content = answer.get("content", {})
        checked.add((operation["operationId"], status))
        if not body:
            assert not content, f"{operation['operationId']} {status} came without its body"
            return
        assert media_type in content, f"{operation['operationId']} {status} came as {media_type}"
        if media_type.endswith("json"):
            self.check_json(operation, status, content[media_type]["schema"], json.loads(body))

    def check_json(self, operation, status, schema, value):
        whole = {**schema, "components": self.document["components"]}
        errors = sorted(Draft202012Validator(whole).iter_errors(value), key=str)
        detail = "; ".join(f"{error.json_path}: {error.message}" for error in errors[:5])
        assert not errors, f"{operation['operationId']} {status}: {detail}"


def path_pattern(path):
    literal = re.split(r"\{[^}]+\}", path)
    return re.compile("[^/]+".join(map(re.escape, literal)))


class RecordingTransport(httpx.HTTPTransport):
    """Sends as usual, and checks what comes back."""

    def __init__(self, description):
        super().__init__()
        self.description = description

    def handle_request(self, sent):
        answer = super().handle_request(sent)
        body = answer.read()
        media_type = answer.headers.get("content-type", "").split(";")[0]
        self.description.check(sent.method, sent.url.path, answer.status_code, media_type, body)
        return answer


def load_description():
    with urllib.request.urlopen(os.environ["CAMUNDA_REST_ADDRESS"] + "/openapi.json") as answer:
        return Description(json.load(answer))


def recording_transport():
    return RecordingTransport(load_description())
