"""Schema constraints: the rules of schema.yaml for a pack's values (key path -> template).

Findings come in the order of schema.yaml. Values of a `${password}` key are marked in `PackValues.secret`
before any finding is made.
"""

from __future__ import annotations

from krmkit.krm.errors import Refused
from krmkit.krm.finding import Finding
from krmkit.libraries.json.paths import join
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.tree import Map, Node, Scalar, deref
from krmkit.systems.palette.constraints.effort import Effort
from krmkit.systems.palette.constraints.format import Format, unknown_type
from krmkit.systems.palette.constraints.template import SchemaTemplate
from krmkit.systems.palette.packs.findings import SCHEMA, VALUES, pack_finding
from krmkit.systems.palette.packs.keypath import FOUND, MISSING, NOT_LIST, KeyPath, KeyPathMatch
from krmkit.systems.palette.packs.lines import LineIndex
from krmkit.systems.palette.packs.pack import Pack
from krmkit.systems.palette.packs.values import PackValues, equal, holds_macro, is_empty, is_unclosed, kind


class KeyRule:
    """One key of schema.yaml. `problem` is the finding about a wrong entry; then nothing is checked."""

    def __init__(self, node: Scalar) -> None:
        self.node = node
        self.key = node.text
        self.path: KeyPath | None = None
        self.template = SchemaTemplate()
        self.format: Format | None = None
        self.secret = False
        self.problem: str = ""


class PackSchema:
    """The rules of a schema.yaml, in its order; `problem`, and `error`: why the whole file cannot be read."""

    def __init__(self, rules: list[KeyRule], problem: str = "", error: YamlError | None = None) -> None:
        self.rules = rules
        self.problem = problem
        self.error = error
        self._lines: LineIndex | None = None

    def place(self, text: str, offset: int) -> tuple[int, int]:
        """Line and column of an offset in the text of the schema."""
        if self._lines is None:
            self._lines = LineIndex(text)
        return self._lines.at(offset)

    @classmethod
    def parse(cls, text: str, limits: Limits = DEFAULT_LIMITS, effort: Effort | None = None) -> PackSchema:
        """Never raises for errors inside: each key has its own problem.

        `effort` counts the cost of the formats of one run, over all its schemas.
        """
        return cls.of(Pack({}, schema=text), limits, effort)

    @classmethod
    def of(cls, pack: Pack, limits: Limits = DEFAULT_LIMITS, effort: Effort | None = None) -> PackSchema:
        """As `parse`, for the schema of a pack."""
        effort = effort or Effort()
        try:
            root = pack.schema_root(limits)
        except YamlError as error:
            return cls([], "schema.yaml is not YAML", error)
        if root is None or (isinstance(root, Scalar) and kind(root) == "null"):
            return cls([])
        if not isinstance(root, Map):
            return cls(
                [], "schema.yaml must be a mapping of key paths, each to a mapping with the key schema"
            )
        rules: list[KeyRule] = []
        seen: dict[str, KeyRule] = {}
        for entry in root.entries:
            key = deref(entry.key)
            if not isinstance(key, Scalar):
                return cls(rules, "schema.yaml has a key that is not a key path but a collection")
            first = seen.get(key.text)
            if first is not None:
                first.problem = "the key path occurs twice; join its clauses with | in one template"
                continue
            rule = seen[key.text] = KeyRule(key)
            rules.append(rule)
            _fill(rule, deref(entry.value), effort)
        return cls(rules)


def check(
    schema: PackSchema,
    values: PackValues,
    defaults: PackValues | None,
    pack: str = "",
    satisfied: list[Finding] | None = None,
) -> list[Finding]:
    """Return the findings of all rules. `defaults`: the values that the pack ships, None if unknown.

    A list given as `satisfied` takes one finding for each rule that holds, with the reason. Raises LimitError
    if aliases make the values too large to walk.
    """
    findings: list[Finding] = []
    if schema.problem:
        findings.append(pack_finding("schema", schema.problem, ("",), pack, SCHEMA, error=schema.error))
    found: list[list[KeyPathMatch]] = []
    for rule in schema.rules:
        matches = values.find(rule.path) if rule.path is not None else []
        found.append(matches)
        if rule.secret:
            values.secret.update(id(match.node) for match in matches if match.node is not None)
            if defaults is not None and rule.path is not None:
                values.secret.update(
                    id(match.node) for match in defaults.find(rule.path) if match.node is not None
                )
    for rule, matches in zip(schema.rules, found, strict=True):
        before = len(findings)
        _Check(rule, values, defaults, pack, findings, schema).run(matches)
        if satisfied is not None and len(findings) == before:
            satisfied.append(
                pack_finding("satisfied", _satisfied(rule, matches), (rule.key,), pack, VALUES, rule.key)
            )
    return findings


