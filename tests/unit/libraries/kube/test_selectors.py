"""krmkit.libraries.kube.selectors: Kubernetes label selectors."""

from __future__ import annotations

import pytest

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.kube.selectors import parse_selector

LABELS = {"env": "prod", "region": "eu"}


def expression(key: str, operator: str, *values: str) -> dict[str, object]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("name", "selector", "matches"),
    [
        ("empty", {}, True),
        ("null parts", {"matchLabels": None, "matchExpressions": None}, True),
        ("label equal", {"matchLabels": {"env": "prod"}}, True),
        ("label other", {"matchLabels": {"env": "dev"}}, False),
        ("label absent", {"matchLabels": {"tier": "gold"}}, False),
        ("all labels", {"matchLabels": {"env": "prod", "region": "us"}}, False),
        ("in", expression("env", "In", "dev", "prod"), True),
        ("in, absent key", expression("tier", "In", "gold"), False),
        ("not in", expression("env", "NotIn", "prod"), False),
        ("not in, absent key", expression("tier", "NotIn", "gold"), True),
        ("exists", expression("env", "Exists"), True),
        ("exists, absent key", expression("tier", "Exists"), False),
        ("does not exist", expression("env", "DoesNotExist"), False),
        ("does not exist, absent key", expression("tier", "DoesNotExist"), True),
        ("both parts", {"matchLabels": {"env": "prod"}, **expression("region", "In", "us")}, False),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_matches(name: str, selector: dict[str, object], matches: bool) -> None:
    """Labels and expressions are ANDed; NotIn also holds where the label is missing."""
    assert parse_selector(selector).matches(LABELS) is matches, name


@pytest.mark.parametrize(
    ("name", "selector", "message"),
    [
        ("operator", expression("env", "Equals", "a"), '"Equals" is not a valid label selector operator'),
        (
            "operator in lower case",
            expression("env", "in", "a"),
            '"in" is not a valid label selector operator',
        ),
        ("in without values", expression("env", "In"), "values set can't be empty"),
        ("not in without values", expression("env", "NotIn"), "values set can't be empty"),
        ("exists with values", expression("env", "Exists", "a"), "values set must be empty"),
        ("key", expression("a b", "Exists"), '"a b" is not a label key'),
        ("key with empty prefix", expression("/a", "Exists"), "is not a label key"),
        ("key too long", expression("a" * 64, "Exists"), "is not a label key"),
        ("value", {"matchLabels": {"env": "-prod"}}, '"-prod" is not a label value'),
        ("value is no string", {"matchLabels": {"env": 1}}, "not a list of strings"),
        ("labels are a list", {"matchLabels": ["env"]}, "matchLabels is not a map"),
        ("expressions are a map", {"matchExpressions": {"key": "env"}}, "matchExpressions is not a list"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_malformed(name: str, selector: dict[str, object], message: str) -> None:
    """A selector that the API server would refuse is an error that says where."""
    with pytest.raises(GoInputError) as caught:
        parse_selector(selector)

    assert message in str(caught.value), name


def test_prefixed_key() -> None:
    """Keys may have a DNS prefix; an empty value is a value."""
    selector = parse_selector({"matchLabels": {"example.com/team": ""}})

    assert selector.matches({"example.com/team": ""})
    assert not selector.matches({})
