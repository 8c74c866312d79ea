"""Documentation is executed or it rots: every example in the README, the docs and the docstrings runs here."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import twoworlds as tw
from twoworlds.app.cli import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "benchmarks" / "README.md",
]
MODULES = sorted(p for p in (ROOT / "src" / "twoworlds").rglob("*.py") if p.name != "__main__.py")
FLAGS = doctest.ELLIPSIS


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_run(page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(page.read_text().replace("```", "   "), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    said: list[str] = []
    runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_docstrings_run(path: Path) -> None:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    results = doctest.testmod(module, optionflags=FLAGS, verbose=False)
    assert not results.failed


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if "://" not in link:
            assert (page.parent / link).exists(), link


def test_every_public_name_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "names.md").read_text()
    for name in tw.__all__:
        assert name == "__version__" or f"tw.{name}" in text, name


def test_every_command_is_in_the_reference_and_answers() -> None:
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text()
    for name in COMMANDS:
        assert f"## `twoworlds {name}" in text
        done = subprocess.run(
            [sys.executable, "-m", "twoworlds", name, "--help"], capture_output=True, text=True, check=True
        )
        assert "Usage: twoworlds" in done.stdout or "Usage: python -m twoworlds" in done.stdout


def test_the_quick_start_has_two_commands() -> None:
    section = (ROOT / "README.md").read_text().split("\n## Quick start\n")[1].split("\n## ")[0]
    assert len(re.findall(r"^```sh$", section, flags=re.MULTILINE)) == 2
