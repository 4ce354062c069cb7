"""Control structures: maps whose keys begin with `<<` (if, switch, type, for, merge)."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from krmkit.libraries.spiff.expressions.lambdas import LambdaValue
from krmkit.libraries.spiff.expressions.literals import truth
from krmkit.libraries.spiff.expressions.marking import TemplateValue, instantiate
from krmkit.libraries.spiff.expressions.operators import loosely_equal
from krmkit.libraries.spiff.tree.environment import Env
from krmkit.libraries.spiff.tree.errors import Failure, Issue, Waits, fail_if
from krmkit.libraries.spiff.tree.nodes import Expression, Node, type_name
from krmkit.libraries.spiff.tree.places import FlowPlace
from krmkit.libraries.spiff.tree.resolved import is_resolved
from krmkit.libraries.spiff.tree.shown import short, shorten

OPTIONS = frozenset(("<<do", "<<mapkey"))
"""The options that are templates, evaluated in each round of a loop."""
_CONTROLS: dict[str, frozenset[str]] = {
    "if": frozenset(("then", "else")),
    "switch": frozenset(("cases", "default")),
    "type": frozenset(("default",)),
    "for": frozenset(("do", "mapkey")),
    "merge": frozenset(),
}
_BODY = "error evaluationg for body"
_KNOWN = frozenset(_CONTROLS) | frozenset().union(*_CONTROLS.values())


def is_control_key(key: str) -> bool:
    """Return True if a key names a control or one of its options."""
    return key.startswith("<<") and key[2:3] not in ("", "<", "!")


def is_control_map(value: Any) -> bool:
    """Return True if a value is a map with a control structure."""
    return type(value) is dict and any(map(is_control_key, value))


def apply_control(node: Node, env: Env, place: FlowPlace) -> Node | None:
    """Return the node that replaces a map with a control structure; None without one, or if it waits."""
    names: dict[str, Node] = node.value
    place.chosen = None
    if not is_control_map(names):
        return None
    name = ""
    try:
        name, options, fields = _parts(names)
        if not name:
            return None
        for option in options:
            if option not in _CONTROLS[name]:
                raise Failure(f'invalid option "{option}" for control "{name}"')
        value = names["<<" + name]
        if value.note.undefined and name == "switch":
            return _absent(node)
        chosen = _APPLY[name](value, options, fields, env, node)
        if chosen.note.undefined:
            return chosen
        if not is_resolved(chosen.value, env.run):
            raise Waits(chosen)
        if node.note.flags:
            chosen = chosen.with_flags(node.note.flags)
        return chosen
    except Waits as wait:
        place.chosen = wait.chosen
        return None
    except Failure as failure:
        # An error in the body of a loop is one of the map.
        in_body = failure.issue.text == _BODY
        shown = node if in_body else Node(f"<{name} control>" if name else "<control>", node.source)
        return shown.noted(issue=failure.issue, error=True, failed=True)


def _parts(names: dict[str, Node]) -> tuple[str, dict[str, Node], dict[str, Node]]:
    control = ""
    options: dict[str, Node] = {}
    fields: dict[str, Node] = {}
    for key in sorted(names):
        if not is_control_key(key):
            if not key.startswith("<<") or key[2:3] == "!":
                fields[key] = names[key]
            continue
        name = key[2:]
        if name not in _KNOWN:
            raise Failure(f'unknown control or control option "{key}"')
        if name not in _CONTROLS:
            options[name] = names[key]
        elif control:
            raise Failure(f'multiple controls "<<{control}" and "{key}"')
        else:
            control = name
    return control, options, fields


def _ready(node: Node, env: Env) -> Any:
    """Return the value of a node that a control structure needs whole. Raises Waits if it is pending."""
    if not is_resolved(node.value, env.run):
        raise Waits
    return node.value


def _absent(node: Node) -> Node:
    return Node(None, node.source).noted(undefined=True)


def _if(value: Node, options: dict[str, Node], fields: dict[str, Node], env: Env, node: Node) -> Node:
    fail_if(fields, "no regular fields allowed in if control")
    condition = _ready(value, env)
    if condition is not None and type(condition) is not bool:
        raise Failure(f"invalid condition value type: {type_name(condition)}")
    return options.get("then" if condition else "else") or _absent(node)


def _switch(value: Node, options: dict[str, Node], fields: dict[str, Node], env: Env, node: Node) -> Node:
    selected = _ready(value, env)
    if "cases" in options:
        found = _case(selected, options["cases"], env)
        if found is not None:
            return found
    elif type(selected) is str and selected in fields:
        return fields[selected]
    if "default" in options:
        return options["default"]
    fail_if(type(selected) is str, f'invalid switch value: "{selected}"')
    fail_if("cases" in options, f"invalid switch value: {short(selected)}")
    raise Failure(f"invalid switch value type: {type_name(selected)}")


def _case(selected: Any, cases: Node, env: Env) -> Node | None:
    entries = cases.value
    if isinstance(entries, Expression):
        raise Waits
    fail_if(type(entries) is not list, f"case must be a list but got {type_name(entries)}")
    for index, entry in enumerate(entries):
        if isinstance(entry.value, Expression):
            raise Waits
        if type(entry.value) is not dict:
            raise Failure(f"case {index} must be a map, but got {type_name(entry.value)}")
        case, match = entry.value.get("case"), entry.value.get("match")
        result: Node | None = entry.value.get("value")
        if case is None and match is None:
            raise Failure(f"case {index} requires 'case' or `'match' field")
        if case is not None and match is not None:
            raise Failure(f"case {index} requires either 'case' or `'match' field")
        if result is None:
            result = _absent(entry)
        if case is not None:
            if loosely_equal(_ready(case, env), selected):
                return result
            continue
        function = _ready(match, env) if match is not None else None
        if not isinstance(function, LambdaValue):
            raise Failure(f"case {index} match requires a lambda value, but got {type_name(function)}")
        if _matches(function, selected, env, index):
            return result
    return None


def _matches(function: LambdaValue, selected: Any, env: Env, index: int) -> bool:
    try:
        value, _ = function.call([selected], env)
    except Failure as failure:
        raise Failure(Issue(f"case {index} match failed", (failure.issue,))) from None
    if isinstance(value, Expression):
        raise Waits
    return truth(value)


def _type(value: Node, options: dict[str, Node], fields: dict[str, Node], env: Env, node: Node) -> Node:
    name = "undef" if value.note.undefined else type_name(_ready(value, env))
    found = fields.get(name) or options.get("default")
    if found is None:
        raise Failure(f'invalid type switch type: "{name}"')
    return found


def _merge(value: Node, options: dict[str, Node], fields: dict[str, Node], env: Env, node: Node) -> Node:
    merged = dict(fields)
    source = value.value
    if isinstance(source, Expression):
        raise Waits
    maps = source if type(source) is list else [value]
    for index, entry in enumerate(maps):
        _ready(entry, env)
        if is_control_map(entry.value):
            raise Waits
        if type(entry.value) is dict:
            merged.update(entry.value)
        elif entry.value is not None:
            where = f"entry {index}: invalid entry" if type(source) is list else "invalid value"
            raise Failure(f"{where} type: {type_name(entry.value)}")
    return Node(merged, node.source)


class _Variable(NamedTuple):
    name: str
    place: str
    entries: list[tuple[Any, Node]]


def _for(value: Node, options: dict[str, Node], fields: dict[str, Node], env: Env, node: Node) -> Node:
    fail_if(fields, "no regular fields allowed in for control")
    fail_if("do" not in options, "do fields required in for control")
    variables = _variables(_ready(value, env))
    mapkey = options.get("mapkey")
    made: list[Node] = []
    named: dict[str, Node] = {}
    issues: list[Issue] = []
    waits = False
    for names in _rounds(variables, env):
        scope = env.with_names(names)
        try:
            key: Any = ""
            if mapkey is not None:
                key, info = _instance(mapkey, scope)
                if info.undefined or key is None:
                    continue
                if isinstance(key, Expression):
                    waits = True
                    continue
                if type(key) is not str:
                    raise Failure(f"map key must be string, but found {type_name(key)}")
            result, info = _instance(options["do"], scope)
        except Failure as failure:
            known = "; ".join(
                f" {one.name}={shorten(short(names[one.name].value))}".strip() for one in variables
            )
            issues.append(Issue(f"control variables:  {known}: {failure.issue.text}", failure.issue.nested))
            continue
        if isinstance(result, Expression):
            waits = True
        elif info.undefined:
            continue
        elif mapkey is not None:
            named[key] = Node(result, node.source)
        else:
            made.append(Node(result, node.source))
    if issues:
        raise Failure(Issue(_BODY, tuple(issues)))
    if waits:
        raise Waits
    return Node(made if mapkey is None else named, node.source)


def _instance(option: Node, env: Env) -> tuple[Any, Any]:
    template = option.value
    if isinstance(template, TemplateValue):
        return instantiate(template, env)
    return template, option.note


def _rounds(variables: list[_Variable], env: Env) -> Any:
    """Yield the names of each round; the last variable changes fastest."""
    for entries in product(*(one.entries for one in variables)) if variables else ():
        env.run.count(1)
        names: dict[str, Node] = {}
        for one, (key, entry) in zip(variables, entries, strict=True):
            names[one.name] = entry
            names[one.place] = Node(key, "for")
        yield names


def _variables(source: Any) -> list[_Variable]:
    if type(source) is dict:
        found = []
        for key in sorted(source, key=lambda one: one.rpartition(",")[2]):
            index, _, name = key.rpartition(",")
            found.append(_variable(name.strip(), index.strip(), source[key].value))
        return found
    fail_if(type(source) is not list, f"value field must be map but got {type_name(source)}")
    return [_listed(entry.value) for entry in source]


def _listed(spec: Any) -> _Variable:
    fail_if(type(spec) is not dict, f"control variable list entry requires may but got {type_name(spec)}")
    for field in ("name", "values"):
        if field not in spec:
            raise Failure(f"control variable list entry requires {field} field")
    if not set(spec) <= {"name", "values", "index"}:
        raise Failure(
            "control variable list entry requires two or three fields: name, values and optionally index"
        )
    name, index = spec["name"].value, spec["index"].value if "index" in spec else ""
    for word in (name, index):
        if type(word) is not str:
            raise Failure(f"control variable name must be of type string but got {type_name(word)}")
    return _variable(name, index, spec["values"].value)


def _variable(name: str, index: str, values: Any) -> _Variable:
    if type(values) is not list and type(values) is not dict:
        raise Failure(f'control variable "{name}" requires list or map value but got {type_name(values)}')
    entries = enumerate(values) if type(values) is list else [(key, values[key]) for key in sorted(values)]
    return _Variable(name, index or f"index-{name}", list(entries))


_APPLY = {"if": _if, "switch": _switch, "type": _type, "for": _for, "merge": _merge}
