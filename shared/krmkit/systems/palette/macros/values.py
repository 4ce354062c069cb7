"""The values of macros, evaluated once each; values that hold secrets are remembered."""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import INFO
from krmkit.krm.secretwords import parts, without_secrets
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import Limits
from krmkit.libraries.yaml.scalars import core_resolve
from krmkit.libraries.yaml.tree import Scalar, deref
from krmkit.systems.palette.errors import KEPT, MacroError
from krmkit.systems.palette.macros.context import (
    APP_MACROS,
    EMPTY,
    ERROR,
    KEEP,
    SYSTEM_MACROS,
    Context,
    Source,
)
from krmkit.systems.palette.macros.expressions import MacroExpression
from krmkit.systems.palette.packs.keypath import FOUND, Finder, KeyPath
from krmkit.systems.palette.packs.macrotext import Macro, MacroText
from krmkit.systems.palette.presets.merge import Steps

_MOST_NAMED = 500  # names that a message about an unknown one looks at
_MOST_HINTS = 20  # messages of one run that look for a nearest name, which is a comparison with all
MAX_CHAIN = 100
"""Values that need each other in a chain; assign a larger number to raise it."""
MAX_VALUE = 4 * 1024 * 1024
"""Characters of one macro's value: values that hold values may double with each step."""
MAX_VALUES = 16 * 1024 * 1024
"""Characters of the values of all macros of a run together."""


