"""The front door: what it offers exists, is typed, documented, and listed once."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import twoworlds as tw
from twoworlds import guarantees, mechanisms, noise
from twoworlds.base import Guarantee, Mechanism
from twoworlds.guarantees.kind import Kind

SRC = Path(tw.__file__).parent
ROOMS = ["noise", "engines", "guarantees", "mechanisms", "semantics", "pages"]


@pytest.mark.parametrize("name", [n for n in tw.__all__ if n != "__version__"])
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    found = getattr(tw, name)
    assert found.__doc__
    assert f" as {name}\n" in (SRC / "__init__.pyi").read_text(), f"add {name} to src/twoworlds/__init__.pyi"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'laplac'"):
        tw.laplac  # noqa: B018


def test_no_room_bears_the_name_of_a_function() -> None:
    """A sub-package of that name would replace the function once it is imported."""
    rooms = {p.name for p in SRC.iterdir() if p.is_dir()} | {p.stem for p in SRC.glob("*.py")}
    functions = {n for n in tw.__all__ if not isinstance(getattr(tw, n), type(tw)) and n != "__version__"}
    assert not rooms & functions


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_lists_what_it_exports(room: str) -> None:
    module = importlib.import_module(f"twoworlds.{room}")
    assert sorted(module.__all__) == sorted(set(module.__all__))
    assert all(hasattr(module, name) for name in module.__all__)


@pytest.mark.parametrize("path", sorted(SRC.rglob("*.py")), ids=lambda p: str(p.relative_to(SRC)))
def test_every_public_thing_has_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), f"{path.name} has no docstring"
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


def _classes(room: str) -> list[type]:
    found: dict[str, type] = {}
    for path in (SRC / room).glob("*.py"):
        module = importlib.import_module(
            f"twoworlds.{room}.{path.stem}" if path.stem != "__init__" else f"twoworlds.{room}"
        )
        found |= {
            n: c
            for n, c in vars(module).items()
            if isinstance(c, type) and c.__module__.startswith(f"twoworlds.{room}")
        }
    return [c for n, c in found.items() if not n.startswith("_") and not getattr(c, "__abstractmethods__", None)]


def test_every_kind_is_in_its_list() -> None:
    """A new kind joins a list and inherits every law; one that forgets is found here."""
    assert {c for c in _classes("guarantees") if issubclass(c, Guarantee)} - {Kind} == set(guarantees.KINDS)
    assert {c for c in _classes("noise") if issubclass(c, noise.LawBase)} == set(noise.LAWS)
    acts = {
        c for c in _classes("mechanisms") if all(callable(getattr(c, m, None)) for m in ("guarantee", "error", "run"))
    }
    assert acts == set(mechanisms.MECHANISMS), "a mechanism joins MECHANISMS in mechanisms/__init__.py"
    assert all(issubclass(c, Mechanism) for c in acts)
