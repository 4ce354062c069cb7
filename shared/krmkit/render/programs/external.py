"""Run programs outside this catalog, which get a ResourceList on stdin as from kpt.

Their output is read as data. A resource with unchanged data keeps its text; in a changed one only the changed
fields are written, so comments and layout stay even if the program dropped them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from krmkit.kpt.source import ORCHESTRATION, standalone, without
from krmkit.krm import annotations as names
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml.copies import detached, is_tied
from krmkit.libraries.yaml.data import go_data, same_data, text_data
from krmkit.libraries.yaml.document import parse
from krmkit.libraries.yaml.editing.finalbreak import with_final_break
from krmkit.libraries.yaml.errors import YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS, Limits
from krmkit.libraries.yaml.tree import Map, Node

ID = "internal.config.kubernetes.io/id"
LEGACY_ID = "config.k8s.io/id"
TIMEOUT = 300.0  # seconds, as in kpt
_STOPPING = 10.0  # seconds


@dataclass(slots=True, eq=False)
class External:
    """A program to run, as a list of words. `name`: its name for the user.

    `hint`: a suggestion after the message if it fails without a reason. `stop`: a command that ends what it
    started elsewhere, such as a container.
    """

    name: str
    command: list[str]
    timeout: float = TIMEOUT
    hint: str = ""
    stop: list[str] = field(default_factory=list)

    def run(self, text: str, limits: Limits = DEFAULT_LIMITS) -> tuple[str, str, int]:
        """Return stdout, stderr and exit code.

        Raises Refused if it cannot start or end, or writes too much.
        """
        from krmkit.libraries.process.program import ChildError, run_bounded

        try:
            written, errors, code = run_bounded(
                self.command, text.encode("utf-8"), self.timeout, limits.total_size
            )
        except OSError as error:
            raise Refused(f"{self.name}: cannot run {self.command[0]}: {error.strerror or error}") from None
        except ValueError as error:
            raise Refused(f"{self.name}: cannot be run: {error}") from None
        except BaseException as error:
            self._stop()
            if isinstance(error, ChildError):
                flag = "--timeout" if error.late else "--limit total_size"
                raise Refused(f"{self.name}: {error} ({flag} sets the limit)") from None
            raise
        try:
            output = written.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(f"{self.name}: its output is not UTF-8") from None
        return output, errors, code

    def _stop(self) -> None:
        from krmkit.libraries.process.program import ChildError, run_bounded

        if self.stop:
            try:
                run_bounded(self.stop, b"", _STOPPING, 1 << 20)
            except (OSError, ChildError):
                pass


@dataclass(slots=True, eq=False)
class ProgramOutput:
    """The output of a program: resources in its order, results as data, stderr and the exit code.

    Known resources are the input's own objects. `items` is empty after a failure.
    """

    items: list[Resource] = field(default_factory=list)
    results: list[dict[str, object]] = field(default_factory=list)
    stderr: str = ""
    exit_code: int = 0


def call(
    external: External,
    items: list[Resource],
    config: Resource | None,
    limits: Limits = DEFAULT_LIMITS,
    silent: list[Resource] | None = None,
) -> ProgramOutput:
    """Run the program on resources. Raises Refused.

    If the program exits 0 without output, return `silent`; kpt would take that for no resources, and None
    makes it an error.
    """
    answer = ProgramOutput()
    stdout, answer.stderr, answer.exit_code = external.run(request(items, config), limits)
    if not stdout.strip() and (answer.exit_code != 0 or silent is not None):
        answer.items = silent or []
        return answer
    try:
        reply = ResourceList.parse(stdout, limits)
        around = reply.envelope.root
        assert isinstance(around, Map)
        answer.results = _results(around.get("results"), limits)
        if answer.exit_code == 0:
            if around.get("items") is None:
                raise Refused("it has no items; an empty list must have items: []")
            answer.items = _items(items, reply)
    except (YamlError, Refused) as error:
        if answer.exit_code == 0:
            raise Refused(f"{external.name}: cannot read its output: {error}") from None
    return answer


def request(items: list[Resource], config: Resource | None) -> str:
    """Return the ResourceList for the program: every item with the annotations that kpt adds."""
    sent = [
        annotated(item, {**_place(item), ID: str(number), LEGACY_ID: str(number)})
        for number, item in enumerate(items, 1)
    ]
    return ResourceList.of(sent, annotated(config, _place(config)) if config is not None else None).render()


def _place(item: Resource) -> dict[str, str]:
    return item.location.annotations if item.location is not None else {}


def annotated(item: Resource, annotations: dict[str, str]) -> Resource:
    """Return a copy of a resource, in an item's form, with more annotations."""
    copy = Resource(bare(item.text), label=item.label)
    for name, value in annotations.items():
        copy.set(("metadata", "annotations", name), value)
    return copy


def bare(text: str) -> str:
    """Return a document in an item's form: without markers, with plain line feeds."""
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    while lines and (not lines[0].strip() or lines[0].startswith("---")):
        rest = lines.pop(0)[3:].strip()
        if rest.startswith("#"):
            lines.insert(0, rest)
            break
    # Blank lines at the end may belong to a block scalar.
    ends = [number for number, line in enumerate(lines) if line.startswith("...")]
    if ends:
        return "\n".join(lines[: ends[0]]) + "\n"
    document = "\n".join(lines)
    return with_final_break(document, lambda: parse(document))


