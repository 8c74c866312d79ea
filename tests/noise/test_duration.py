"""What keeps the duration of a draw from telling its value, checked by structure. No clock is read here."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

import twoworlds as tw
from twoworlds.noise import Choice, DiscreteGaussian, DiscreteLaplace

NOISE = sys.modules["twoworlds.noise"].__path__[0]
LAWS = [
    *(DiscreteLaplace(scale) for scale in ("1/3", 1, 10, 1000, 10**6, 2**56)),
    *(DiscreteGaussian(variance) for variance in (1, 100, 10**6, 2**112)),
    Choice([0, 1, 1]),
]


def instructions(law: Any, n: int | None) -> int:
    """How many instructions of this room the interpreter executes for one draw."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(NOISE):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        law.sample(n)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("n", [None, 1, 5])
@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_every_outcome_takes_the_same_instructions(law: Any, n: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a filled reserve, single draws and short arrays execute the same instructions whatever they are."""
    monkeypatch.setattr("twoworlds.noise.reserve._SECONDS", 3600.0)
    monkeypatch.setattr("twoworlds.noise.reserve._SIZE", 4096)  # so that none is refilled on the way
    for reserve in list(tw.noise.reserve._ALL):
        reserve.forget()
    law.sample(n)
    instructions(law, n)  # the first count is short: newer interpreters trace opcodes only from the next call on
    counts = {instructions(law, n) for _ in range(100)}
    assert len(counts) == 1
    assert counts != {0}


def test_a_reserve_is_filled_alike_whatever_was_asked() -> None:
    """What is handed out first from a new reserve follows the law: the place does not depend on the value."""
    law, firsts = DiscreteLaplace(2), []
    for _ in range(1500):
        sampler = tw.noise.discrete_laplace._sampler(law.scale)
        sampler._reserve.forget()
        firsts.append(law.sample())
    share = np.mean(np.array(firsts) == 0)
    chance = law.pmf(0)
    assert abs(share - chance) <= 5 * (chance * (1 - chance) / 1500) ** 0.5
