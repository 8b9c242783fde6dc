"""What deploy/ ships: the unit, the container, the compose file and the manifests, each judged by a tool made for it, and
the settings in them by the program itself."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))

from server import Server
from store import fresh_store

ROOT = pathlib.Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TIDEMILL = pathlib.Path(os.environ["TIDEMILL_BINARY"]).resolve()
TOOLS = pathlib.Path(os.environ["DEPLOY_TOOLS"])


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Files(unittest.TestCase):
    def passes(self, *command):
        code, said = run(*command)
        self.assertEqual(code, 0, said)
        return said

    def test_the_unit_is_understood_and_hardened(self):
        text = (DEPLOY / "systemd/tidemill.service").read_text()
        # The tool looks for the program, which is not installed here, and for its manual page.
        text = text.replace("/usr/bin/tidemill", str(TIDEMILL))
        text = "\n".join(line for line in text.splitlines() if not line.startswith("Documentation=man:"))
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder, "tidemill.service")
            unit.write_text(text)
            said = self.passes("systemd-analyze", "verify", unit)
            self.assertNotIn("tidemill.service", said)
            said = self.passes("systemd-analyze", "security", "--offline=true", "--threshold=20", unit)
            self.assertRegex(said, "Overall exposure level for tidemill.service: [01]")

    def test_the_container_file_has_no_findings(self):
        self.passes(TOOLS / "hadolint", "--failure-threshold", "info", DEPLOY / "container/Containerfile")

    def test_the_container_is_built_by_a_profile_that_exists(self):
        profile = re.search(r"--profile (\w+)", (DEPLOY / "container/Containerfile").read_text())[1]
        self.assertIn(f"[profile.{profile}]", (ROOT / "Cargo.toml").read_text())

    def test_the_compose_file_fits_its_schema(self):
        schema = ("--builtin-schema", "vendor.compose-spec")
        self.passes(TOOLS / "check-jsonschema", *schema, DEPLOY / "compose/compose.yaml")

    def test_the_manifests_fit_their_schemas(self):
        said = self.passes(TOOLS / "kubernetes-validate", "--strict", DEPLOY / "kubernetes/tidemill.yaml")
        self.assertEqual(said.count("passed for resource"), 4, said)

    def test_the_settings_of_prometheus_are_understood(self):
        # With the rules that it names.
        self.passes("promtool", "check", "config", DEPLOY / "prometheus/prometheus.yml")

    def test_every_variable_and_path_is_one_of_the_server(self):
        help_text = self.passes(TIDEMILL, "serve", "--help")
        known = set(re.findall(r"\[env: (TIDEMILL_\w+)", help_text))
        files = [path for path in DEPLOY.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 5)
        for path in files:
            used = set(re.findall(r"\bTIDEMILL_\w+", path.read_text()))
            self.assertEqual(used - known, set(), path)
        manifests = (DEPLOY / "kubernetes/tidemill.yaml").read_text()
        for path in re.findall(r"path: (/\w+)", manifests):
            self.assertIn(path, ["/readyz", "/healthz"])


class Shipped(Server):
    """A server with the settings for /etc/tidemill, on a port that is free."""

    def command(self):
        settings = ("--config", DEPLOY / "debian/tidemill.toml")
        return [self.binary, "serve", *self.store.options, *settings, "--http", f"127.0.0.1:{self.port}"]


class Settings(unittest.TestCase):
    def test_a_server_runs_and_stops_with_the_settings_that_are_shipped(self):
        with tempfile.TemporaryDirectory(prefix="tidemill-test-") as home:
            server = Shipped(TIDEMILL, fresh_store(home), f"{home}/server.log").start()
            self.assertEqual(server.stop(), 0, server.tail())


if __name__ == "__main__":
    unittest.main()
