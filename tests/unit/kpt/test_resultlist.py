"""results.yaml: byte for byte what kpt writes for the same results."""

from __future__ import annotations

from krmkit.kpt.resultlist import FunctionRun, results_text


def test_nothing_ran() -> None:
    """A package without functions has a list without items."""
    assert results_text([], 0) == (
        "apiVersion: kpt.dev/v1\nkind: FunctionResultList\nmetadata:\n  name: fnresults\nexitCode: 0\n"
    )


def test_results() -> None:
    """Fields in kpt's order, empty ones left out, tags and nested maps sorted, keys that kpt does not know dropped."""
    run = FunctionRun("exec", "./fn --flag", "")
    run.stderr = "some stderr\nline two\n"
    run.exit_code = 1
    run.results = [
        {
            "message": 'all "quoted" and: more',
            "severity": "error",
            "resourceRef": {"name": "a", "kind": "ConfigMap", "apiVersion": "v1", "namespace": ""},
            "field": {"path": "data.x", "currentValue": 5, "proposedValue": "yes"},
            "file": {"path": "a.yaml", "index": 0, "line": 7},
            "tags": {"rule": "some-rule", "a": "b"},
            "extra": "x",
        },
        {"message": "multi\nline", "tags": {}},
        {
            "message": "yes",
            "severity": "info",
            "file": {"path": "b/c.yaml", "index": 3},
            "field": {"path": "x", "currentValue": None, "proposedValue": {"b": [1, ["c"]], "a": 1.5}},
        },
    ]

    assert results_text([run], 1) == (
        "apiVersion: kpt.dev/v1\nkind: FunctionResultList\nmetadata:\n  name: fnresults\nexitCode: 1\nitems:\n"
        "  - exec: ./fn --flag\n    stderr: |\n      some stderr\n      line two\n    exitCode: 1\n    results:\n"
        "      - message: 'all \"quoted\" and: more'\n        severity: error\n"
        "        resourceRef:\n          apiVersion: v1\n          kind: ConfigMap\n          name: a\n"
        '        field:\n          path: data.x\n          currentValue: "5"\n          proposedValue: "yes"\n'
        "        file:\n          path: a.yaml\n"
        "        tags:\n          a: b\n          rule: some-rule\n"
        "      - message: |-\n          multi\n          line\n"
        '      - message: "yes"\n        severity: info\n'
        '        field:\n          path: x\n          currentValue: "null"\n'
        "          proposedValue: '{b: [1, [c]], a: 1.5}'\n"
        "        file:\n          path: b/c.yaml\n          index: 3\n"
    )
