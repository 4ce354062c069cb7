"""Semantic versions and constraints as the Go libraries of the real systems read them.

    from krmkit.libraries.versions import Constraints, Version
    Constraints.parse(">= 1.2").admits(Version.parse("1.3.0"))

`blang` has the comparisons of Cluster API; `scan` and `semver` have the parts of a version.
"""

from __future__ import annotations

from krmkit.libraries.versions import blang, scan, semver
from krmkit.libraries.versions.constraints import Constraints
from krmkit.libraries.versions.lenient import LenientKey, lenient_key
from krmkit.libraries.versions.semver import Version

__all__ = ["Constraints", "LenientKey", "Version", "blang", "lenient_key", "scan", "semver"]
