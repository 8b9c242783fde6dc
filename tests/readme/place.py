"""A place that looks like a fresh checkout after `cargo build --release`, and shells in it."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE_S = 180

# The binary is built already, and what would run all tests does not run within one of them.
CARGO = """#!/bin/sh
case "$1" in
run) while [ "$1" != -- ]; do shift; done; shift; exec target/release/tidemill "$@" ;;
install) exit 0 ;;
*) echo "the README has an unknown use of cargo: $*" >&2; exit 1 ;;
esac
"""


class Place:
    def __init__(self, binary, port):
        self.home = Path(tempfile.mkdtemp(prefix="tidemill-readme-"))
        # Postgres runs as another user there.
        self.home.chmod(0o755)
        shutil.copytree(ROOT / "examples", self.home / "examples", ignore=shutil.ignore_patterns("node_modules"))
        for path, content in {"bin/cargo": CARGO, "test": "#!/bin/sh\n"}.items():
            (self.home / path).parent.mkdir(exist_ok=True)
            (self.home / path).write_text(content)
            (self.home / path).chmod(0o755)
        (self.home / "target/release").mkdir(parents=True)
        (self.home / "target/release/tidemill").symlink_to(Path(binary).absolute())
        url = f"http://127.0.0.1:{port}"
        # All that differs from what a reader has: a port that is free here.
        self.env = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("TIDEMILL_", "CAMUNDA_"))},
            "PATH": f"{self.home}/bin:{os.environ['PATH']}",
            "TIDEMILL_HTTP": f"127.0.0.1:{port}",
            "TIDEMILL_URL": url,
            "CAMUNDA_REST_ADDRESS": url,
        }
        self.running = []

    def run(self, commands):
        """Runs commands in one shell, which must all succeed."""
        ran = subprocess.run(["bash", "-ec", "\n".join(commands)], cwd=self.home, env=self.env, text=True,
                             capture_output=True, timeout=PATIENCE_S)
        assert ran.returncode == 0, f"{commands}\nended with {ran.returncode}:\n{ran.stdout}{ran.stderr}"
        return ran.stdout

    def start(self, commands, words, is_server):
        """Starts commands of which the last goes on for ever, and waits for the words that tell it is at work."""
        log = self.home / f"log-{len(self.running)}"
        with log.open("w") as out:
            started = subprocess.Popen(["bash", "-ec", "\n".join(commands)], cwd=self.home, env=self.env, stdout=out,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        self.running.append((started, is_server))
        give_up = time.monotonic() + PATIENCE_S
        while words not in log.read_text():
            assert started.poll() is None, f"{commands} ended with {started.returncode}:\n{log.read_text()}"
            assert time.monotonic() < give_up, f"{commands} did not say '{words}':\n{log.read_text()}"
            time.sleep(0.1)
        return log.read_text()

    def stop(self, also_servers):
        """As Ctrl-C does: the whole group of processes gets the signal."""
        for started, is_server in reversed(self.running):
            if (also_servers or not is_server) and started.poll() is None:
                os.killpg(started.pid, signal.SIGINT)
                self.wait_for(started, is_server)

    def wait_for(self, started, is_server):
        """A server of ours must end. The clients in the workers are not ours, and the Python one sometimes goes on while
        a job is in hand: then it is ended as by closing the terminal."""
        try:
            started.wait(timeout=60 if is_server else 15)
        except subprocess.TimeoutExpired:
            if is_server:
                raise
            os.killpg(started.pid, signal.SIGKILL)
            started.wait(timeout=60)

    def remove(self):
        self.stop(also_servers=True)
        shutil.rmtree(self.home, ignore_errors=True)
