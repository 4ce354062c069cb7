"""Macros of packs: system, pack, profile variable and user macros, resolved in the values of a profile.

Source: Palette's pack macros. A value is resolved on demand, once, wherever it is needed: a pack's value that
holds macros itself is resolved before it is used, and a value that needs itself is an error that names the
chain.
"""

from __future__ import annotations

from krmkit.krm.finding import Finding
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.systems.palette.errors import KEPT, MacroError
from krmkit.systems.palette.macros.context import Context, Source
from krmkit.systems.palette.macros.values import MacroValues
from krmkit.systems.palette.packs.findings import VALUES, pack_finding
from krmkit.systems.palette.packs.lines import LineIndex
from krmkit.systems.palette.packs.macrotext import (
    COMMENT,
    Macro,
    MacroText,
    documents_of,
    holds_macro,
    insertion,
)
from krmkit.systems.palette.presets.merge import Steps


class Resolved:
    """A resolved text: `text` (as it came if a finding is an error), the number of macros, the findings.

    `macros` is the text with its macros as marks, and `filled` has the values of those that were resolved, by
    their marks. `doubts` are findings about what Palette takes without a word.
    """

    def __init__(self, text: str, count: int, findings: list[Finding]) -> None:
        self.text = text
        self.count = count
        self.findings = findings
        self.doubts: list[Finding] = []
        self.macros: MacroText | None = None
        self.filled: dict[str, str] = {}


class MacroResolver:
    """Resolves the macros of a profile's packs, and of other texts that refer to them."""

    def __init__(self, sources: list[Source], context: Context, limits: Limits = DEFAULT_LIMITS) -> None:
        self.context = context
        self.limits = limits
        self._values = MacroValues(sources, context, limits)
        self._lines: dict[Source, LineIndex] = {}

    @property
    def derived(self) -> set[str]:
        """Values that hold a secret, or were computed from one."""
        return self._values.derived

    def unused(self) -> dict[str, list[str]]:
        """Return variables and user macros that have a value and no macro in the resolved texts."""
        return self._values.unused()

    def unknown_system(self) -> dict[str, str]:
        """Names of `system` that Palette does not have and no macro refers to, each with the nearest one."""
        return self._values.unknown_system()

    def resolve(self, source: Source, file: str = VALUES) -> Resolved:
        """Resolve one text: a pack's values, or a source of its own that is not a pack (names empty)."""
        try:
            text = self._values.text(source)
        except YamlError as error:
            message = "the macros cannot be resolved, because the text is not YAML"
            return Resolved(
                source.text, 0, [_finding("invalid-result", message, source, "", file, error=error)]
            )
        findings: list[Finding] = []
        filled: dict[str, str] = {}
        said: set[int] = set()  # causes already reported, shared by all macros that need each other
        for mark, macro in text.macros.items():
            if macro.context == COMMENT:
                continue
            if macro.unclosed:
                message = f"{macro.raw} is not closed: a macro must end in }}}}"
                findings.append(self._about(source, macro, "unclosed-macro", message, file))
                continue
            try:
                value = self._values.value(source, macro)
                filled[mark] = insertion(macro, value, text.line_indent(macro))
            except MacroError as stopped:
                rule, severity, message = stopped.finding.rule, stopped.finding.severity, str(stopped)
                if rule == KEPT:
                    message = f"{macro.raw} stays as it is: " + message
                elif id(stopped) in said:
                    continue
                said.add(id(stopped))
                findings.append(self._about(source, macro, rule, message, file, severity))
                continue
            if holds_macro(value):
                message = f"{macro.raw}: the value holds a macro, which stays in the text: Palette never looks for macros in values"
                findings.append(self._about(source, macro, "macro-in-value", message, file))
            if self._values.changes_variable(macro):
                message = f"{macro.raw}: Palette's documentation allows no functions on profile variables; check it there"
                findings.append(self._about(source, macro, "function-on-variable", message, file))
            if macro.path.startswith("pack.content") and ".spectro.var." in macro.raw:
                message = (
                    f"{macro.raw}: pack.content does not take profile variables; Palette leaves it unresolved"
                )
                findings.append(self._about(source, macro, "variable-in-content", message, file))
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
                documents_of(result, self.limits)
            except YamlError as error:
                message = "with its macros resolved the text is not YAML any more"
                if any(self._values.is_secret(text.macros[mark]) for mark in filled):
                    error.message = "the value is secret"
                found = _finding("invalid-result", message, source, "", file, error=error)
                return Resolved(source.text, 0, [*findings, found])
        resolved = Resolved(result, len(filled), findings)
        resolved.macros, resolved.filled = text, filled
        resolved.doubts = self._unknown_packs(source, text, file)
        return resolved

    def references(self, macro: Macro) -> list[str]:
        """Return what a resolved macro refers to: `["var.site"]`."""
        return self._values.references(macro)

    def pack_value(self, reference: str) -> tuple[Source, Steps] | None:
        """Return the pack that `NAME.PATH` refers to, and the path of the value in it, or None."""
        return self._values.place_of(reference)

    def _unknown_packs(self, source: Source, text: MacroText, file: str) -> list[Finding]:
        """Warn of each macro that is empty because no pack has the name that it begins with."""
        found = []
        for macro in text.macros.values():
            for path in self._values.unknown_packs.get(id(macro), ()):
                message = f".spectro.{path} is empty{self._values.pack_hint(path)}"
                found.append(self._about(source, macro, "unknown-pack", message, file))
        return found

    def _about(
        self, source: Source, macro: Macro, code: str, message: str, file: str, severity: str = ""
    ) -> Finding:
        if source not in self._lines:
            self._lines[source] = LineIndex(source.text)
        found = _finding(
            code, self._values.hide(message, in_message=True), source, macro.path, file, severity
        )
        found.line, found.column = self._lines[source].at(macro.start)
        found.current = self._values.hide(macro.raw)
        return found


def _finding(
    code: str,
    message: str,
    source: Source,
    path: str,
    file: str,
    severity: str = "",
    error: YamlError | None = None,
) -> Finding:
    about = (source.label,)
    return pack_finding(code, message, about, source.label, file, path, severity=severity, error=error)
