"""Runs all scenarios of this folder and tells which operations of the API they did not reach."""

import sys
import unittest
from pathlib import Path

from answers import checked, load_description


def main():
    suite = unittest.defaultTestLoader.discover(str(Path(__file__).parent))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    described = {operation["operationId"] for _, _, operation in load_description().routes}
    reached = {operation for operation, status in checked if status < 300}
    print(f"{len(reached)} of {len(described)} operations answered as described;", end=" ")
    print("not reached:", ", ".join(sorted(described - reached)) or "none")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
