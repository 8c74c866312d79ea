"""A page is one file that loads nothing, says what the memos say, and is written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import twoworlds as tw
from twoworlds.errors import ArgumentError, ArgumentTypeError, MissingExtraError
from twoworlds.memo import Bars, Lines, Memo, Table, Text

pytest.importorskip("matplotlib")

HOSTILE = "</script></svg><script>alert(1)</script><img src=x onerror=\"alert('2')\">&amp;"
VOID = {"meta", "link", "br", "img"}


class Reader(HTMLParser):
    """The elements of a page, checked to be nested, with their texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if data.strip():
            self.texts.append((self.open[-1], data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def said(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]


def _release(count: int = 3):
    values = [100 + 7 * i for i in range(count)]
    return tw.geometric(values, sensitivity=1, epsilon="0.1", rng=tw.noise.seeded(1))


def _lines(name: str = "a") -> Lines:
    return Lines([0, 1], {name: ([0, 1], [0, 0], [1, 2]), "b": ([1, 0], None, None)}, labels=("x", "y", "Two series"))


def _read(x, folder: Path, **more) -> tuple[str, Reader]:
    page = tw.report(x, folder / "page.html", **more).read_text("utf-8")
    return page, Reader(page)


def test_a_release(tmp_path):
    release = _release()
    page, read = _read(release, tmp_path)
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert read.said("h1") == read.said("title") == ["A private release"]
    assert read.said("h2") == ["Price", "Seeded"]
    assert read.said("th") == ["name", "value", "low", "high", "value[0]", "value[1]", "value[2]"]
    bars = next(part for part in release.memo().parts if isinstance(part, Bars))
    assert read.said("td") == [str(n) for row in zip(bars.values, bars.low, bars.high, strict=True) for n in row]
    assert {one["class"] for one in read.all("td")} == {"number"}
    assert read.said("p")[0] == release.memo().parts[2].body
    assert any(one.get("name") == "viewport" for one in read.all("meta"))
    assert json.loads(read.said("script")[0]) == json.loads(release.memo().json())


def test_the_order_of_the_parts_is_kept(tmp_path):
    parts = (Text("one", "1"), _lines(), Table(("two",), [("2",)], "caption"), Bars(["three"], [3]), Text("", "four"))
    page, read = _read(Memo("m", {}, parts), tmp_path)
    places = [page.index(one) for one in ("<h2>one", "Two series</b>", ">2</th>", ">three</text>", "<p>four")]
    assert places == sorted(places)
    assert read.said("h2") == ["one"]


def test_nothing_is_loaded(tmp_path):
    page, read = _read([_release(12), Memo("m", {}, (_lines(),))], tmp_path)
    assert "://" not in page
    assert "@import" not in page
    for _, attributes in read.elements:
        for name in ("src", "href", "xlink:href", "srcset", "data", "action"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))
        for target in re.findall(r"url\(([^)]*)\)", " ".join(v or "" for v in attributes.values())):
            assert target.startswith("#")
    assert {one.get("type") for one in read.all("script")} == {"application/json"}
    assert "default-src 'none'" in page


def test_hostile_texts_stay_texts(tmp_path):
    parts = (
        Text(HOSTILE, HOSTILE),
        Table((HOSTILE, "n"), [(HOSTILE, 1)], HOSTILE),
        Bars([HOSTILE], [1], [0], [2], title=HOSTILE),
        replace(_lines(HOSTILE), labels=(HOSTILE, HOSTILE, HOSTILE)),
    )
    facts = {HOSTILE: HOSTILE, "end": "\u2028 ]]> <!--"}
    for x in (Memo(HOSTILE, facts, parts), [Memo(HOSTILE, facts, parts)] * 2):
        page, read = _read(x, tmp_path, title=HOSTILE)
        assert not read.all("img")
        assert "alert(1)</script>" not in page
        assert {one.get("class") for one in read.all("script")} == {"facts"}
        assert {json.dumps(json.loads(one)) for one in read.said("script")} == {json.dumps(facts)}
        assert not any(set(one) & set("<>&\u2028") for one in read.said("script"))
        assert not any(name.startswith("on") for _, attributes in read.elements for name in attributes)
        assert read.said("h1") == read.said("caption") or HOSTILE in "".join(read.said("h1"))


@pytest.mark.parametrize(
    "label", ["a\x00b", "\ud800", "\uffff", "$\\none{a$", "", "\x1b[31m", "\u202e", "東京" * 90, "W" * 300]
)
def test_any_text_can_be_written(tmp_path, label):
    parts = (Text(label, label), Table((label,), [(label,)], label), Bars([label], [1], title=label), _lines(label))
    page, read = _read(Memo(label, {label: label}, parts), tmp_path)
    assert len(read.all("svg")) == 4
    assert "\x00" not in page


def test_several_memos_share_no_name(tmp_path):
    page, read = _read([_release(3), _release(3), Memo("m", {}, (_lines(), _lines())), tw.pure(1)], tmp_path)
    names = [one["id"] for _, one in read.elements if "id" in one]
    assert len(names) == len(set(names)) > 0
    targets = set(re.findall(r'(?:href="#|url\(#)([^")]+)', page))
    assert targets <= set(names)
    assert read.said("h1") == ["Report"]
    assert len(read.all("article")) == len(read.said("script")) == 4
    assert read.said("h2") == ["A private release", "A private release", "m", "A guarantee"]
    assert set(read.said("h3")) == {"Price", "Seeded"}


def test_titles(tmp_path):
    assert _read(_release(), tmp_path, title="Spring & summer")[1].said("h1") == ["Spring & summer"]
    assert _read(iter([_release()]), tmp_path)[1].said("h1") == ["A private release"]
    with pytest.raises(ArgumentTypeError, match="title is of type int"):
        tw.report(_release(), tmp_path / "a.html", title=3)


def test_the_same_things_make_the_same_bytes(tmp_path):
    x = [_release(12), Memo("m", {}, (_lines(),))]
    assert tw.report(x, tmp_path / "a.html").read_bytes() == tw.report(x, tmp_path / "b.html").read_bytes()


def test_pictures_take_the_colours_and_the_font_of_the_page(tmp_path):
    page, read = _read([_release(30), Memo("m", {}, (_lines(),))], tmp_path)
    for _, attributes in read.elements:
        assert not re.search(r"#[0-9a-fA-F]{6}|font-family", attributes.get("style") or "")
    assert [one["class"] for one in read.all("svg")] == ["wide", "narrow"] * 2
    assert "prefers-color-scheme: dark" in page
    assert set(re.findall(r"var\((--[a-z0-9-]+)[,)]", page)) <= set(re.findall(r"(--[a-z0-9-]+):", page)) | {"--room"}
    assert page.count("<style") == 1
    assert "<metadata" not in page


def test_the_lines_of_a_long_label_end_where_the_others_do(tmp_path):
    long = "a district with a long name that needs several lines"
    page, _ = _read(Memo("m", {}, (Bars(["n", long], [1, 2]),)), tmp_path)
    ends = re.findall(r'<text style="[^"]*end[^"]*"(?: x="([\d.]+)")?[^>]*?(?:translate\(([\d.]+) |rotate)', page)
    wide = [float(a or b) for a, b in ends][:3]
    assert len(wide) == 3
    assert max(wide) - min(wide) < 0.1


def test_decimal_points_stand_below_each_other(tmp_path):
    table = Table(("n", "x"), [("a", 1.25), ("b", 30), ("c", None), ("d", -2.5)])
    _, read = _read(Memo("m", {}, (table,)), tmp_path)
    assert read.said("td") == ["1.25", "30", "not known", "-2.5"]
    assert [one.get("style") for one in read.all("td")] == [None, "--room:2.28ch", None, "--room:1ch"]
    assert [one["class"] for one in read.all("td")] == ["number", "number", "number unknown", "number"]


def test_an_empty_table(tmp_path):
    assert _read(Memo("m", {}, (Table(("a", "b"), []), Table((), []))), tmp_path)[1].said("th") == ["a", "b"]


def test_what_has_no_memo_is_refused(tmp_path):
    for x, name in ((3, "x is"), ("text", "x is"), ([_release(), 3], r"x\[1\] is"), ({"a": 1}, r"x\[0\] is")):
        with pytest.raises(ArgumentTypeError, match=name):
            tw.report(x, tmp_path / "a.html")
    with pytest.raises(ArgumentError, match="nothing to show"):
        tw.report([], tmp_path / "a.html")
    assert os.listdir(tmp_path) == []


def test_the_path(tmp_path):
    assert tw.report(_release(), str(tmp_path / "new" / "er" / "a.html")) == tmp_path / "new" / "er" / "a.html"
    with pytest.raises(ArgumentError, match="this is a folder"):
        tw.report(_release(), tmp_path)
    with pytest.raises(ArgumentError, match="this is a folder"):
        tw.report(_release(), "")
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="is a file, not a folder"):
        tw.report(_release(), tmp_path / "file" / "deep" / "a.html")
    for path in (3, None, b"a.html"):
        with pytest.raises(ArgumentTypeError, match="path is of type"):
            tw.report(_release(), path)
    assert sorted(os.listdir(tmp_path)) == ["file", "new"]


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_an_interrupted_write_leaves_the_old_page(tmp_path, monkeypatch, name):
    path = tmp_path / "a.html"
    path.write_text("old")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, name, interrupt)
    with pytest.raises(KeyboardInterrupt):
        tw.report(_release(), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.html"]


def test_a_page_that_is_replaced_keeps_its_mode_and_its_link(tmp_path):
    place, link = tmp_path / "a.html", tmp_path / "link.html"
    place.write_text("old")
    place.chmod(0o600)
    link.symlink_to(place)
    assert tw.report(_release(), link) == link
    assert link.is_symlink()
    assert place.read_text().startswith("<!doctype")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_without_matplotlib_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for x in (_release(), tw.pure(1)):
        with pytest.raises(MissingExtraError, match=r"tw.report needs matplotlib.*twoworlds\[plots\]"):
            tw.report(x, tmp_path / "new" / "a.html")
    assert os.listdir(tmp_path) == []
