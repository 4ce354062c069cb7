"""One run of a function: text in, text out, with these guarantees.

- Success: one ResourceList with the changed items, and the results.
- Any error: the original items, byte for byte, with the results; exit code 1 and one line for stderr.
- No readable ResourceList: one with `items: []` and one error with the reason.

So an empty output never meets exit code 0 (kpt would delete the package), and the exit code is 1 exactly if
a result has severity error. `run` is pure: `krmkit.fn.entry` reads and prints.
"""

from __future__ import annotations

import sys

from krmkit.fn.config import ConfigError, decode
from krmkit.fn.results import Results
from krmkit.krm.errors import UNNAMED, Refused
from krmkit.krm.finding import ERROR, Finding
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml import effort
from krmkit.libraries.yaml.data import go_data
from krmkit.libraries.yaml.errors import LimitError, YamlError
from krmkit.libraries.yaml.limits import DEFAULT_LIMITS
from krmkit.libraries.yaml.tree import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from krmkit.fn.config import Config
    from krmkit.fn.definition import FunctionDefinition
    from krmkit.krm.resource import Resource
    from krmkit.libraries.yaml.limits import Limits

    Process = Callable[[ResourceList, Config, Results], None]

_LONGEST_LINE = 300

# Trees are walked by functions that call themselves, with a few calls per level. More calls than _MOST_CALLS
# could run into the end of the stack, so beyond them Python's own check ends the run, with a result.
_CALLS_PER_LEVEL = 8
_MOST_CALLS = 50_000


class RunOptions:
    """How to run. `explain` keeps results of severity EXPLAIN, `debug` prints the traceback of a bug.

    `tag`: the tag of the image in the pipeline, which selects the version of a function. `stands_in`: the
    warning that the function replaces an image of another release. `crds`: CRDs besides those among the
    items. `jobs`: how many processes may share a large list; 0 means one for each core.
    """

    __slots__ = ("crds", "debug", "explain", "jobs", "limits", "stands_in", "tag")

    def __init__(
        self, explain: bool = False, debug: bool = False, limits: Limits = DEFAULT_LIMITS, tag: str = ""
    ) -> None:
        self.crds: list[dict[str, Any]] = []
        self.explain, self.debug = explain, debug
        self.limits = limits
        self.tag, self.stands_in = tag, ""
        self.jobs = 1


class Outcome:
    """The output and the exit code of a process."""

    __slots__ = ("exit_code", "results", "stderr", "stdout")

    def __init__(self, stdout: str, stderr: str, exit_code: int, results: list[Finding]) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.exit_code = exit_code
        self.results = results


DEFAULT_OPTIONS = RunOptions()


def run(
    definition: FunctionDefinition, process: Process, text: str, options: RunOptions = DEFAULT_OPTIONS
) -> Outcome:
    """Run `process` on the text of a ResourceList. Never raises, even for invalid input."""
    before = _make_room(options.limits)
    try:
        return _run(definition, process, text, options)
    finally:
        sys.setrecursionlimit(before)


def _run(definition: FunctionDefinition, process: Process, text: str, options: RunOptions) -> Outcome:
    if not text.strip():
        return unreadable(definition.name, "the input is empty")
    try:
        resources = ResourceList.parse(text, options.limits)
    except LimitError as error:
        return unreadable(definition.name, str(error), "limit")
    except (Refused, YamlError) as error:
        return unreadable(definition.name, str(error))
    except ImportError as error:
        return unreadable(definition.name, str(error), "missing-dependency")
    results = Results(options.explain, definition)
    try:
        trace = _evaluate(definition, process, resources, options, results)
        _name_config_file(resources, results)
        found = _finished(results, resources)
        if not any(result.severity == ERROR for result in found):
            resources.results = _before(definition, resources) + [result.data() for result in found]
            return Outcome(resources.render(), "", 0, found)
    except Exception as error:  # noqa: BLE001  # after any error the items must come back
        trace = _stopped(error, results, options)
        found = _finished(results, resources)
    return refuse(definition, text, found, options, trace)


def refuse(
    definition: FunctionDefinition,
    text: str,
    results: list[Finding],
    options: RunOptions = DEFAULT_OPTIONS,
    trace: str = "",
) -> Outcome:
    """Return the outcome of a failed run: the unchanged items of `text`, and the results."""
    listed = [result.data() for result in results]
    try:
        resources = ResourceList.parse(text, options.limits)
        resources.results = listed = _before(definition, resources) + listed
        stdout = resources.render()
    except Exception as error:  # noqa: BLE001  # the same
        from krmkit.fn.itemsback import items_alone

        try:
            stdout = items_alone(text, listed, options.limits)
        except Exception:  # noqa: BLE001  # not even the items can be written: what went wrong before is the message
            why = str(error) or type(error).__name__
            return unreadable(
                definition.name, f"{results[0].message} (and the list cannot be written: {why})"
            )
    return Outcome(stdout, trace + summary(definition.name, results), 1, results)


def _before(definition: FunctionDefinition, resources: ResourceList) -> list[dict[str, object]]:
    if not definition.keeps_results:
        return []
    root = resources.envelope.root
    given = go_data(root.get("results"), resources.limits) if isinstance(root, Map) else None
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def apply(
    definition: FunctionDefinition,
    process: Process,
    resources: ResourceList,
    config: Resource | None,
    options: RunOptions = DEFAULT_OPTIONS,
) -> list[Finding]:
    """Run `process` on a list in memory, for a pipeline. A finding of severity error means that it failed.

    After a failure the list may be half changed, so a pipeline ends there and writes nothing.
    """
    results = Results(options.explain, definition)
    resources.function_config = config
    if options.explain:
        from krmkit.krm.cause import CauseLog

        resources.causes = CauseLog()
    before = _make_room(options.limits)
    try:
        _evaluate(definition, process, resources, options, results)
        _name_config_file(resources, results)
    finally:
        sys.setrecursionlimit(before)
    return _finished(results, resources)


