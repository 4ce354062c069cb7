"""The context of macros: values given from outside, and the values texts of packs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


EMPTY, KEEP, ERROR = "empty", "keep", "error"
# The system macros of Palette's documentation.
SYSTEM_MACROS = (
    "user.name",
    "user.uid",
    "user.email",
    "tenant.uid",
    "project.name",
    "project.uid",
    "clusterprofile.name",
    "clusterprofile.uid",
    "clusterprofile.version",
    "cluster.name",
    "cluster.uid",
    "cloudaccount.name",
    "cloudaccount.uid",
    "kubernetes.version",
    "reverseproxy.server",
    "reverseproxy.port",
    "reverseproxy.protocol",
    "reverseproxy.vhostport",
    "cloud.type",
    "cloud.region",
    "clusterprofile.infra.name",
    "clusterprofile.infra.uid",
    "clusterprofile.infra.version",
    "cluster.kubevip",
)


# Those of app profiles: their tiers, inputs and deployments.
APP_MACROS = ("apptier.", "appprofile.", "appdeployment.")


class Context:
    """The values that macros can refer to beside packs. Each is name -> text.

    secrets: names of variables whose values no message may show. on_undefined: what becomes of a macro
    without a value: EMPTY, KEEP (the macro stays as it is), ERROR; None is EMPTY for references to packs and
    KEEP for everything that only the server may know. defaults: those of profile variables, where no value is
    given. defined: the variables that profiles define, None where no profile is known.
    """

    def __init__(
        self,
        system: dict[str, str] | None = None,
        variables: dict[str, str] | None = None,
        macros: dict[str, str] | None = None,
        secrets: frozenset[str] = frozenset(),
        on_undefined: str | None = None,
    ) -> None:
        self.system = system or {}
        self.variables = variables or {}
        self.macros = macros or {}
        self.secrets = secrets
        self.on_undefined = on_undefined
        self.defaults: dict[str, str] = {}
        self.defined: set[str] | None = None

    def secret_values(self) -> list[str]:
        """Return the values of the secret variables that have one."""
        values = {**self.defaults, **self.variables}
        return [values[name] for name in self.secrets if values.get(name)]

    def is_secret(self, texts: Iterable[str]) -> bool:
        """Return whether the value of a secret variable is part of one of the texts."""
        hidden = self.secret_values()
        return any(value in text for text in texts for value in hidden)


class Source:
    """A pack that macros can refer to: the names it goes by, and its values text."""

    def __init__(self, label: str, names: tuple[str, ...], text: str) -> None:
        self.label = label
        self.names = names
        self.text = text
