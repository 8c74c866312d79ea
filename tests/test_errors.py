"""One tree of errors, as it is drawn, and sentences that name what clashed."""

from __future__ import annotations

import re

import pytest

from twoworlds import errors


def test_the_tree_is_as_drawn() -> None:
    drawn = re.findall(r"[├└]── (\w+)\s+\((\w+)\)", errors.__doc__ or "")
    for name, builtin in drawn:
        assert issubclass(getattr(errors, name), (errors.TwoWorldsError, getattr(__builtins__, builtin, Exception)))
        assert issubclass(getattr(errors, name), __import__("builtins").__dict__[builtin])
    named = set(re.findall(r"\b(\w+Error)\b", errors.__doc__ or "")) - set(__import__("builtins").__dict__)
    assert named == set(errors.__all__)


def test_sentences() -> None:
    error = errors.ArgumentError.expected("epsilon", -1, "the value must be above 0", "Give a positive number")
    assert str(error) == "epsilon=-1: the value must be above 0. Give a positive number."
    assert str(errors.UnknownNameError("column", "x", ["a", "b"])) == "there is no column 'x'. Those that exist: a, b."
    assert "pip install 'twoworlds[plots]'" in str(errors.MissingExtraError.needs("tw.plot", "matplotlib", "plots"))
    assert len(errors.shown("x" * 1000)) == 60
    with pytest.raises(KeyError):
        raise errors.UnknownNameError("column", "x", [])
