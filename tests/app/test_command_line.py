"""The command line as a user meets it: output, exit codes, refusals of one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import twoworlds as tw
from twoworlds.app.demo import last_year
from twoworlds.app.inspections import KINDS, inspections
from twoworlds.engines import Schema


def _run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "twoworlds", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_version_help_and_usage() -> None:
    assert _run("--version").stdout.strip() == f"twoworlds, version {tw.__version__}"
    assert "demo" in _run("--help").stdout
    for bad in (("nothing",), ("demo", "--seed", "x")):
        done = _run(*bad)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_the_demo_prints_a_release_and_writes_a_page(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = _run("demo", "--out", "there", "--seed", "7", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "A private release" in done.stdout
    assert "whatever is published" in done.stdout
    assert "made-up" in done.stdout
    assert "An audit of AVG(failed)" in done.stdout
    assert "cannot be spent" in done.stdout
    page = (tmp_path / "there" / "report.html").read_text()
    assert "</html>" in page
    assert done.stdout == _run("demo", "--out", "there", "--seed", "7", cwd=tmp_path).stdout
    assert done.stdout != _run("demo", "--out", "there", cwd=tmp_path).stdout


def test_a_refusal_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "file").write_text("")
    done = _run("demo", "--out", "file", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("twoworlds: ")
    assert "Traceback" not in done.stderr


def test_a_schema_is_printed_that_can_be_read_back(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id;day\n1;2024-02-29\n")
    done = _run("schema", "a.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Schema.from_toml(done.stdout).columns == {"id": "integer", "day": "date"}
    assert "guessed" in done.stderr
    (tmp_path / "bad.parquet").write_text("secret")
    for name, code in (("none.csv", 1), ("bad.parquet", 1), ("*.json", 1), ("", 1)):
        done = _run("schema", name, cwd=tmp_path)
        assert done.returncode == code
        assert done.stderr.startswith("twoworlds: source=")
        assert "secret" not in done.stderr
        assert done.stderr.count("\n") == 1


def test_no_establishment_moves_the_demo_further_than_it_says() -> None:
    """With and without each of some hundred establishments, the exact answers stay within the stated sensitivities."""
    table = inspections(establishments=300)
    plan = last_year(table)
    for who in range(0, 300, 3):
        keep = table["establishment"] != who
        # the last month must not change with a row: it is public
        if table["month"][keep].max() != table["month"].max():
            continue
        other = last_year({name: column[keep] for name, column in table.items()})
        for name, part in plan.mechanism.parts.items():  # type: ignore[attr-defined]
            with_ = np.asarray(part.query.answer(plan.data, None), dtype=float)
            without = np.asarray(part.query.answer(other.data, None), dtype=float)
            assert np.abs(with_ - without).sum() <= part.query.sensitivity(None).l1, name
    assert plan.guarantee.epsilon() == 1
    assert plan.guarantee.unit == tw.Unit("establishment")
    assert tuple(plan.run()["failed"].labels["cell"]) == KINDS
