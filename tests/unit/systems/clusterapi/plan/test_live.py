"""What live controllers did with a change is what the plan says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.adapters.clusterapi_live import plan

RECORDS = Path(__file__).resolve().parents[5] / "tests/conformance/records/clusterapi/live.jsonl"


def records() -> list[Any]:
    return [json.loads(line) for line in RECORDS.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("record", records(), ids=lambda one: one["id"])
def test_the_plan_says_what_was_done(record: dict[str, Any]) -> None:
    passed, detail = plan(record, RECORDS.parent)

    assert passed, f"{record['why']}: {detail}"
