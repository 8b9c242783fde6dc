"""The Debian package: what it holds, and that the program in it runs. `./test debian` makes it first."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]


def ask(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        found = list((ROOT / "target/debian").glob("tidemill_*.deb"))
        assert len(found) == 1, found
        cls.package = found[0]

    def test_it_says_what_it_is(self):
        fields = ask("dpkg-deb", "--field", self.package, "Package", "Version", "Depends", "Conffiles", "Maintainer")
        version = (ROOT / "Cargo.toml").read_text().split('version = "')[1].split('"')[0]
        self.assertIn("Package: tidemill", fields)
        self.assertIn(f"Version: {version}", fields)
        self.assertIn("libc6", fields)
        self.assertIn("/etc/tidemill/tidemill.toml", ask("dpkg-deb", "--info", self.package, "conffiles"))

    def test_what_it_holds_works(self):
        with tempfile.TemporaryDirectory() as home:
            ask("dpkg-deb", "--extract", self.package, home)
            root = pathlib.Path(home)
            self.assertRegex(ask(root / "usr/bin/tidemill", "--version"), r"^tidemill \d")
            unit = (root / "usr/lib/systemd/system/tidemill.service").read_text()
            for path in ["/usr/bin/tidemill", "/etc/tidemill/tidemill.toml"]:
                self.assertIn(path, unit, "the unit uses what the package brings")
                self.assertTrue((root / path[1:]).exists(), path)
            for path in ["usr/share/man/man1/tidemill-serve.1.gz", "usr/share/bash-completion/completions/tidemill",
                         "usr/share/zsh/vendor-completions/_tidemill", "usr/share/doc/tidemill/copyright"]:
                self.assertTrue((root / path).exists(), path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
