"""Record a render in the root Kptfile: the condition `Rendered`, and `status.renderStatus` by step.

kpt writes both at each render in place. krmkit updates them if a Kptfile has them, and adds them only if a
readiness gate or the caller asks for them: nobody else reads them, and they differ with each run's words.
(kpt 1.0.0-beta.67.)
"""

from __future__ import annotations

from krmkit.kpt.resultlist import FunctionRun, run_data
from krmkit.kpt.source import first_document
from krmkit.krm.resource import Resource
from krmkit.libraries.schema.fields import entries, mapping, sequence
from krmkit.render.package import KPTFILE, Package
from krmkit.render.rendering import Rendering
from krmkit.storage.disk.write import FileEdit

RENDERED = "Rendered"
_CONDITIONS, _STATUS = ("status", "conditions"), ("status", "renderStatus")


def edits_in_place(package: Package, rendering: Rendering, asked: bool = False) -> list[FileEdit]:
    """Return the edits of a render in place, with the root Kptfile's status.

    After a failure these are the saved edits and the status. asked: write the status in any case.
    """
    changes = rendering.saved if rendering.failure else rendering.changes
    known = package.kptfile.resource
    if not (asked or _has(known) or _gated(known)):
        return changes
    before = next((file.text for file in package.files if file.path == KPTFILE), None)
    if before is None:  # .krmignore leaves it out
        return changes
    now = next((change.after for change in changes if change.path == KPTFILE), before)
    if now is None:
        return changes
    document = first_document(now, KPTFILE)
    kptfile = Resource(document, label=KPTFILE)
    _put(kptfile, rendering)
    edit = FileEdit(KPTFILE, before, now.replace(document, kptfile.text, 1))
    others = [change for change in changes if change.path != KPTFILE]
    return sorted([*others, *([edit] if edit.after != before else [])], key=lambda change: change.path)


def status_notes(package: Package) -> list[str]:
    """Return the outcome of a package's last render, for its reports."""
    said = last_render(package.kptfile.resource)
    return [f"{KPTFILE}, by the last render in place: {said}"] if said else []


def last_render(kptfile: Resource) -> str:
    """Return the last render's outcome in a Kptfile: `Rendered is False (RenderFailed), 1 of 3 steps failed`.

    "" if the Kptfile records none. It may be out of date.
    """
    if not _has(kptfile):
        return ""
    condition = mapping(next((one for one in _listed(kptfile, *_CONDITIONS) if _type(one) == RENDERED), {}))
    names = ("mutationSteps", "validationSteps")
    steps = [one for name in names for one in entries(kptfile.get(*_STATUS, name))]
    failed = sum(bool(step.get("exitCode")) for step in steps)
    reason = f" ({condition['reason']})" if condition.get("reason") else ""
    said = f"{RENDERED} is {condition.get('status') or 'unknown'}{reason}"
    return f"{said}, {failed} of {len(steps)} steps failed" if steps else said


def drop_status(kptfile: Resource) -> bool:
    """Remove a render's record from a Kptfile; return False if there was none."""
    if not _has(kptfile):
        return False
    _drop_condition(kptfile)
    kptfile.remove(_STATUS)
    for path in (_CONDITIONS, ("status",)):
        if not kptfile.get(*path):
            kptfile.remove(path)
    return True


def _drop_condition(kptfile: Resource) -> None:
    conditions = _listed(kptfile, *_CONDITIONS)
    for number in range(len(conditions) - 1, -1, -1):
        if _type(conditions[number]) == RENDERED:
            kptfile.remove((*_CONDITIONS, number))


def _has(kptfile: Resource) -> bool:
    return kptfile.node(*_STATUS) is not None or any(
        _type(condition) == RENDERED for condition in _listed(kptfile, *_CONDITIONS)
    )


def _gated(kptfile: Resource) -> bool:
    gates = entries(kptfile.get("info", "readinessGates"))
    return any(gate.get("conditionType") == RENDERED for gate in gates)


def _put(kptfile: Resource, rendering: Rendering) -> None:
    condition: dict[str, object] = {"type": RENDERED, "status": "True", "reason": "RenderSuccess"}
    if rendering.failure:
        condition |= {"status": "False", "reason": "RenderFailed", "message": rendering.failure}
    _drop_condition(kptfile)
    if not kptfile.get(*_CONDITIONS):
        kptfile.set(_CONDITIONS, [condition])
    else:
        kptfile.set((*_CONDITIONS, len(_listed(kptfile, *_CONDITIONS))), condition)
    status: dict[str, object] = {}
    for name, stage in (("mutationSteps", "pipeline.mutators"), ("validationSteps", "pipeline.validators")):
        steps = [_step(run) for run in rendering.runs if run.field.startswith(stage)]
        if steps:
            status[name] = steps
    failed = [run for run in rendering.runs if run.exit_code]
    if failed:
        status["errorSummary"] = "\n".join(
            f"{run.step or run.name}: exit code {run.exit_code}" for run in failed
        )
    elif rendering.failure:
        status["errorSummary"] = rendering.failure
    kptfile.set(_STATUS, status)


def _step(run: FunctionRun) -> dict[str, object]:
    data = {"name": run.step, **run_data(run)} if run.step else run_data(run)
    errors = [each for each in run.results if each.get("severity") == "error"]
    if errors:
        data["errorResults"] = [
            each for each in entries(data.get("results")) if each.get("severity") == "error"
        ]
    if run.skipped:
        data.pop("results", None)
        data["skipped"] = True
    return data


def _type(condition: object) -> object:
    return condition.get("type") if isinstance(condition, dict) else None


def _listed(kptfile: Resource, *path: str) -> list[object]:
    return sequence(kptfile.get(*path))
