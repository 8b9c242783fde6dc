"""A real server for tests: started on a free port, stopped by signal, restarted on its store."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

from ports import free_port

READY_TIMEOUT_S = 60
STOP_TIMEOUT_S = 30


class Server:
    """One server process at a time on one store."""

    def __init__(self, binary, store, log):
        self.binary = binary
        self.store = store
        self.log = log
        self.port = free_port()
        self.process = None

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, env=quiet_env())
        self.wait_until_ready()
        return self

    def command(self):
        settings = ["--metrics", "off", "--pinned-clock", *self.store.options]
        return [self.binary, "serve", *settings, "--http", f"127.0.0.1:{self.port}"]

    def wait_until_ready(self):
        give_up = time.monotonic() + READY_TIMEOUT_S
        while time.monotonic() < give_up:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}:\n{self.tail()}")
            try:
                with urllib.request.urlopen(f"{self.address}/v2/status", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise RuntimeError(f"the server was not ready within {READY_TIMEOUT_S} s:\n{self.tail()}")

    def stop(self):
        """Asks for a clean stop and returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_TIMEOUT_S)

    def kill(self):
        """Ends the process at once, as a power cut would."""
        self.process.kill()
        self.process.wait()

    def running(self):
        return self.process is not None and self.process.poll() is None

    def complaints(self):
        """Log lines that must not appear in a healthy run."""
        with open(self.log, errors="replace") as log:
            return [line.rstrip() for line in log if "panicked" in line or " ERROR " in line]

    def tail(self, lines=20):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-lines:])


def quiet_env():
    return {**os.environ, "NO_COLOR": "1"}
