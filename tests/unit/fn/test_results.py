"""Tests of krmkit.fn.results: the shape, the order and the severities of what a run found."""

from __future__ import annotations

import pytest

from krmkit.fn.results import Results
from krmkit.krm.finding import Finding
from krmkit.krm.resource import Resource


def resource(kind: str = "ConfigMap", name: str = "one", path: str = "", index: int = 0) -> Resource:
    annotations = ""
    if path:
        annotations = f"  annotations:\n    config.kubernetes.io/path: {path}\n    config.kubernetes.io/index: '{index}'\n"
    return Resource(f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n{annotations}")


def test_shape() -> None:
    """A result has the keys of the specification, in the order in which kpt writes them, and its rule in the tags."""
    results = Results()

    results.error(
        "too-small",
        "must be 3",
        resource(path="a.yaml", index=2),
        "spec.size",
        current=1,
        proposed=3,
        tags={"pack": "p"},
    )

    (result,) = results.finish()
    assert list(result.data().items()) == [
        ("message", "must be 3"),
        ("severity", "error"),
        ("resourceRef", {"apiVersion": "v1", "kind": "ConfigMap", "name": "one"}),
        ("field", {"path": "spec.size", "currentValue": 1, "proposedValue": 3}),
        ("file", {"path": "a.yaml", "index": 2}),
        ("tags", {"rule": "too-small", "pack": "p"}),
    ]
    assert result.rule == "too-small"


def test_namespace_is_part_of_the_reference() -> None:
    """The resourceRef has a namespace where the resource has one."""
    results = Results()

    results.info("seen", "x", Resource("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  namespace: b\n"))

    assert results.finish()[0].resource_ref == {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": "a",
        "namespace": "b",
    }


def test_field_needs_a_resource() -> None:
    """The specification wants a resourceRef beside every field: without one the path goes into the message."""
    results = Results()

    results.error("bad", "is wrong", None, "spec.x")
    results.error("bad", "is wrong", Resource("kind: Pod\nmetadata: {name: a}\n"), "spec.y")

    assert [result.data() for result in results.finish()] == [
        {"message": "spec.x: is wrong", "severity": "error", "tags": {"rule": "bad"}},
        {"message": "spec.y: is wrong", "severity": "error", "tags": {"rule": "bad"}},
    ]


def test_order() -> None:
    """Severity, then file, index, resource; what was added first comes first among equals."""
    results = Results()
    results.info("r", "9 info", resource(path="a.yaml"))
    results.warning("r", "8 warning")
    results.error("r", "6 b.yaml", resource(path="b.yaml"))
    results.error("r", "5 a.yaml[10]", resource(path="a.yaml", index=10))
    results.error("r", "4 a.yaml[9]", resource(path="a.yaml", index=9))
    results.error("r", "3 a.yaml[0] Pod", resource("Pod", path="a.yaml"))
    results.error("r", "2 a.yaml[0] later", resource(path="a.yaml"))
    results.error("r", "1 a.yaml[0] though smaller", resource(path="a.yaml"))
    results.error("r", "0 no file")

    messages = [result.message for result in results.finish()]

    assert [message[0] for message in messages] == ["0", "2", "1", "3", "4", "5", "6", "8", "9"]


def test_said_once() -> None:
    """The same result twice is one; a difference anywhere makes two."""
    results = Results()
    for _ in range(2):
        results.error("r", "x", resource(), "spec.a", current=1)
    results.error("r", "x", resource(), "spec.a", current=True)

    assert len(results.finish()) == 2


@pytest.mark.parametrize(
    ("fail_on", "expected"),
    [
        ("error", ["error", "warning", "info"]),
        ("warning", ["error", "error", "info"]),
        ("never", ["warning", "warning", "info"]),
    ],
)
def test_fail_on(fail_on: str, expected: list[str]) -> None:
    """failOn moves the border between errors and warnings; infos stay."""
    results = Results()
    results.error("e", "e")
    results.warning("w", "w")
    results.info("i", "i")

    results.fail_on(fail_on)

    assert [result.severity for result in results.finish()] == expected


def test_raised_warnings_sort_among_the_errors() -> None:
    """The order is made after severities moved."""
    results = Results()
    results.error("r", "second", resource(path="b.yaml"))
    results.warning("r", "first", resource(path="a.yaml"))

    results.fail_on("warning")

    assert [result.message for result in results.finish()] == ["first", "second"]


@pytest.mark.parametrize("explaining", [True, False])
def test_explain(explaining: bool) -> None:
    """Explanations are infos, and only kept for a reader."""
    results = Results(explaining)

    results.explain("matched", "because", resource(), "spec.a")

    assert [result.severity for result in results.finish()] == ["info"] * explaining
    assert results.explaining is explaining


def test_text_of_a_result() -> None:
    """As one line: where, then what, without line breaks."""
    pod = Resource("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  namespace: b\n")

    assert str(Finding("r", "two\n  lines", pod, "spec.x")) == "v1/Pod/b/a spec.x: two lines"
    assert str(Finding("r", "plain")) == "plain"


def test_resource_said_later() -> None:
    """A caller says which resource a finding is about, and adds tags; what the finding has already stays."""
    finding = Finding("r", "x", tags={"pack": "p"})

    finding.at(resource(path="a.yaml"), pack="q", file="values.yaml").at(resource(path="b.yaml"))

    assert finding.file == {"path": "a.yaml", "index": 0}
    assert finding.data()["tags"] == {"rule": "r", "pack": "p", "file": "values.yaml"}


def test_name_at_the_time_of_the_finding() -> None:
    """A resource that is renamed after the finding keeps its old name there: the items of a failed run have it too."""
    item = resource()
    finding = Finding("r", "x", resource=item)

    item.set(("metadata", "name"), "two")

    assert finding.resource_ref == {"apiVersion": "v1", "kind": "ConfigMap", "name": "one"}


def test_what_utf8_cannot_carry() -> None:
    """JSON texts may hold lone surrogates; a result never does."""
    results = Results()

    results.error(
        "r", "é \ud800", resource(), "spec.a", current={"k\udfff": ["\ud800", 1]}, proposed="\ud800"
    )

    (result,) = results.finish()
    data = result.data()
    assert data["message"] == "é ?"
    assert data["field"] == {"path": "spec.a", "currentValue": {"k?": ["?", 1]}, "proposedValue": "?"}
