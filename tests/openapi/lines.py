"""Teaches Schemathesis to send lines of JSON: what it made up, one line for each item."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    items = value if isinstance(value, list) else [value]
    return "".join(json.dumps(item) + "\n" for item in items).encode()
