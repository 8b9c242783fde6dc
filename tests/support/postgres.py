"""A real Postgres for tests, from the installed package or from the folder that TIDEMILL_TEST_POSTGRES names: its own
data directory, a free port, and gone with the process that started it, however that ends."""

import atexit
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from ports import free_port

START_TIMEOUT_S = 60
VERSIONS = Path("/usr/lib/postgresql")

# Runs the server until its starter closes the pipe or is gone.
WATCH = """home=$1; shift
"$@" >>"$home/log" 2>&1 &
server=$!
read -r _
kill -s INT $server; wait $server; rm -rf "$home\""""

# Nothing is synced: these tests end the server of ours, not this one.
SETTINGS = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "fsync=off",
            "full_page_writes=off"]


class Postgres:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="tidemill-postgres-")
        if os.getuid() == 0:
            shutil.chown(self.home, "postgres", "postgres")
        self.port = free_port()
        self.watcher = None

    @property
    def url(self):
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres?sslmode=disable"

    def start(self):
        make = as_user("initdb", "--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8",
                       "-D", f"{self.home}/data")
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, cwd="/")
        serve = as_user("postgres", "-D", f"{self.home}/data")
        for setting in [f"port={self.port}", *SETTINGS]:
            serve += ["-c", setting]
        self.watcher = subprocess.Popen(["sh", "-c", WATCH, "sh", self.home, *serve], stdin=subprocess.PIPE, cwd="/")
        atexit.register(self.stop)
        self.wait_until_ready()
        return self

    def wait_until_ready(self):
        give_up = time.monotonic() + START_TIMEOUT_S
        ask = [program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while subprocess.run(ask).returncode != 0:
            if time.monotonic() > give_up:
                raise RuntimeError(f"Postgres does not start:\n{Path(self.home, 'log').read_text()}")
            time.sleep(0.05)

    def stop(self):
        self.watcher.stdin.close()
        self.watcher.wait()


def program(name):
    """Of the server that was chosen, or else of the newest version that is installed, whose clients talk to any."""
    chosen = os.environ.get("TIDEMILL_TEST_POSTGRES")
    if chosen and (name in ("initdb", "postgres") or Path(chosen, name).exists()):
        return str(Path(chosen, name))
    newest = max((int(found.name) for found in VERSIONS.iterdir() if found.name.isdigit()))
    return str(VERSIONS / str(newest) / "bin" / name)


def as_user(name, *arguments):
    """Postgres does not run as root."""
    change = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
    return [*change, program(name), *arguments]