def _satisfied(rule: KeyRule, matches: list[KeyPathMatch]) -> str:
    """Return the reason why a rule has no finding."""
    if rule.format is None and not rule.template.required and not rule.template.readonly:
        return "nothing to check: the template has hints only"
    there = sum(match.state == FOUND and not is_empty(match.node) for match in matches)
    if not there:
        return "absent or empty, and not required"
    return "satisfied" if there == 1 else f"satisfied in {there} places"


def _fill(rule: KeyRule, node: Node, effort: Effort) -> None:
    """Read one entry into its rule."""
    template = None
    if isinstance(node, Map):
        templates = [deref(entry.value) for entry in node.entries if entry.name == "schema"]
        if len(templates) > 1:
            rule.problem = "the entry has the key schema twice"
            return
        template = templates[0] if templates else None
    if template is None:
        rule.problem = "the entry must be a mapping with the key schema, as in schema: '{{ required }}'"
        return
    if not isinstance(template, Scalar) or kind(template) != "str":
        rule.problem = "schema must be a text; a template goes in quotes, as in schema: '{{ required }}'"
        return
    # Also when the template is wrong (`${ Password }`), the value stays hidden.
    rule.secret = "${password" in "".join(template.text.split()).lower()
    try:
        rule.path = KeyPath.parse(rule.key)
        rule.template = SchemaTemplate.parse(template.text)
        if rule.template.format is not None:
            rule.format = Format.parse(rule.template.format, effort)
    except Refused as error:
        rule.problem = str(error)


