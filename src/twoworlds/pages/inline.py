"""A drawn picture as SVG inside a page: in the page's font and colours, and sharing no name with other pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from .palette import VARIABLES

__all__ = ["inline"]

_HREF = "{http://www.w3.org/1999/xlink}href"
_SIZE = re.compile(r"[\d.]+px")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline(drawn: str, prefix: str, name: str, kind: str, labels_end: float) -> str:
    """The `<svg>` element for a page.

    `prefix` begins every id; `name` is what is read aloud; `kind` is its class. `labels_end` is where the labels of the
    rows end on the right: their lines are set anew from there, because the page's letters are not as wide as those that
    matplotlib measured.
    """
    root = ElementTree.fromstring(drawn)
    for parent in root.iter():
        # the file's own style would rule the whole page; its metadata would name addresses
        for child in [one for one in parent if _tag(one) in ("metadata", "style") or _is_empty(one)]:
            parent.remove(child)
    for element in root.iter():
        if _tag(element) == "g" and element.get("id", "").startswith("ytick"):
            _align_lines(element, labels_end)
    used = _references(root)
    for element in root.iter():
        element.tag = _tag(element)
        _own_style(element)
        _own_names(element, prefix, used)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.attrib |= {"class": kind, "role": "img", "aria-label": name}
    return ElementTree.tostring(root, encoding="unicode")


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _is_empty(element: ElementTree.Element) -> bool:
    return _tag(element) == "g" and len(element) == 0


def _align_lines(tick: ElementTree.Element, end: float) -> None:
    lines = [one for one in tick.iter() if _tag(one) == "text"]
    if len(lines) < 2:  # a single line is anchored already
        return
    for line in lines:
        place = line.get("transform", "")
        line.set("transform", re.sub(r"translate\(\S+ ", f"translate({end:.2f} ", place))
        line.set("style", line.get("style", "") + "; text-anchor: end")


def _references(root: ElementTree.Element) -> set[str]:
    found: set[str] = set()
    for element in root.iter():
        for value in element.attrib.values():
            found |= set(_REFERENCE.findall(value))
        found.add(element.get(_HREF, "#")[1:])
    return found


def _own_style(element: ElementTree.Element) -> None:
    """The page's colours for the file's, and no font but the page's."""
    pairs = (one.partition(":") for one in element.get("style", "").split(";"))
    style = {name.strip(): VARIABLES.get(value.strip(), value.strip()) for name, _, value in pairs if value}
    style.pop("font-family", None)
    if "font" in style and (size := _SIZE.search(style.pop("font"))):
        style["font-size"] = size[0]
    if _tag(element) == "text":
        style.setdefault("fill", "currentColor")
    if style:
        element.set("style", "; ".join(f"{name}: {value}" for name, value in style.items()))


def _own_names(element: ElementTree.Element, prefix: str, used: set[str]) -> None:
    """Names that something points to get the prefix; the others go."""
    own = element.attrib.pop("id", None)
    if own in used:
        element.set("id", prefix + own)
    target = element.attrib.pop(_HREF, None)
    if target is not None:
        element.set("href", f"#{prefix}{target[1:]}")
    for key, value in element.attrib.items():
        if key != "aria-label":
            element.set(key, _REFERENCE.sub(rf"url(#{prefix}\1)", value))
