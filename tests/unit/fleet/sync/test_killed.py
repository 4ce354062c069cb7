"""A sync that is killed between two refs, and a person who edits a draft before the next sync completes it."""

from __future__ import annotations

import pytest
import yaml

from krmkit.storage.git.refnames import NOTHING
from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository
from tests.unit.fleet.sync.test_wholesync import APP, KPTFILE, VARIANT

DRAFT = "refs/heads/drafts/p/packagevariant-1"
RELEASE = "  upstream: {{repo: up, package: web, revision: {}}}"

OBJECT = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: given, namespace: default}
data: {b: given}
"""


def wanted(revision: int) -> dict[str, str]:
    text = VARIANT.format(name="x", package="p")
    return {"a.yaml": text.replace(RELEASE.format(1), RELEASE.format(revision))}


def release(up: MemoryRepository, number: int, app: str) -> None:
    up.refs[f"refs/tags/web/v{number}"] = up.commit(
        "refs/heads/main", "web", {"Kptfile": KPTFILE, "app.yaml": app}
    )


def edit(down: MemoryRepository, old: str, new: str) -> None:
    files = down.files(DRAFT, "p")
    assert old in files["app.yaml"]
    down.commit(DRAFT, "p", {**files, "app.yaml": files["app.yaml"].replace(old, new)})


@pytest.mark.parametrize("edited_before", [False, True])
@pytest.mark.parametrize("applied", [0, 1, 2])
def test_an_edit_between_kill_and_completion(applied: int, edited_before: bool) -> None:
    """Whichever refs git had changed, the next sync has the person's edits, and the new version."""
    up, down = MemoryRepository(), MemoryRepository()
    fleet = Fleet({"up": up, "down": down})
    release(up, 1, f"{APP}  b: '1'\n  c: '1'\n")
    fleet.sync(wanted(1))
    if edited_before:
        edit(down, "b: '1'", "b: 'early'")
        fleet.sync(wanted(1))
    release(up, 2, f"{APP.replace(chr(39) + '1', chr(39) + '2')}  b: '1'\n  c: '1'\n")

    before = dict(down.refs)
    fleet.sync(wanted(2))
    journal = [
        (ref, before.get(ref), oid) for ref, oid in sorted(down.refs.items()) if before.get(ref) != oid
    ]
    assert [ref for ref, _, _ in journal] == [DRAFT, "refs/krmkit/variants/default/x"]
    down.refs.clear()
    down.refs.update({**before, **{ref: new for ref, _, new in journal[:applied]}})
    edit(down, "c: '1'", "c: 'late'")
    for ref, old, new in journal:  # as RepositoryLock does it: what was moved since then keeps its value
        if down.refs.get(ref) == old:
            down.refs[ref] = new

    sync = fleet.sync(wanted(2))

    assert [one.conflicts for one in sync.outcomes] == [[]]
    data = yaml.safe_load(down.files(DRAFT, "p")["app.yaml"])["data"]
    assert data == {"a": "2", "b": "early" if edited_before else "1", "c": "late"}
    assert not fleet.sync(wanted(2)).changed()


@pytest.mark.parametrize("amend", [False, True])
@pytest.mark.parametrize("applied", [0, 1, 2])
def test_an_edit_between_two_injected_objects(applied: int, amend: bool) -> None:
    """What an object sets is nobody's edit, whether the person had the old draft or the new one, and amended it or went on."""
    up, down = MemoryRepository(), MemoryRepository()
    fleet = Fleet({"up": up, "down": down})
    point = APP.replace("name: app", "name: app\n  annotations: {kpt.dev/config-injection: optional}")
    release(up, 1, f"{point}  b: '1'\n  c: '1'\n")
    files = {"a.yaml": wanted(1)["a.yaml"] + "  injectors: [{kind: ConfigMap, name: given}]\n"}
    fleet.sync(files)
    fleet.objects = OBJECT

    before = dict(down.refs)
    fleet.sync(files)
    journal = {
        ref: (before.get(ref, NOTHING), oid) for ref, oid in down.refs.items() if before.get(ref) != oid
    }
    assert len(journal) == 2
    down.refs, down.journal = before, journal
    down.apply(dict([*journal.items()][:applied]))
    text = down.files(DRAFT, "p")
    app = text["app.yaml"].replace("  name: app\n", "  name: app\n  labels: {tier: ours}\n")
    down.commit(DRAFT, "p", {**text, "app.yaml": app}, amend=amend)

    sync = fleet.sync(files)

    assert [one.conflicts for one in sync.outcomes] == [[]]
    made = yaml.safe_load(down.files(DRAFT, "p")["app.yaml"])
    assert (made["metadata"]["labels"], made["data"]) == ({"tier": "ours"}, {"b": "given"})
    assert not fleet.sync(files).changed()
