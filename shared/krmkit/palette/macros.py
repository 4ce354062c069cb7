"""Macros of packs: system, pack, profile variable and user macros, resolved in the values texts of a whole profile.

Source: Palette's pack macros. A value is resolved on demand, once, wherever it is needed: a pack's value that holds
macros itself is resolved before it is used, and a value that needs itself is an error that names the chain.
"""

from __future__ import annotations

from krmkit.krm.finding import INFO, WARNING, Finding
from krmkit.lang.nearest import nearest
from krmkit.palette.filelines import LineIndex
from krmkit.palette.keypath import FOUND, Finder, KeyPath, KeyPathError
from krmkit.palette.macroexpr import ExpressionError, MacroExpression
from krmkit.palette.macrotext import COMMENT, InsertError, Macro, MacroText, insertion
from krmkit.palette.packfinding import pack_finding
from krmkit.yaml.document import parse
from krmkit.yaml.errors import YamlError
from krmkit.yaml.limits import DEFAULT_LIMITS
from krmkit.yaml.scalars import core_resolve
from krmkit.yaml.tree import Scalar, deref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krmkit.yaml.limits import Limits

EMPTY, KEEP, ERROR = "empty", "keep", "error"
VALUES = "values.yaml"
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
_MOST_NAMED = 500  # names that a message about an unknown one looks at
_MOST_HINTS = 20  # messages of one run that look for a nearest name, which is a comparison with all
MAX_CHAIN = 100
"""Values that are needed one by the other; assign a larger number to raise it."""
MAX_VALUE = 4 * 1024 * 1024
"""Characters of one macro's value: values that hold values may double with each step."""


HIDDEN = "(secret)"
_TELLING = 3  # characters of a derived value that is looked for in messages; shorter ones stand in any text


class Context:
    """What macros can refer to beside packs. Each is name -> text.

    secrets: names of variables whose values no message may show. on_undefined: what becomes of a macro whose value
    nobody gave: EMPTY, KEEP (the macro stays as it is), ERROR; None is EMPTY for references to packs and KEEP for
    everything that only the server may know.
    """

    __slots__ = ("macros", "on_undefined", "secrets", "system", "variables")

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

    def is_secret(self, texts: Iterable[str]) -> bool:
        """Whether the value of a secret variable is part of one of the texts."""
        hidden = [self.variables[name] for name in self.secrets if self.variables.get(name)]
        return any(value in text for text in texts for value in hidden)

    def hide(self, text: str) -> str:
        """The text with the values of secret variables struck out."""
        for name in self.secrets:
            value = self.variables.get(name)
            if value:
                text = text.replace(value, HIDDEN)
        return text


class Resolved:
    """One text after resolution: `text` (as it came, where a finding is an error), how many macros, the findings."""

    __slots__ = ("count", "findings", "text")

    def __init__(self, text: str, count: int, findings: list[Finding]) -> None:
        self.text = text
        self.count = count
        self.findings = findings


class _KeepError(Exception):
    """The macro stays as it is; the text says why, `severity` how doubtful that is."""

    def __init__(self, message: str, severity: str = WARNING) -> None:
        super().__init__(message)
        self.severity = severity