class MacroValues:
    """The value of each macro of a profile. Each is worked out once, when it is first needed.

    derived: values that hold a secret, or were computed from one. used: fields that some macro names, without
    `.spectro.`, as in "var.site". unknown_packs: by the id of a macro, references to packs that are not
    there, and empty.
    """

    def __init__(self, sources: list[Source], context: Context, limits: Limits) -> None:
        self.context = context
        self.limits = limits
        self.used: set[str] = set()
        self.derived: set[str] = set()
        self._hidden: tuple[int, list[str]] = (
            -1,
            [],
        )  # how many values are derived, and what to strike out for them
        self.unknown_packs: dict[int, list[str]] = {}
        self._by_name: dict[str, list[Source]] = {}
        for source in sources:
            for name in dict.fromkeys(name for name in source.names if name):
                self._by_name.setdefault(name, []).append(source)
        self._hints_left = _MOST_HINTS
        self._texts: dict[Source, MacroText] = {}
        self._finders: dict[Source, Finder] = {}
        self._values: dict[int, str | MacroError] = {}
        self._secret_macros: set[int] = set()
        self._held = 0  # characters of all values
        self._is_secret = False  # whether what was looked up last holds one
        self._expressions: dict[str, MacroExpression] = {}
        # The chain of what is being resolved: macro -> its name in messages.
        self._open: dict[int, str] = {}

    def text(self, source: Source) -> MacroText:
        """Return the macros of a source's text. Raises YamlError."""
        text = self._texts.get(source)
        if text is None:
            text = self._texts[source] = MacroText(source.text, self.limits)
        return text

    def value(self, source: Source, macro: Macro) -> str:
        """Return the value of a macro. Raises MacroError."""
        known = self._values.get(id(macro))
        if known is None:
            name = f"{source.label}:{macro.path}" if macro.path else f"{source.label}:{macro.raw}"
            if id(macro) in self._open:
                chain = list(self._open.values())
                start = list(self._open).index(id(macro))
                raise MacroError("cycle", f"the value needs itself: {' -> '.join([*chain[start:], name])}")
            if len(self._open) >= MAX_CHAIN:
                raise MacroError(
                    "cycle",
                    f"macros refer to each other over more than {MAX_CHAIN} steps (krmkit.systems.palette.macros.values.MAX_CHAIN)",
                )
            self._open[id(macro)] = name
            try:
                known = self._evaluate(macro)
            except MacroError as error:
                known = error.with_traceback(None)  # the frames of a chain would all stay in memory
            finally:
                del self._open[id(macro)]
            self._values[id(macro)] = known
        if id(macro) in self._secret_macros:
            self._is_secret = True
        if isinstance(known, str):
            return known
        raise known.with_traceback(None)

    def is_secret(self, macro: Macro) -> bool:
        """Return whether the macro's value holds a secret."""
        return id(macro) in self._secret_macros

    def changes_variable(self, macro: Macro) -> bool:
        """Return whether the macro calls a function on a profile variable."""
        expression = self._expressions[macro.body]
        return bool(expression.functions) and any(path.startswith("var.") for path in expression.fields)

    def references(self, macro: Macro) -> list[str]:
        """Return the fields of a resolved macro, each once, without `.spectro.`."""
        return list(dict.fromkeys(self._expressions[macro.body].fields))

    def place_of(self, reference: str) -> tuple[Source, Steps] | None:
        """Return the pack of a resolved reference and the path of the value in it, or None."""
        name = self._name_of(reference)
        if name is None:
            return None
        source = self._by_name[name][0]
        found = self._finder(source, self.text(source)).find(KeyPath.parse(reference[len(name) + 1 :]))
        return (source, found[0].steps) if found[0].state == FOUND else None

    def _name_of(self, reference: str) -> str | None:
        """Return the longest pack name that a reference begins with; names may hold dots."""
        name = reference
        while name not in self._by_name:
            name, dot, _ = name.rpartition(".")
            if not dot:
                return None
        return name

    def hide(self, text: str, in_message: bool = False) -> str:
        """Return the text without secret values, and without what was computed from them."""
        count, hidden = self._hidden
        if count != len(self.derived):
            hidden = parts({*self.context.secret_values(), *self.derived})
            self._hidden = len(self.derived), hidden
        return without_secrets(text, hidden, in_message)

    def unused(self) -> dict[str, list[str]]:
        """Return variables and user macros that have a value and no macro in the resolved texts."""
        given = {"variables": ("var", self.context.variables), "macros": ("macro", self.context.macros)}
        return {
            place: [name for name in names if f"{kind}.{name}" not in self.used]
            for place, (kind, names) in given.items()
        }

    def _evaluate(self, macro: Macro) -> str:
        body = macro.body
        expression = self._expressions.get(body)
        if expression is None:
            expression = self._expressions[body] = MacroExpression(body)
            self.used.update(expression.fields)
        if expression.control:
            raise MacroError(KEPT, "it is a control structure, which only Palette evaluates")
        if expression.foreign:
            raise MacroError(KEPT, f"{expression.foreign[0]} belongs to another template system")
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
        except MacroError as error:
            message = str(error)
            if error.finding.rule == "function-error" and (secret or self.context.is_secret(values)):
                message = "a function failed; what it says is not shown, because there is a secret among its arguments"
            raise MacroError(error.finding.rule, f"{macro.raw}: {message}") from None
        _check_length(value)
        self._held += len(value)
        if self._held > MAX_VALUES:
            raise MacroError(
                "invalid-result",
                f"the values of all macros have more than {MAX_VALUES:,} characters (krmkit.systems.palette.macros.values.MAX_VALUES)",
            )
        if not expression.functions:
            # A function such as `| default "x"` provides for a missing pack.
            missing = [
                name for name in expression.fields if name.startswith("pack.") and self._is_unknown(name)
            ]
            if missing:
                self.unknown_packs[id(macro)] = missing
        if secret:
            self.derived.add(value)
            self._secret_macros.add(id(macro))
        return value

    def _field(self, path: str) -> str:
        kind, _, name = path.partition(".")
        if kind == "pack":
            value = self._pack_value(name)
            if value is not None:
                return value
            return self._undefined(path, EMPTY, self.pack_hint(path) if self._is_unknown(path) else "")
        known = {
            "system": self.context.system,
            "var": self.context.variables,
            "macro": self.context.macros,
        }.get(kind)
        if kind == "system" and name not in self.context.system and name.startswith(APP_MACROS):
            raise MacroError(KEPT, "Palette resolves macros of app profiles", INFO)
        if known is not None:
            value = known.get(name)
            if kind == "var":
                value = value or self.context.defaults.get(name, value)
                self._refuse_undefined(name)
            return self._undefined(path, KEEP, self._hint(kind, name)) if value is None else value
        if kind == "app":
            raise MacroError(KEPT, "references to app profiles are resolved by Palette only")
        raise MacroError(
            "undefined", f".spectro.{path}: there is no {kind!r} among pack, system, var and macro"
        )

    def _refuse_undefined(self, name: str) -> None:
        """Refuse a variable that no profile defines, as Palette does."""
        defined = self.context.defined
        if defined is not None and name not in defined:
            from krmkit.libraries.messages.nearest import did_you_mean

            hint = did_you_mean(name, sorted(defined))
            raise MacroError("undefined", f".spectro.var.{name}: the profile defines no such variable" + hint)

    def _hint(self, kind: str, name: str) -> str:
        """Return a proposal for a name without a value: `; did you mean ".spectro.var.site"?`."""
        given = {"system": self.context.system, "var": self.context.variables, "macro": self.context.macros}[
            kind
        ]
        known = [*given, *(SYSTEM_MACROS if kind == "system" else ())]
        if name in known or self._hints_left == 0:
            return ""
        self._hints_left -= 1
        from krmkit.libraries.messages.nearest import nearest, proposing

        near = nearest(name, known[:_MOST_NAMED])
        if near is not None:
            return proposing(f'; did you mean ".spectro.{kind}.{near}"?', name, near)
        return "; Palette's documentation has no such system macro" if kind == "system" else ""

    def _is_unknown(self, path: str) -> bool:
        """Return whether no pack has the name that a reference begins with."""
        name = path.removeprefix("pack.")
        while name and name not in self._by_name:
            name = name.rpartition(".")[0]
        return not name

    def pack_hint(self, path: str) -> str:
        """Return a proposal for a reference to a pack that is not there: `; did you mean "kubernetes"?`."""
        name = path.removeprefix("pack.").partition(".")[0]
        if self._hints_left == 0:
            return f'; no pack is named "{name}"'
        self._hints_left -= 1
        from krmkit.libraries.messages.nearest import did_you_mean

        known = list(self._by_name)[:_MOST_NAMED]
        return f'; no pack is named "{name}"' + did_you_mean(name, known)

    def unknown_system(self) -> dict[str, str]:
        """Names of `system` that Palette does not have and no macro refers to, each with the nearest one."""
        unused = [name for name in self.context.system if f"system.{name}" not in self.used]
        unknown = [name for name in unused if name not in SYSTEM_MACROS]
        if not unknown:
            return {}
        from krmkit.libraries.messages.nearest import did_you_mean

        return {name: did_you_mean(name, SYSTEM_MACROS) for name in unknown}

    def _undefined(self, path: str, default: str, hint: str = "") -> str:
        policy = self.context.on_undefined or default
        if policy == KEEP:
            if path.startswith("system.") and path[len("system.") :] in SYSTEM_MACROS:
                raise MacroError(KEPT, f"no value is given for .spectro.{path}, which Palette knows", INFO)
            raise MacroError(KEPT, f"no value is given for .spectro.{path}" + hint)
        if policy == ERROR:
            raise MacroError("undefined", f"there is no value for .spectro.{path}" + hint)
        return ""

    def _pack_value(self, reference: str) -> str | None:
        name = self._name_of(reference)
        if name is None:
            return None
        sources = self._by_name[name]
        if len(sources) > 1:
            others = ", ".join(source.label for source in sources)
            raise MacroError(
                "ambiguous-pack",
                f'.spectro.pack.{reference}: the name "{name}" fits several packs ({others});'
                " write the display name of one of them",
            )
        source = sources[0]
        path = reference[len(name) + 1 :]
        try:
            text = self.text(source)
            matches = self._finder(source, text).find(KeyPath.parse(path))
        except YamlError as error:
            raise MacroError(
                "invalid-result", f"the values of the pack {source.label} are not YAML: {error}"
            ) from None
        except Refused as error:
            raise MacroError("undefined", f".spectro.pack.{reference}: {error}") from None
        if len(matches) != 1 or matches[0].state != FOUND:
            return None
        node = matches[0].node
        if node is None:
            return None
        node = deref(node)
        if not isinstance(node, Scalar):
            raise MacroError(
                "not-scalar",
                f".spectro.pack.{reference} is a {'list' if node.kind == 'seq' else 'map'}; a macro can only"
                " stand for a single value",
            )
        if not node.style and node.tag is None and core_resolve(node.text)[0] == "null":
            return ""
        value = node.text
        for mark in text.marks_in(value):
            value = value.replace(mark, self.value(source, text.macros[mark]))
            _check_length(value)
        return value

    def _finder(self, source: Source, text: MacroText) -> Finder:
        """Return the finder of key paths in a source; a mapping's keys are indexed on first access."""
        if source not in self._finders:
            if text.document is not None:
                root = text.document.root
            else:
                root = parse(source.text, self.limits, duplicates="keep").root
            self._finders[source] = Finder(root)
        return self._finders[source]


def _check_length(value: str) -> None:
    if len(value) > MAX_VALUE:
        raise MacroError(
            "invalid-result",
            f"the value has more than {MAX_VALUE:,} characters (krmkit.systems.palette.macros.values.MAX_VALUE)",
        )
