"""Runs a command against a fresh server: with_server.py BINARY COMMAND [ARGUMENT...]

The command finds the server by CAMUNDA_REST_ADDRESS; TIDEMILL_TEST_STORE says where the server keeps its state.
The run fails when the command fails, when the server does not stop cleanly on SIGTERM, or when its log holds an
error or a panic."""

import os
import subprocess
import sys
import tempfile

from server import Server
from store import fresh_store


def main(binary, command):
    with tempfile.TemporaryDirectory(prefix="tidemill-test-") as home:
        server = Server(binary, fresh_store(home), f"{home}/server.log").start()
        try:
            code = subprocess.run(command, env=client_env(server)).returncode
        finally:
            alive = server.running()
            stopped = server.stop() if alive else server.process.returncode
        return report(code, alive, stopped, server)


def client_env(server):
    return {
        **os.environ,
        "CAMUNDA_REST_ADDRESS": server.address,
        "CAMUNDA_AUTH_STRATEGY": "NONE",
        "CAMUNDA_SDK_VALIDATION": "res:strict",
    }


def report(code, alive, stopped, server):
    complaints = server.complaints()
    if not alive:
        print(f"the server died during the run (exit code {stopped}):\n{server.tail()}")
    elif stopped != 0:
        print(f"the server did not stop cleanly (exit code {stopped}):\n{server.tail()}")
    if complaints:
        print("the server complained:", *complaints[:20], sep="\n")
    return code or (0 if alive and stopped == 0 and not complaints else 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