class _FailError(Exception):
    """The macro cannot be resolved."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Source:
    """A pack that macros can refer to: the names it goes by, and its values text."""

    __slots__ = ("label", "names", "text")

    def __init__(self, label: str, names: tuple[str, ...], text: str) -> None:
        self.label = label
        self.names = names
        self.text = text


class MacroResolver:
    """Resolves the macros of a profile's packs, and of other texts that refer to them."""

    def __init__(self, sources: list[Source], context: Context, limits: Limits = DEFAULT_LIMITS) -> None:
        self.context = context
        self.limits = limits
        self._by_name: dict[str, list[Source]] = {}
        for source in sources:
            for name in dict.fromkeys(name for name in source.names if name):
                self._by_name.setdefault(name, []).append(source)
        self._lines: dict[Source, LineIndex] = {}
        self._hints_left = _MOST_HINTS
        self.used: set[str] = set()  # fields without `.spectro.` that some macro has, as in "var.site"
        self._texts: dict[Source, MacroText] = {}
        self._finders: dict[Source, Finder] = {}
        self._values: dict[int, str | _KeepError | _FailError] = {}
        self.derived: set[str] = set()  # values that hold a secret, or were computed from one
        self._secret_macros: set[int] = set()
        self._is_secret = False  # whether what was looked up last holds one
        self._expressions: dict[str, MacroExpression] = {}
        # The chain of what is being resolved: macro -> its name in messages.
        self._open: dict[int, str] = {}

    def resolve(self, source: Source, file: str = VALUES) -> Resolved:
        """Resolve one text: a pack's values, or a source of its own that is no pack (names empty)."""
        try:
            text = self._text(source)
        except YamlError as error:
            message = "the macros cannot be resolved, because the text is not YAML"
            return Resolved(
                source.text, 0, [_finding("invalid-result", message, source, "", file, error=error)]
            )
        findings: list[Finding] = []
        filled: dict[str, str] = {}
        for mark, macro in text.macros.items():
            if macro.context == COMMENT:
                continue
            if macro.unclosed:
                message = f"{macro.raw} is not closed: a macro must end in }}}}"
                findings.append(self._about(source, macro, "unclosed-macro", message, file))
                continue
            try:
                value = self._value(source, macro)
                filled[mark] = insertion(macro, value, text.line_indent(macro))
            except _KeepError as kept:
                findings.append(
                    self._about(
                        source, macro, "kept", f"{macro.raw} stays as it is: {kept}", file, kept.severity
                    )
                )
                continue
            except _FailError as failed:
                findings.append(self._about(source, macro, failed.code, failed.message, file))
                continue
            except InsertError as error:
                findings.append(self._about(source, macro, "invalid-result", f"{macro.raw}: {error}", file))
                continue
            if self._changes_variable(macro):
                message = f"{macro.raw}: Palette's documentation allows no functions on profile variables; check it there"
                findings.append(self._about(source, macro, "function-on-variable", message, file, "info"))
            if macro.path.startswith("pack.content") and ".spectro.var." in macro.raw:
                message = (
                    f"{macro.raw}: pack.content does not take profile variables; Palette leaves it unresolved"
                )
                findings.append(self._about(source, macro, "variable-in-content", message, file, "warning"))
        if any(finding.severity == "error" for finding in findings):
            return Resolved(source.text, 0, findings)
        if sum(map(len, filled.values())) > self.limits.item_size:
            message = (
                f"with its macros resolved the text is over the limit of {self.limits.item_size} characters"
                " (raise it with --limit item_size=N)"
            )
            return Resolved(
                source.text, 0, [*findings, _finding("invalid-result", message, source, "", file)]
            )
        result = text.fill(filled)
        if filled:
            try:
                parse(result, self.limits, duplicates="keep")
            except YamlError as error:
                message = "with its macros resolved the text is no YAML any more"
                if any(id(text.macros[mark]) in self._secret_macros for mark in filled):
                    error.message = "a secret stands there"
                found = _finding("invalid-result", message, source, "", file, error=error)
                return Resolved(source.text, 0, [*findings, found])
        return Resolved(result, len(filled), findings)

    def _about(
        self, source: Source, macro: Macro, code: str, message: str, file: str, severity: str = "error"
    ) -> Finding:
        if source not in self._lines:
            self._lines[source] = LineIndex(source.text)
        found = _finding(code, self.hide(message), source, macro.path, file, severity)
        found.line, found.column = self._lines[source].at(macro.start)
        found.current = self.hide(macro.raw)
        return found

    def _text(self, source: Source) -> MacroText:
        text = self._texts.get(source)
        if text is None:
            text = self._texts[source] = MacroText(source.text, self.limits)
        return text

    def _value(self, source: Source, macro: Macro) -> str:
        """The text of one macro: worked out once, then known."""
        known = self._values.get(id(macro))
        if known is None:
            name = f"{source.label}:{macro.path}" if macro.path else f"{source.label}:{macro.raw}"
            if id(macro) in self._open:
                chain = list(self._open.values())
                start = list(self._open).index(id(macro))
                raise _FailError("cycle", f"the value needs itself: {' -> '.join([*chain[start:], name])}")
            if len(self._open) >= MAX_CHAIN:
                raise _FailError(
                    "cycle",
                    f"macros refer to each other over more than {MAX_CHAIN} steps (krmkit.palette.macros.MAX_CHAIN)",
                )
            self._open[id(macro)] = name
            try:
                known = self._evaluate(macro)
            except (_KeepError, _FailError) as error:
                known = error
            finally:
                del self._open[id(macro)]
            self._values[id(macro)] = known
        if id(macro) in self._secret_macros:
            self._is_secret = True
        if isinstance(known, str):
            return known
        raise known

    def hide(self, text: str) -> str:
        """The text with secret values struck out, and with what was computed from them."""
        text = self.context.hide(text)
        for value in sorted(self.derived, key=len, reverse=True):
            if len(value) >= _TELLING:
                text = text.replace(value, HIDDEN)
        return text

    def _changes_variable(self, macro: Macro) -> bool:
        expression = self._expressions[macro.body]
        return bool(expression.functions) and any(path.startswith("var.") for path in expression.fields)

    def _evaluate(self, macro: Macro) -> str:
        body = macro.body
        expression = self._expressions.get(body)
        if expression is None:
            expression = self._expressions[body] = MacroExpression(body)
            self.used.update(expression.fields)
        if expression.control:
            raise _KeepError("it is a control structure, which only Palette evaluates")
        if expression.foreign:
            raise _KeepError(f"{expression.foreign[0]} belongs to another template system")
        outer, self._is_secret = self._is_secret, False
        try:
            values = [self._field(path) for path in expression.fields]
        finally:
            secret = self._is_secret or any(
                path.removeprefix("var.") in self.context.secrets for path in expression.fields
            )
            self._is_secret = outer or secret
        try:
            value = expression.evaluate(values)
        except ExpressionError as error:
            message = error.message
            if error.code == "function-error" and (secret or self.context.is_secret(values)):
                message = "a function failed; what it says is not shown, because there is a secret among its arguments"
            raise _FailError(error.code, f"{macro.raw}: {message}") from None
        _check_length(value)
        if secret:
            self.derived.add(value)
            self._secret_macros.add(id(macro))
        return value

    def _field(self, path: str) -> str:
        kind, _, name = path.partition(".")
        if kind == "pack":
            value = self._pack_value(name)
            return self._undefined(path, EMPTY) if value is None else value
        known = {
            "system": self.context.system,
            "var": self.context.variables,
            "macro": self.context.macros,
        }.get(kind)
        if known is not None:
            value = known.get(name)
            return self._undefined(path, KEEP, self._hint(kind, name)) if value is None else value
        if kind == "app":
            raise _KeepError("references to app profiles are resolved by Palette only")
        raise _FailError(
            "undefined", f".spectro.{path}: there is no {kind!r} among pack, system, var and macro"
        )

    def _hint(self, kind: str, name: str) -> str:
        """What may have been meant by a name without a value: `; did you mean ".spectro.var.site"?`."""
        given = {"system": self.context.system, "var": self.context.variables, "macro": self.context.macros}[
            kind
        ]
        known = [*given, *(SYSTEM_MACROS if kind == "system" else ())]
        if name in known or self._hints_left == 0:
            return ""
        self._hints_left -= 1
        near = nearest(name, known[:_MOST_NAMED])
        if near is not None:
            return f'; did you mean ".spectro.{kind}.{near}"?'
        return "; Palette's documentation has no such system macro" if kind == "system" else ""

    def _undefined(self, path: str, default: str, hint: str = "") -> str:
        policy = self.context.on_undefined or default
        if policy == KEEP:
            if path.startswith("system.") and path[len("system.") :] in SYSTEM_MACROS:
                raise _KeepError(f"no value is given for .spectro.{path}, which Palette knows", INFO)
            raise _KeepError(f"no value is given for .spectro.{path}{hint}")
        if policy == ERROR:
            raise _FailError("undefined", f"there is no value for .spectro.{path}{hint}")
        return ""

    def unused(self) -> dict[str, list[str]]:
        """Names of variables and user macros that have a value and that no macro of the resolved texts refers to."""
        given = {"variables": ("var", self.context.variables), "macros": ("macro", self.context.macros)}
        return {
            place: [name for name in names if f"{kind}.{name}" not in self.used]
            for place, (kind, names) in given.items()
        }

    def _pack_value(self, reference: str) -> str | None:
        """The text of a pack's value; None where there is no such pack or value."""
        name = reference
        while name not in self._by_name:  # the longest name that fits: names may hold dots
            name, dot, _ = name.rpartition(".")
            if not dot:
                return None
        sources = self._by_name[name]
        if len(sources) > 1:
            others = ", ".join(source.label for source in sources)
            raise _FailError(
                "ambiguous-pack",
                f'.spectro.pack.{reference}: the name "{name}" fits several packs ({others});'
                " write the display name of one of them",
            )
        source = sources[0]
        path = reference[len(name) + 1 :]
        try:
            text = self._text(source)
            matches = self._finder(source, text).find(KeyPath.parse(path))
        except YamlError as error:
            raise _FailError(
                "invalid-result", f"the values of the pack {source.label} are not YAML: {error}"
            ) from None
        except KeyPathError as error:
            raise _FailError("undefined", f".spectro.pack.{reference}: {error}") from None
        if len(matches) != 1 or matches[0].state != FOUND:
            return None
        node = matches[0].node
        if node is None:
            return None
        node = deref(node)
        if not isinstance(node, Scalar):
            raise _FailError(
                "not-scalar",
                f".spectro.pack.{reference} is a {'list' if node.kind == 'seq' else 'map'}; a macro can only"
                " stand for a single value",
            )
        if not node.style and node.tag is None and core_resolve(node.text)[0] == "null":
            return ""
        value = node.text
        for mark in text.marks_in(value):
            value = value.replace(mark, self._value(source, text.macros[mark]))
            _check_length(value)
        return value

    def _finder(self, source: Source, text: MacroText) -> Finder:
        """What looks up key paths in a source, made once: it knows the keys of a mapping after the first look."""
        if source not in self._finders:
            if text.document is not None:
                root = text.document.root
            else:
                root = parse(source.text, self.limits, duplicates="keep").root
            self._finders[source] = Finder(root)
        return self._finders[source]


def _check_length(value: str) -> None:
    if len(value) > MAX_VALUE:
        raise _FailError(
            "invalid-result",
            f"the value has more than {MAX_VALUE:,} characters (krmkit.palette.macros.MAX_VALUE)",
        )


def _finding(
    code: str,
    message: str,
    source: Source,
    path: str,
    file: str,
    severity: str = "error",
    error: YamlError | None = None,
) -> Finding:
    about = (source.label,)
    return pack_finding(code, message, about, source.label, file, path, severity=severity, error=error)
