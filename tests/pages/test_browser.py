"""A real browser shows a page on a phone without a horizontal scroll."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import twoworlds as tw
from twoworlds.memo import Lines, Memo, Table, Text

pytest.importorskip("matplotlib")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=360,800",
)
MEASURE = """<script>addEventListener("load", () => {
  const shown = [...document.querySelectorAll("svg")].filter(one => getComputedStyle(one).display !== "none");
  document.documentElement.dataset.found = [
    innerWidth, document.documentElement.scrollWidth, shown.length, new Set(shown.map(one => one.classList[0])).size,
  ].join(" ");
})</script></head>"""


@pytest.fixture(scope="module")
def chromium() -> str:
    found = shutil.which("chromium")
    if found is None:
        if os.environ.get("TWOWORLDS_FULL") == "1":
            pytest.fail("no chromium on this machine")
        pytest.skip("no chromium on this machine")
    return found


def _page(folder: Path) -> Path:
    """Long words, a wide table, forty cells and a picture of two series."""
    names = ["w" * 90, "a district with a name that is far too long for one line of a phone"]
    names += [f"District {i}" for i in range(38)]
    cells = tw.geometric([10_000 * i for i in range(40)], sensitivity=1, epsilon="0.01", rng=tw.noise.seeded(1))
    series = {"promised": ([0.0, 1.0], [0.0, 0.5], [0.5, 1.5]), "measured " * 9: ([1.0, 0.0], None, None)}
    wide = Table([f"column {i}" for i in range(9)], [[1_234_567.25 * i for i in range(9)]], "caption " * 20)
    parts = (Text("h" * 90, "t" * 300), wide, Lines([0, 1], series, labels=("epsilon", "delta", "T" * 90)))
    x = [replace(cells, labels={"district": tuple(names)}), Memo("m" * 90, {"long": "f" * 999}, parts)]
    return tw.report(x, folder / "page.html", title="title" * 30)


def _run(chromium: str, folder: Path, *arguments: str) -> str:
    command = [chromium, *FLAGS, f"--user-data-dir={folder / 'profile'}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def test_a_phone_needs_no_horizontal_scroll(chromium, tmp_path):
    page = _page(tmp_path)
    picture = tmp_path / "phone.png"
    _run(chromium, tmp_path, f"--screenshot={picture}", page.as_uri())
    assert picture.read_bytes().startswith(b"\x89PNG")

    # the copy may run a script, which the page itself forbids; a frame, because a window may refuse to be so narrow
    text = re.sub(r"<meta http-equiv[^>]*>", "", page.read_text("utf-8"))
    (tmp_path / "copy.html").write_text(text.replace("</head>", MEASURE), "utf-8")
    frame = tmp_path / "frame.html"
    frame.write_text(
        '<iframe src="copy.html" width="360" height="800" style="border:0" onload="setTimeout(() => '
        'document.body.append(this.contentDocument.documentElement.dataset.found), 0)"></iframe>',
        "utf-8",
    )
    dom = _run(chromium, tmp_path, "--allow-file-access-from-files", "--dump-dom", frame.as_uri())
    found = re.search(r"</iframe>(\d+) (\d+) (\d+) (\d+)", dom)
    assert found is not None, dom
    window, width, pictures, kinds = map(int, found.groups())
    assert width <= window == 360
    assert (pictures, kinds) == (2, 1)
