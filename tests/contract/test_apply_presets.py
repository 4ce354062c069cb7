"""What apply-presets says about its config beyond what the schema of the config tells."""

from __future__ import annotations

import pytest

from krmkit.fn import testing
from tests.contract.checks import ROOT

PACK = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: store
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  pack.json: '{"name": "store", "version": "1.0.0", "layer": "addon"}'
"""


@pytest.mark.parametrize(
    ("config", "field"),
    [
        pytest.param(
            "apiVersion: krmkit.dev/v1alpha1\nkind: ApplyPresets\nmetadata: {name: c}\n"
            "spec: {selections: [{pack: st.ore, presets: [big]}]}\n",
            "spec.selections[0].pack",
            id="typed",
        ),
        pytest.param(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {st.ore: big}\n",
            'data."st.ore"',
            id="a ConfigMap",
        ),
    ],
)
def test_an_unknown_pack_is_named_where_the_config_names_it(config: str, field: str) -> None:
    """The result points at the field as the user wrote it, and says which pack is there."""
    outcome = testing.run_function(
        ROOT / "functions" / "apply-presets", testing.resource_list([PACK], config)
    )
    (result,) = outcome.results

    assert (result.rule, result.severity) == ("unknown-pack", "error")
    assert result.data()["field"] == {"path": field, "currentValue": "st.ore", "proposedValue": "store"}
    assert 'did you mean "store"' in result.message
