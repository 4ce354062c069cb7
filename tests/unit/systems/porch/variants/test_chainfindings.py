"""krmkit.systems.porch.variants.apply: what is said of variants that were applied."""

from __future__ import annotations

from krmkit.fn.results import Results
from krmkit.krm.annotations import Location
from krmkit.krm.resource import Resource
from krmkit.systems.porch.variants.apply import VariantChain, chain_findings
from krmkit.systems.porch.variants.decodevariants import decode_variant

VARIANT = """\
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: north
spec:
  upstream: {repo: blueprints, package: shop}
  downstream: {repo: north, package: shop}
"""


def test_both_conditions_of_an_applied_variant() -> None:
    """A variant that was applied is not stalled, and ready."""
    kptfile = Resource("apiVersion: kpt.dev/v1\nkind: Kptfile\n", location=Location("Kptfile"))
    chain = VariantChain([kptfile], [], None)
    chain.apply([decode_variant(Resource(VARIANT))])
    results = Results()
    results.extend(chain_findings(chain))

    messages = [str(result.data()["message"]) for result in results.finish()]
    assert [message.partition(" (")[0] for message in messages] == ["Stalled is False", "Ready is True"]
