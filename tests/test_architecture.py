"""The architecture, in its only copy in code: who may import whom, and which library lives behind which door."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "twoworlds"

# room -> rooms it may import. On the ground floor a file may stand for a room.
ROOMS: dict[str, set[str]] = {
    "errors": set(),
    "checks": {"errors"},
    "memo": set(),
    "shown": {"memo"},
    "noise": {"errors", "checks"},
    "base": {"errors", "checks", "memo", "shown", "noise"},
    "guarantees": {"errors", "checks", "memo", "noise", "base"},
    "mechanisms": {"errors", "checks", "noise", "base", "guarantees"},
    "engines": {"errors", "checks"},
    "evidence": {"errors", "checks", "base", "memo", "noise"},
    "empirical": {"errors", "checks", "base", "memo", "noise", "engines", "evidence"},
    "semantics": {"errors", "checks", "base"},
    "pages": {"errors", "checks", "memo", "base"},
    "app": {
        "errors",
        "base",
        "memo",
        "noise",
        "guarantees",
        "mechanisms",
        "semantics",
        "empirical",
        "pages",
        "engines",
        "__init__",
    },
    "__init__": set(),
    "__main__": {"app"},
}
# third-party library -> the only rooms or files that may import it
LIBRARIES: dict[str, set[str]] = {
    "numpy": {
        "noise",
        "base",
        "shown",
        "checks",
        "guarantees",
        "mechanisms",
        "engines",
        "evidence",
        "empirical",
        "pages",
        "app",
    },
    "scipy": {"noise", "guarantees"},
    "cryptography": {"noise/bits.py"},
    "numba": {"noise/loops.py"},
    "matplotlib": {"pages/plot.py"},
    "duckdb": {"engines/duckdb.py"},
    "sqlglot": {"engines/expressions.py"},
    "click": {"app"},
}
# randomness has one door: everywhere else it would be unmarked, or made of floats that decide outcomes
RANDOM = {"random", "secrets"}
FLOATING = {"uniforms", "random", "default_rng", "Laplace", "Gaussian", "Gumbel", "Logistic", "StudentT", "Exponential"}
# own modules imported inside a function: the front door, and the table of commands
LAZY = {"__init__.py", "app/cli.py"}


def _files() -> list[Path]:
    return sorted(p for p in SRC.rglob("*.py") if "__pycache__" not in p.parts)


def _room(path: Path) -> str:
    inside = path.relative_to(SRC)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def _imports(path: Path) -> list[tuple[str, bool, bool]]:
    """(dotted name, whether it is our own, whether it stands inside a function), type-only imports left out."""
    tree = ast.parse(path.read_text())
    package = ["twoworlds", *path.relative_to(SRC).parts[:-1]]
    found: list[tuple[str, bool, bool]] = []

    def visit(node: ast.AST, inside: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import):
                found.extend((a.name, a.name.split(".")[0] == "twoworlds", inside) for a in child.names)
            elif isinstance(child, ast.ImportFrom):
                if child.level:
                    base = package[: len(package) - child.level + 1]
                    names = [child.module] if child.module else [a.name for a in child.names]
                    found.extend((".".join([*base, str(name)]), True, inside) for name in names)
                else:
                    found.append((str(child.module), str(child.module).split(".")[0] == "twoworlds", inside))
            visit(child, inside or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))

    visit(tree, False)
    return found


def _target_room(dotted: str) -> str:
    parts = dotted.split(".")
    if len(parts) == 1 or not ((SRC / parts[1]).exists() or (SRC / f"{parts[1]}.py").exists()):
        return "__init__"
    return parts[1]


def test_every_room_is_in_the_table() -> None:
    assert {_room(p) for p in _files()} == set(ROOMS)


@pytest.mark.parametrize("path", _files(), ids=lambda p: str(p.relative_to(SRC)))
def test_imports_follow_the_table(path: Path) -> None:
    room, here = _room(path), str(path.relative_to(SRC))
    for dotted, own, inside in _imports(path):
        if own:
            target = _target_room(dotted)
            assert target == room or target in ROOMS[room], f"{here} imports {dotted}"
            assert not inside or here in LAZY, f"{here} hides an import of {dotted} in a function"
            continue
        library = dotted.split(".")[0]
        if library in sys.stdlib_module_names:
            continue
        allowed = LIBRARIES.get(library, set())
        assert room in allowed or here in allowed, f"{here} imports {library}"


@pytest.mark.parametrize("room", ["mechanisms", "guarantees", "semantics"])
def test_randomness_has_one_door(room: str) -> None:
    """A float that decides an outcome cannot be seen in its statistics, so it is looked for in the text."""
    for path in (SRC / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = {a.name.split(".")[0] for a in node.names} | {str(getattr(node, "module", "")).split(".")[0]}
                assert not names & (RANDOM | (FLOATING - {"random"})), f"{path.name} imports {names}"
            if isinstance(node, ast.Attribute):
                assert node.attr not in FLOATING, f"{path.name} uses {node.attr}"


def test_rooms_form_no_cycle() -> None:
    done: set[str] = set()
    while len(done) < len(ROOMS):
        ready = {room for room, needs in ROOMS.items() if room not in done and needs <= done}
        assert ready, f"a cycle among {set(ROOMS) - done}"
        done |= ready


def test_files_form_no_cycle() -> None:
    names = {
        ".".join(["twoworlds", *p.relative_to(SRC).with_suffix("").parts]).removesuffix(".__init__"): p
        for p in _files()
    }
    graph = {
        name: {dotted for dotted, own, _ in _imports(path) if own and dotted in names and dotted != name}
        for name, path in names.items()
    }
    # a facade imports its room; inside the room nobody imports the facade
    done: set[str] = set()
    while len(done) < len(graph):
        ready = {name for name, needs in graph.items() if name not in done and needs <= done}
        assert ready, f"a cycle among {sorted(set(graph) - done)}"
        done |= ready


def _loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(' '.join(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split("\n")[-2].split())


HEAVY = {
    "numpy",
    "scipy",
    "cryptography",
    "duckdb",
    "sqlglot",
    "click",
    "rich",
    "matplotlib",
    "numba",
    "pandas",
    "pyarrow",
}


@pytest.mark.parametrize(
    ("code", "loads"),
    [
        ("import twoworlds", set()),
        ("import twoworlds; twoworlds.errors", set()),
        ("import twoworlds; twoworlds.pure(1)", {"numpy", "scipy", "cryptography"}),
        ("import twoworlds; twoworlds.laplace(1.0, sensitivity=1, epsilon=1)", {"numpy", "scipy", "cryptography"}),
        ("import twoworlds.engines", {"numpy", "duckdb", "sqlglot"}),
        ("from twoworlds.app import cli; cli.commands(['--version'], standalone_mode=False)", {"click"}),
        ("from twoworlds.app import cli; cli.commands(['--help'], standalone_mode=False)", {"click"}),
    ],
)
def test_what_is_loaded(code: str, loads: set[str]) -> None:
    """A name loads its room and no more; importing the package loads nothing from elsewhere."""
    assert _loaded_by(code) & HEAVY == loads


def test_the_demo_loads_no_more_than_it_needs() -> None:
    assert not _loaded_by("from twoworlds.app import demo") & {"matplotlib", "numba", "pandas", "pyarrow"}
