"""Packages for the tests of Porch's engines."""

from __future__ import annotations

from krmkit.krm.annotations import Location
from krmkit.krm.resource import Resource
from krmkit.systems.porch.variants.packageview import PackageView

KPTFILE = """\
# The shop's front.
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: front # short
info:
  description: front of the shop
pipeline: # tuned
  mutators:
  # labels come first
  - image: set-labels:v0.2 # pinned
    name: labels
"""

CONTEXT = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
data:
  name: front
"""


def package(files: dict[str, str], folder: str = "") -> PackageView:
    """A package of texts; documents of a file are divided by `---`."""
    return PackageView(
        Resource(text, location=Location(path, index, folder))
        for path, whole in files.items()
        for index, text in enumerate(whole.split("---\n"))
    )


def text_of(found: PackageView, path: str) -> str:
    """The text of a file of the root package."""
    return "---\n".join(resource.text for resource in found.at(path))
