"""A real Redis for tests, from the installed package or the program that TIDEMILL_TEST_REDIS names: its own directory, a free
port, and gone with the process that started it, however that ends."""

import atexit
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from ports import free_port

START_TIMEOUT_S = 60

# Runs the server until its starter closes the pipe or is gone.
WATCH = """home=$1; shift
"$@" >>"$home/log" 2>&1 &
server=$!
read -r _
kill -s TERM $server; wait $server; rm -rf "$home\""""

# The settings without which the store does not start.
SETTINGS = {"bind": "127.0.0.1", "save": "", "appendonly": "yes", "appendfsync": "always",
            "maxmemory-policy": "noeviction"}


# A user who may do what docs/redis.md tells, and no more.
USER, PASSWORD = "tidemill", "known-to-the-tests-only"
RIGHTS = ("+@read +@write +@connection +@transaction -@dangerous -function +function|load +fcall +fcall_ro +config|get "
          "+info +time")


class Redis:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="tidemill-redis-")
        self.port = free_port()
        self.watcher = None

    @property
    def url(self):
        return f"redis://{USER}:{PASSWORD}@127.0.0.1:{self.port}"

    def start(self):
        serve = [os.environ.get("TIDEMILL_TEST_REDIS", "redis-server"), "--port", str(self.port), "--dir", self.home]
        for name, value in SETTINGS.items():
            serve += [f"--{name}", value]
        self.watcher = subprocess.Popen(["sh", "-c", WATCH, "sh", self.home, *serve], stdin=subprocess.PIPE, cwd="/")
        atexit.register(self.stop)
        self.wait_until_ready()
        assert self.ask(f"ACL SETUSER {USER} on >{PASSWORD} ~{{* {RIGHTS}").startswith(b"+OK")
        return self

    def wait_until_ready(self):
        give_up = time.monotonic() + START_TIMEOUT_S
        while not self.is_ready():
            if time.monotonic() > give_up:
                raise RuntimeError(f"Redis does not start:\n{Path(self.home, 'log').read_text()}")
            time.sleep(0.05)

    def is_ready(self):
        try:
            return self.ask("PING").startswith(b"+PONG")
        except OSError:
            return False

    def ask(self, command):
        with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
            connection.sendall(command.encode() + b"\r\n")
            return connection.recv(100)

    def stop(self):
        self.watcher.stdin.close()
        self.watcher.wait()
