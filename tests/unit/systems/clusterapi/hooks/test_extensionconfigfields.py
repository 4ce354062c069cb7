"""Fields that ExtensionConfig does not have: the API server drops them in silence, and they are named here."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.krm.resource import Resource
from krmkit.systems.clusterapi.api.collection import CollectedObject
from krmkit.systems.clusterapi.hooks.extensionconfig import dropped_fields
from krmkit.systems.clusterapi.hooks.extensionitems import ExtensionConfigs

GOOD: dict[str, Any] = {"url": "https://ext.example.com"}


@pytest.mark.parametrize(
    ("spec", "field", "hint"),
    [
        ({"clientConfig": GOOD, "clientConfg": {}}, "spec.clientConfg", 'did you mean "clientConfig"?'),
        (
            {"clientConfig": {**GOOD, "caBundel": "x"}},
            "spec.clientConfig.caBundel",
            'did you mean "caBundle"?',
        ),
        (
            {"clientConfig": {"service": {"nam": "x"}}},
            "spec.clientConfig.service.nam",
            'did you mean "name"?',
        ),
        ({"clientConfig": GOOD, "zzz": 1}, "spec.zzz", "known: clientConfig, namespaceSelector, settings"),
    ],
)
def test_unknown_fields(spec: dict[str, Any], field: str, hint: str) -> None:
    """Each with the nearest one, or all that there are."""
    [(path, message)] = dropped_fields({"metadata": {"name": "e"}, "spec": spec})

    assert path == field and hint in message


def test_known_fields() -> None:
    """Settings may have any name, and so may labels."""
    selector = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]}
    spec = {"clientConfig": GOOD, "settings": {"any": "thing"}, "namespaceSelector": selector}

    assert (
        dropped_fields({"apiVersion": "v", "kind": "k", "metadata": {}, "spec": spec, "status": {"x": 1}})
        == []
    )


def test_it_is_a_warning() -> None:
    """At the field of the item; the config still answers."""
    text = (
        "apiVersion: runtime.cluster.x-k8s.io/v1beta2\nkind: ExtensionConfig\nmetadata: {name: e}\n"
        "spec: {clientConfig: {url: https://e.example.com}, setings: {a: b}}\n"
    )

    [found] = ExtensionConfigs().read([CollectedObject(Resource(text))])

    assert (found.rule, found.severity, found.field) == ("unknown-field", "warning", "spec.setings")
