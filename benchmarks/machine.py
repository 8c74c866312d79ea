"""The machine and the versions, as a comment line above every table of figures."""

from __future__ import annotations

import csv
import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["HERE", "machine", "write_table"]

HERE = Path(__file__).parent


def machine(*packages: str) -> str:
    """Processor, cores, Python and the versions of packages; no names of hosts or users."""
    return ", ".join([_processor(), f"{os.cpu_count()} cores", f"Python {platform.python_version()}", *_have(packages)])


def write_table(path: Path, note: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A csv file that begins with `note` as a comment."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {note}\n")
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _have(packages: Iterable[str]) -> list[str]:
    found = []
    for name in packages:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return found