def _items(sent: list[Resource], reply: ResourceList) -> list[Resource]:
    by_place = {
        (item.location.package, item.location.path, item.location.index): number
        for number, item in enumerate(sent, 1)
        if item.location is not None
    }
    resources: list[Resource] = []
    taken: set[int] = set()
    for given in reply.items:
        annotations = given.annotations
        number = names.number(annotations.get(ID) or annotations.get(LEGACY_ID) or "")
        if number is None:
            number = by_place.get((given.package_path, given.path or "", given.index), 0)
        if 0 < number <= len(sent) and number not in taken:
            taken.add(number)
            _take_over(sent[number - 1], given, annotations)
            resources.append(sent[number - 1])
        else:
            new = Resource(standalone(given), label="a new resource")
            for name in (ID, LEGACY_ID):
                new.remove(("metadata", "annotations", name))
            resources.append(new)
    return resources


def _take_over(item: Resource, given: Resource, annotations: dict[str, str]) -> None:
    """Write the data of `given` into `item`; a changed place is in its annotations."""
    before = item.get()
    data = without(given.get(), ORCHESTRATION)
    if (
        isinstance(before, dict)
        and isinstance(data, dict)
        and not before.get("metadata")
        and not data.get("metadata")
    ):
        # The annotations may have added the metadata, which is then removed with them.
        data = {key: value for key, value in data.items() if key != "metadata"}
        before = {key: value for key, value in before.items() if key != "metadata"}
    if not same_data(data, before) and isinstance(data, dict) and isinstance(before, dict):
        _merge(item, given, (), before, data)
    for legacy, name in (
        (names.LEGACY_PATH, names.PATH),
        (names.LEGACY_INDEX, names.INDEX),
        (names.PACKAGE_PATH, names.PACKAGE_PATH),
    ):
        sent = _place(item).get(name)
        said = {annotations[key] for key in (legacy, name) if key in annotations}
        if said == {""}:
            raise Refused(f"{item.label}: its {name} is empty; keep its value, or remove it")
        others = said - {sent, ""}
        if len(others) > 1:
            raise Refused(f"{item.label}: {legacy} and {name} differ: {', '.join(sorted(others))}")
        if not said and sent is not None:
            # Removed: the resource gets the place of a new one.
            others = {""}
        for other in others:
            item.set(("metadata", "annotations", name), other)


def _merge(
    item: Resource, given: Resource, path: tuple[str | int, ...], before: object, after: object
) -> None:
    """Write the differences between `before` and `after` at a path into `item`, in the style of `given`.

    A plain `on` instead of the program's 'on' would have another meaning in YAML 1.1.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before:
            if key not in after:
                item.remove((*path, key))
        for key, value in after.items():
            if key not in before:
                _take(item, given, (*path, key), value)
            elif not same_data(before[key], value):
                _merge(item, given, (*path, key), before[key], value)
    elif isinstance(before, list) and isinstance(after, list) and after and path:
        common = min(len(before), len(after))
        for index in range(common):
            if not same_data(before[index], after[index]):
                _merge(item, given, (*path, index), before[index], after[index])
        for index in range(len(before) - 1, common - 1, -1):
            item.remove((*path, index))
        for index in range(common, len(after)):
            _take(item, given, (*path, index), after[index])
    elif path:
        _take(item, given, path, after)


def _take(item: Resource, given: Resource, path: tuple[str | int, ...], value: object) -> None:
    if path in {("metadata",), ("metadata", "annotations")} and isinstance(value, dict) and value:
        # One by one, because `given` also has kpt's annotations.
        for key, inner in value.items():
            _take(item, given, (*path, key), inner)
        return
    node, parent = given.node(*path), given.node(*path[:-1])
    entry = parent.entry(str(path[-1])) if isinstance(parent, Map) else None
    if node is None or given.root.flow:
        item.set(path, value)  # JSON output has no style to keep
    elif is_tied(node):
        item.set(path, detached(node))
    elif entry is not None and item.node(*path) is None:
        item.adopt(path[:-1], entry)
    else:
        item.set(path, node)


def _results(node: Node | None, limits: Limits) -> list[dict[str, object]]:
    """Return the results of a ResourceList, also from the older form under `items`.

    Field values keep the program's text: 1.50 and 0x10, which are also numbers, stay unchanged.
    """
    found, written = go_data(node, limits), text_data(node, limits)
    if isinstance(found, dict) and isinstance(written, dict):
        found, written = found.get("items"), written.get("items")
    if not isinstance(found, list) or not isinstance(written, list):
        return []
    results = []
    for result, texts in zip(found, written, strict=True):
        if not isinstance(result, dict):
            continue
        results.append(result)
        field, said = result.get("field"), texts.get("field")
        if not isinstance(field, dict):
            continue
        for name in ("currentValue", "proposedValue"):
            if isinstance(field.get(name), int | float) and not isinstance(field[name], bool):
                field[name] = said[name]
    return results
