"""Where the server under test keeps its state: TIDEMILL_TEST_STORE says `embedded` (the default), `postgres` or `redis`."""

import functools
import itertools
import os

from postgres import Postgres
from redis import Redis

# After a kill the next server waits for the lease of the last one.
LEASE = "2s"


def fresh_store(home):
    """A store that nobody has used; `home` is a directory that goes when the test ends."""
    kind = os.environ.get("TIDEMILL_TEST_STORE", "embedded")
    return {"embedded": lambda: Embedded(home), "postgres": Schema, "redis": Prefix}[kind]()


class Embedded:
    """A file in a directory."""

    def __init__(self, home):
        self.options = ["--data", f"{home}/data"]

    def name_of_owner(self, server):
        """What a second server on the same store is told."""
        return str(server.process.pid)


class Schema:
    """A schema of a Postgres that all tests of this process share."""

    numbers = itertools.count()

    def __init__(self):
        name = f"tests_{next(self.numbers)}"
        self.options = ["--store", shared_postgres().url, "--schema", name, "--lease", LEASE]

    def name_of_owner(self, server):
        return f"127.0.0.1:{server.port}"


class Prefix:
    """Keys of its own on a Redis that all tests of this process share."""

    numbers = itertools.count()

    def __init__(self):
        name = f"tests_{next(self.numbers)}"
        self.options = ["--store", f"{shared_redis().url}?prefix={name}", "--lease", LEASE]

    def name_of_owner(self, server):
        return f"127.0.0.1:{server.port}"


@functools.cache
def shared_postgres():
    return Postgres().start()


@functools.cache
def shared_redis():
    return Redis().start()