class _Check:
    """One rule against the values."""

    def __init__(
        self,
        rule: KeyRule,
        values: PackValues,
        defaults: PackValues | None,
        pack: str,
        findings: list[Finding],
        schema: PackSchema,
    ) -> None:
        self.rule = rule
        self.values = values
        self.defaults = defaults
        self.pack = pack
        self.findings = findings
        self.schema = schema

    def run(self, matches: list[KeyPathMatch]) -> None:
        rule = self.rule
        if rule.problem:
            self.add_of_rule("schema", f"schema.yaml: {rule.problem}")
            return
        if rule.format is not None:
            for name in dict.fromkeys(token.type for token in rule.format.tokens if not token.known):
                self.add_of_rule("unknown-type", unknown_type(name))
        if rule.template.required or rule.format is not None:
            for match in matches:
                self.match(match)
        if rule.template.readonly:
            self.readonly(matches)

    def add_of_rule(self, code: str, message: str) -> None:
        """Add a finding about the rule itself, at its line of schema.yaml."""
        found = pack_finding(code, message, (self.rule.key,), self.pack, SCHEMA, self.rule.key)
        node = self.rule.node
        if node.source is not None:
            found.line, found.column = self.schema.place(node.source.text, node.start)
        self.findings.append(found)

    def add(
        self, code: str, match: KeyPathMatch, message: str, current: object = None, proposed: object = None
    ) -> None:
        path = str(match)
        hints = self.rule.template.hints
        if hints and code in ("required", "format", "type"):
            message += f" (hint: {' '.join(hints)})"
        found = pack_finding(code, message, (path,), self.pack, VALUES, path, current, proposed)
        found.line, found.column = self.values.place(match.steps)
        self.findings.append(found.beside(None, join("", self.rule.key), "the constraint", SCHEMA))

    def match(self, match: KeyPathMatch) -> None:
        node = match.node
        if match.state == NOT_LIST:
            if holds_macro(node):
                self.add("deferred", match, _DEFERRED)
            else:
                self.add("type", match, f"a list is expected here, not{_a(node)}{self.values.said(node)}")
            return
        if isinstance(node, Scalar) and is_unclosed(node.text):
            self.add(
                "unclosed-macro", match, "the value begins a macro, {{, and does not end it; close it with }}"
            )
            return
        if match.state != FOUND or is_empty(node):
            if self.rule.template.required and not self.vacuous(match):
                self.add("required", match, self.required(match))
            return
        if holds_macro(node):
            self.add("deferred", match, _DEFERRED)
        elif self.rule.format is not None:
            self.format(self.rule.format, match, node)

    def vacuous(self, match: KeyPathMatch) -> bool:
        """Return True if nothing is missing: a list without elements has none that lacks the path's rest."""
        return match.state not in (FOUND, MISSING) and len(match.rest) > 1

    def required(self, match: KeyPathMatch) -> str:
        """Return the error and the valid form."""
        wanted = f": set {self.rule.format.describe()}" if self.rule.format is not None else ": set a value"
        if match.state == FOUND:
            return "the value is required, and empty" + wanted
        if match.rest and match.rest[0].each:
            return "the list is required, and has no element" + wanted
        return "the value is required, and absent" + wanted

    def format(self, form: Format, match: KeyPathMatch, node: Node | None) -> None:
        if not isinstance(node, Scalar):
            self.add("type", match, f"one value is expected here ({form.describe()}), not{_a(node)}")
            return
        try:
            accepted = form.accepts(node)
        except Refused as error:
            # The reason counts characters: a message must not reveal the length of a password.
            reason = "it needs too many steps" if self.rule.secret else str(error)
            self.add("format", match, f"the value cannot be checked: {reason}")
            return
        if not accepted:
            self.add(
                "format",
                match,
                f"the value{self.values.said(node)} is not {form.describe()}{self.quoting(form, node)}",
                self.values.shown(node),
            )

    def quoting(self, form: Format, node: Scalar) -> str:
        """Return a hint to quote a plain `12` or `true` that is meant as a text."""
        if len(form.parts) > 1 or not form.tokens or form.tokens[0].type not in ("string", "password"):
            return ""
        found = kind(node)
        if found == "str":
            return ""
        name = {"int": "number", "float": "number", "bool": "boolean"}.get(found, found)
        return f"; as it is written, YAML reads a {name}: put it in double quotes"

    def readonly(self, matches: list[KeyPathMatch]) -> None:
        rule, values, defaults = self.rule, self.values, self.defaults
        assert rule.path is not None
        if defaults is None:
            self.findings.append(
                pack_finding(
                    "not-checked",
                    "the value is read-only, and there are no default values to compare it with: give the pack a defaults.yaml",
                    (rule.key,),
                    self.pack,
                    VALUES,
                    str(matches[0]),
                )
            )
            return
        each = next((index for index, part in enumerate(rule.path.segments) if part.each), -1)
        if each >= 0 and each == len(rule.path.segments) - 1:
            # Lists compare whole.
            whole = KeyPath(rule.path.text, rule.path.segments[:each])
            mine, theirs = values.find(whole), defaults.find(whole)
        else:
            mine, theirs = matches, defaults.find(rule.path)
        before = {match.steps: match for match in theirs if match.state == FOUND}
        after = {match.steps: match for match in mine if match.state == FOUND}
        for steps, match in after.items():
            default = before.get(steps)
            if default is None:
                self.add(
                    "readonly", match, "the value is read-only, and the pack has none by default: remove it"
                )
            elif not equal(match.node, default.node, values.limits):
                shown = values.shown(default.node)
                wanted = f":{values.said(default.node)}" if shown is not None else ""
                self.add(
                    "readonly",
                    match,
                    f"the value{values.said(match.node)} is read-only: restore the pack's default{wanted}",
                    values.shown(match.node),
                    shown,
                )
        for steps, match in before.items():
            if steps not in after:
                shown = values.shown(match.node)
                wanted = f",{values.said(match.node)}" if shown is not None else ""
                self.add(
                    "readonly",
                    match,
                    f"the value is read-only, and was removed: restore the pack's default{wanted}",
                    None,
                    shown,
                )


_DEFERRED = "the value holds a macro: it is checked when resolve-macros has put a value in its place"


def _a(node: Node | None) -> str:
    if isinstance(node, Map):
        return " a mapping"
    return " a single value" if isinstance(node, Scalar) else " a list"
