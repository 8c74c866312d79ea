"""The law of the noise over 10**9 draws each: runs the long test and keeps its p-values in noise_law.csv.

python benchmarks/noise_law.py [draws]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from machine import HERE, machine, write_table

TEST = HERE.parent / "tests" / "noise" / "test_long_runs.py"


def run(draws: int, report: Path) -> int:
    """The long test, two laws at a time; what it records goes to `report`."""
    chosen = {**os.environ, "TWOWORLDS_SLOW": "1", "TWOWORLDS_DRAWS": str(draws)}
    options = ["-q", "-n", "2", "-o", "junit_family=xunit1", f"--junitxml={report}"]
    return subprocess.run([sys.executable, "-m", "pytest", str(TEST), *options], env=chosen, check=False).returncode


def recorded(report: Path) -> list[dict[str, str]]:
    """One row for each law that was drawn, with the outcome and the seconds it took."""
    rows = []
    for case in ElementTree.parse(report).iter("testcase"):
        row = {p.get("name", ""): p.get("value", "") for p in case.iter("property")}
        if row:
            passed = case.find("failure") is None and case.find("error") is None
            rows.append({**row, "seconds": f"{float(case.get('time', 0)):.0f}", "passed": str(passed)})
    return sorted(rows, key=lambda row: (row["how"] == "one at a time", row["law"]))


def main() -> int:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 10**9
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        code = run(draws, report)
        rows = recorded(report)
    if rows:
        note = machine("numpy", "scipy", "mpmath", "numba")
        write_table(HERE / "noise_law.csv", note, list(rows[0]), [list(row.values()) for row in rows])
    return code


if __name__ == "__main__":
    sys.exit(main())
