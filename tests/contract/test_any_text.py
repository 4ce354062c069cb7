"""Whatever text comes in, a run answers with one ResourceList, and with exit code 1 exactly when it found an error."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from krmkit.fn import testing
from krmkit.fn.contract.contractrules import folder_of
from krmkit.fn.contract.inputs import BYSTANDERS
from krmkit.fn.contract.runchecks import check
from tests.contract.checks import examples

EXAMPLES: dict[Path, testing.Example] = {folder_of(example): example for example in examples()}
# Pieces that mean something to YAML, put in the place of a few characters anywhere.
PIECES = st.sampled_from(
    [
        "",
        "\n",
        " ",
        "  ",
        "\t",
        "- ",
        ": ",
        "'",
        '"',
        "|",
        ">",
        "#",
        " #",
        "&a ",
        "*a",
        "!!str ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "?",
        "---\n",
        "...\n",
    ]
    + ["\n- ", "\n  ", "\r\n", "é", "🙂", "<<: ", "null", "~", "0", "items:", "\nitems:\n", "%", "@"]
)
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), PIECES), min_size=1, max_size=4)


@pytest.mark.parametrize("folder", sorted(EXAMPLES), ids=lambda folder: folder.name)
@given(edits=EDITS)
@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_damaged_list(folder: Path, edits: list[tuple[float, int, str]]) -> None:
    """A list with a few characters replaced runs or is refused; the invariants hold either way."""
    text = EXAMPLES[folder].render_list(BYSTANDERS)
    for place, length, piece in edits:
        start = int(place * len(text))
        text = text[:start] + piece + text[start + length :]

    outcome = testing.run_function(str(folder), text)

    assert outcome.stdout
    assert (outcome.exit_code == 1) == any(result.severity == "error" for result in outcome.results)
    assert outcome.stderr.count("\n") == outcome.exit_code
    assert "internal-error" not in {result.rule for result in outcome.results}
    try:
        yaml.compose(text, Loader=yaml.CBaseLoader)
    except yaml.YAMLError:
        return
    check(folder, text, outcome.stdout, outcome.stderr, outcome.exit_code)
