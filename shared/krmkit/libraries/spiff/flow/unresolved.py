"""The nodes without a value at the end of a flow, as spiff lists them."""

from __future__ import annotations

from krmkit.libraries.spiff.expressions.merging import Auto, Merge
from krmkit.libraries.spiff.tree.embedded import embedded
from krmkit.libraries.spiff.tree.environment import Run
from krmkit.libraries.spiff.tree.errors import Failure, Issue, Line, Path, SpiffError
from krmkit.libraries.spiff.tree.nodes import Expression, Node
from krmkit.libraries.spiff.tree.places import FlowPlace

Found = tuple[Node, Path, Path]


def find_unresolved(root: Node, run: Run) -> list[Found]:
    """Return (node, path, original path) of nodes without a value: failed, waiting, dependent."""
    found: list[Found] = []
    _collect(root, (), run, found)
    return sorted(found, key=lambda one: 0 if one[0].note.error else 1 + one[0].note.failed)


def _collect(node: Node, path: Path, run: Run, found: list[Found]) -> None:
    value = node.value
    kind = type(value)
    state = node.state
    if kind is dict or kind is list:
        if state is not None and state.settled:
            return
        if type(state) is FlowPlace and state.chosen is not None:
            _collect(state.chosen, path, run, found)
            return
        if kind is dict:
            for key in sorted(value):
                _collect(value[key], (*path, key), run, found)
        else:
            for index, entry in enumerate(value):
                _collect(entry, (*path, f"[{index}]"), run, found)
        if node.note.failed:
            found.append((node, path, ()))
    elif isinstance(value, Expression):
        original: Path = ()
        if isinstance(value, (Auto, Merge)):
            original = value.path
        elif node.note.original is not None and node.note.original != path:
            original = _relative(node.note.original, path)
        found.append((node, path, original))
    elif kind is str and (text := embedded(value, run.interpolation)) is not None:
        try:
            run.parts.parse(text, ("dummy",), ("dummy",))
        except Failure as failure:
            found.append((node.noted(issue=failure.issue, error=True, failed=False), path, ()))
    elif node.note.failed:
        found.append((node, path, ()))


def _relative(original: Path, path: Path) -> Path:
    """Return the original path, relative to the node's path if it is below it."""
    if path and original[: len(path)] == path:
        return ("..", *original[len(path) :])
    return original


def _shown(node: Node) -> str:
    value = node.value
    if isinstance(value, Expression):
        return f"(( {value} ))"
    if type(value) is dict:
        return "<map>"
    return "<list>" if type(value) is list else str(value)


def _mark(node: Node) -> str:
    if node.note.error:
        return "*"
    return "-" if node.note.failed else "@"


def unresolved_error(found: list[Found]) -> SpiffError:
    """Return the error of a run that leaves these nodes."""
    lines = []
    texts = ["unresolved nodes:"]
    for node, path, original in found:
        issue = node.note.issue
        text = _mark(node) + issue.text if issue is not None and issue.text else ""
        shown = _shown(node).replace("\n", "\n\t")
        nested = _nested(issue) if issue is not None else ""
        line = Line(shown, node.source, ".".join(path), ".".join(original), text + nested)
        lines.append(line)
        texts.append(str(line))
    return SpiffError("\n".join(texts), "unresolved", tuple(lines))


def unresolved_issue(found: list[Found], message: str) -> Issue:
    """Return the issue of an expression that leaves these nodes."""
    nested = []
    for node, path, original in found:
        issue = node.note.issue
        text = _mark(node) + issue.text if issue is not None and issue.text else ""
        shown = f"{_shown(node)}\tin {node.source}\t{'.'.join(path)}\t({'.'.join(original)}){text}"
        nested.append(Issue(shown, issue.nested if issue else (), bool(issue and issue.sequence)))
    return Issue(message, tuple(nested))


def _nested(issue: Issue) -> str:
    prefix, gap = ("\n\t\t... ", "") if issue.sequence else ("\n", "\t\t\t")
    text = "".join(prefix + sub.text + _nested(sub) for sub in issue.nested)
    return text.replace("\n", "\n" + gap)