def check_config(
    definition: FunctionDefinition, config: Resource | None, options: RunOptions = DEFAULT_OPTIONS
) -> list[Finding]:
    """Check a config without a run. Return the findings with which `apply` would stop."""
    results = Results(definition=definition)
    before = _make_room(options.limits)
    try:
        _decoded(definition, config, options, results)
    finally:
        sys.setrecursionlimit(before)
    return results.finish()


def unreadable(name: str, message: str, rule: str = "invalid-input") -> Outcome:
    """Return the outcome for input that is not a ResourceList."""
    from krmkit.libraries.yaml import emit

    result = Finding(rule, f"no readable ResourceList: {message}")
    content = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": [],
        "results": [result.data()],
    }
    return Outcome(emit.document(content), summary(name, [result]), 1, [result])


def summary(name: str, results: list[Finding]) -> str:
    """Return one line for stderr: the first error, and the number of others."""
    errors = [result for result in results if result.severity == ERROR]
    line = f"{name}: {' '.join(str(errors[0]).split())}"
    if len(line) > _LONGEST_LINE:
        line = line[: _LONGEST_LINE - 3] + "..."
    if len(errors) > 1:
        line += f" (and {len(errors) - 1} more)"
    return line + "\n"


def _make_room(limits: Limits) -> int:
    """Raise Python's recursion limit to fit the permitted depth; return the old limit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, min(1000 + _CALLS_PER_LEVEL * limits.depth, _MOST_CALLS)))
    return before


def _evaluate(
    definition: FunctionDefinition,
    process: Process,
    resources: ResourceList,
    options: RunOptions,
    results: Results,
) -> str:
    """Decode the config and run `process`. An exception becomes a result; return its traceback to print."""
    outermost = effort.begin(options.limits.effort)
    resources.jobs = options.jobs
    try:
        decoded = _decoded(definition, resources.function_config, options, results)
        if decoded is None:
            return _trace(options)
        process(resources, decoded, results)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # also an exit: nothing printed is an order to delete
        return _stopped(error, results, options)
    else:
        # Errors that stop a run stay errors; failOn changes findings only.
        results.fail_on(decoded.fail_on)
        return ""
    finally:
        if options.stands_in:  # not before: a function may end early where there are results
            results.warning("not-the-image", options.stands_in)
        if effort.is_over():
            _name_limit(results)
        if outermost:
            effort.end()


def _finished(results: Results, resources: ResourceList) -> list[Finding]:
    """Return the sorted findings, with the list's secrets masked."""
    found = results.finish()
    if found:
        from krmkit.krm.secretwords import suspects

        items = suspects([*resources, resources.function_config])
        if items:
            from krmkit.fn.masking import hide

            hide(found, items)
    return found


def _name_limit(results: Results) -> None:
    """Set the rule `limit` on findings about the run's effort, which engines word on their own."""
    reason = effort.used_up()
    for one in results:
        if reason in one.message:
            one.rule = "limit"


def _decoded(
    definition: FunctionDefinition, config: Resource | None, options: RunOptions, results: Results
) -> Config | None:
    try:
        decoded = decode(definition, config, options.explain)
        decoded.tag, decoded.crds = options.tag, options.crds
        return decoded
    except ConfigError as error:
        results.extend(
            Finding("invalid-config", one.message, config, one.path, current=one.current)
            for one in error.violations
        )
    except Exception as error:  # noqa: BLE001  # as for `process`
        _stopped(error, results, options)
    return None


def _name_config_file(resources: ResourceList, results: Results) -> None:
    """Name the config's file in results if the config is among the items: kpt sends only its content."""
    config = resources.function_config
    if config is None or config.path:
        return
    reference = config.ref()
    unnamed = [one for one in results if one.file is None and one.resource_ref == reference]
    if not unnamed:
        return
    try:
        alike = resources.containing(config.kind, config.api_version)
        found = [item for item in alike if item.kind == config.kind and item.ref() == reference]
    except (YamlError, Refused):
        return  # a broken item, which the function did not need
    if len(found) == 1:
        for one in unnamed:
            one.file = found[0].file()


def _stopped(error: BaseException, results: Results, options: RunOptions) -> str:
    """Add the exception that stopped the run to the results, and return the traceback to print."""
    from krmkit.libraries.go.regexp.pattern import PatternError
    from krmkit.libraries.messages.extras import MissingDependencyError

    if isinstance(error, LimitError | effort.EffortError | PatternError):
        results.error("limit", str(error))
    elif isinstance(error, YamlError):
        results.error("invalid-yaml", str(error))
    elif isinstance(error, Refused):
        if error.finding.rule == UNNAMED:
            error.finding.rule = "invalid-item"
        results.add(error.finding)
        error.finding.severity = ERROR  # whatever its rule states: it ends the run
    elif isinstance(error, MissingDependencyError):
        results.error("missing-dependency", str(error))
    elif isinstance(error, RecursionError):
        results.error("limit", "the input is nested too deeply for this function")
    elif isinstance(error, MemoryError):
        results.error("limit", "the input needs more memory than there is")
    elif effort.is_over():  # an engine has a class of its own for it
        results.error("limit", effort.used_up())
    else:
        detail = " ".join(str(error).split())[:200]
        name = type(error).__name__
        results.error(
            "internal-error",
            f"an error in the function itself, not in your input: {name}{': ' + detail if detail else ''};"
            " run it with --debug for the traceback, and please report it",
        )
    return _trace(options)


def _trace(options: RunOptions) -> str:
    if not options.debug:
        return ""
    import traceback

    return traceback.format_exc()
