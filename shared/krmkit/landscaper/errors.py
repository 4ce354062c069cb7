"""What can be wrong with an installation: one error class, whose `rule` is the code of the result."""

from __future__ import annotations

RULES = (
    "bad-blueprint",
    "blueprint-not-found",
    "component-not-found",
    "context-not-found",
    "config-map-not-found",
    "cycle",
    "data-object-not-found",
    "deploy-item-spec",
    "duplicate-export",
    "export-mapping",
    "export-not-defined",
    "export-schema",
    "import-mapping",
    "import-not-found",
    "import-not-satisfied",
    "import-validation",
    "invalid",
    "key-not-found",
    "limit",
    "missing-repository-context",
    "owner-conflict",
    "predecessor-failed",
    "schema-validation-failed",
    "secret-not-found",
    "target-not-found",
    "template",
    "validation",
)
"""The codes of InstallationError, in alphabetical order."""


class InstallationError(Exception):
    """One thing that stops an installation, for example `("target-not-found", 'targets "a" not found', "spec.imports")`.

    `rule` is one of RULES, `field` the path in the Installation ("" where none fits). `message` holds no value of a Secret
    or of a Target's config.
    """

    def __init__(self, rule: str, message: str, field: str = "") -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.field = field
