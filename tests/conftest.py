"""Where everything must be present nothing may be skipped; long runs are left out unless asked for."""

from __future__ import annotations

import os

import pytest

FULL = os.environ.get("TWOWORLDS_FULL") == "1"
SLOW = os.environ.get("TWOWORLDS_SLOW") == "1"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long runs are not collected at all, so that they count neither as passed nor as skipped."""
    if SLOW:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    """With TWOWORLDS_FULL=1 a skip is a failure: the full set cannot silently test less."""
    outcome = yield
    report = outcome.get_result()
    if FULL and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {report.longrepr}"
