"""krmkit.fleet.sync: whose a revision is, and what Porch's commits say of it."""

from __future__ import annotations

import json

import pytest

from krmkit.fleet.sync.state import read_states
from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository, MemoryStore, outcome_of

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
APP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata:\n  a: '1'\n"
CONTEXT = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  name: web
  package-path: web
"""
V1, DRAFT = "refs/tags/web/v1", "refs/heads/drafts/web/packagevariant-1"


def variant(package: str = "web", upstream: str = "workspaceName: v1", more: str = "") -> dict[str, str]:
    """A fleet with one variant, x."""
    text = (
        "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: x, namespace: default}\n"
        f"spec:\n  upstream: {{repo: up, package: web, {upstream}}}\n"
        f"  downstream: {{repo: down, package: {package}}}\n{more}"
    )
    return {"fleet.yaml": text}


def kptfile(fleet: Fleet, slash: str = "") -> str:
    """A Kptfile as Porch writes it: no slash before the directory, no strategy, info behind the lock."""
    git = {"repo": "up", "directory": f"{slash}web", "ref": "web/v1"}
    lock = {**git, "commit": fleet.repositories["up"].refs[V1]}
    both = [json.dumps({"type": "git", "git": one}) for one in (git, lock)]
    return f"{KPTFILE}upstream: {both[0]}\nupstreamLock: {both[1]}\ninfo:\n  description: d\n"


def porch(package: str, workspace: str) -> str:
    """The message of a commit that Porch makes when a revision is approved."""
    return f'Approve\n\nkpt:{{"package":"{package}","workspaceName":"{workspace}","revision":"1"}}\n'


@pytest.fixture
def fleet() -> Fleet:
    up = MemoryRepository()
    up.refs[V1] = up.commit("refs/heads/main", "web", {"Kptfile": KPTFILE, "app.yaml": APP})
    return Fleet({"up": up, "down": MemoryRepository()})


def publish(fleet: Fleet, draft: str = DRAFT, tag: str = V1) -> None:
    """A person tags a draft, and deletes its branch."""
    down = fleet.repositories["down"]
    down.refs[tag] = down.refs.pop(draft)


def test_another_person_s_version(fleet: Fleet) -> None:
    """It is not the variant's, also where it follows the same upstream and is newer; each sync says so."""
    down = fleet.repositories["down"]
    down.commit("refs/heads/drafts/web/mine", "web", {"Kptfile": kptfile(fleet), "app.yaml": APP})
    fleet.sync(variant())
    publish(fleet)
    fleet.sync(variant())
    publish(fleet, "refs/heads/drafts/web/mine", "refs/tags/web/v2")

    sync = fleet.sync(variant())
    assert outcome_of(sync, "default/x").targets == ["web/v1"]
    assert "web/v2: not of this variant" in outcome_of(sync, "default/x").warnings[0]

    gone = fleet.sync({"fleet.yaml": ""}, prune=True)
    assert outcome_of(gone, "default/x").actions == ["proposed to delete web/v1"]


@pytest.mark.parametrize("base", ["version", "main"])
def test_a_version_that_goes_on_from_the_variant_s(fleet: Fleet, base: str) -> None:
    """A person's commit on top of a version, or of main, is the variant's next version."""
    down = fleet.repositories["down"]
    fleet.sync(variant(), approve="auto")
    ref = "refs/heads/mine" if base == "version" else "refs/heads/main"
    down.refs.setdefault(ref, down.refs[V1])
    down.refs["refs/tags/web/v2"] = down.commit(ref, "web", {**down.files(ref, "web"), "note.txt": "n"})
    down.refs.pop("refs/heads/mine", None)

    sync = fleet.sync(variant())

    assert outcome_of(sync, "default/x").targets == ["web/v1", "web/v2"]


def test_a_wanted_revision_is_not_deleted(fleet: Fleet) -> None:
    """Its proposed deletion is withdrawn: after a renaming and back, and where a person proposed it."""
    down, proposal = fleet.repositories["down"], "refs/heads/deletionProposed/web/v1"
    fleet.sync(variant(), approve="auto")
    fleet.sync(variant("web2"), prune=True)
    assert proposal in down.refs

    sync = fleet.sync(variant(), prune=True)
    assert proposal not in down.refs
    assert "withdrew deletionProposed/web/v1: the variant wants it" in outcome_of(sync, "default/x").actions

    down.refs[proposal] = down.refs[V1]
    fleet.sync(variant())
    assert proposal not in down.refs


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_draft_published_around_a_renaming(fleet: Fleet, when: str) -> None:
    """What a person published of a draft stays the variant's, whenever its package got another name."""
    fleet.sync(variant())
    if when == "after":
        fleet.sync(variant("web2"))
    publish(fleet)

    named = fleet.sync(variant("web2"))
    assert outcome_of(named, "default/x").leftovers == ["web/v1"]
    sync = fleet.sync(variant("web2"), prune=True)
    assert "proposed to delete web/v1" in outcome_of(sync, "default/x").actions


def test_the_workspace_of_an_upstream(fleet: Fleet) -> None:
    """A published revision is found by the workspace that Porch's commit names, and by no other; by its number too."""
    up = fleet.repositories["up"]
    files = {"Kptfile": KPTFILE, "app.yaml": APP}
    up.refs[V1] = up.commit("refs/heads/main", "web", files, porch("web", "first"))
    up.refs["refs/tags/web/v2"] = up.commit("refs/heads/main", "web", files, porch("other", "second"))
    up.refs["refs/tags/web/stable"] = up.refs[V1]

    def made(upstream: str) -> tuple[str, str]:
        outcome = outcome_of(fleet.sync(variant(upstream=upstream), dry=True), "default/x")
        return outcome.upstream, outcome.error

    assert made("workspaceName: first") == ("v1", "")
    assert made("revision: 1") == ("v1", "")
    assert made("workspaceName: v2") == ("v2", "")
    assert made("workspaceName: stable") == ("stable", "")
    wrong = "there is no revision v1 of up/web; web/v1 was made in the workspace first: write workspaceName: first"
    assert wrong in made("workspaceName: v1")[1]
    there = "there is no revision nope of up/web; there are first, v2, stable, main"
    assert there in made("workspaceName: nope")[1]


def test_a_repository_of_its_own_as_upstream(fleet: Fleet) -> None:
    """A package that a sync published is found by the workspace of its trailer, also below a person's commit."""
    down = fleet.repositories["down"]
    fleet.sync(variant(), approve="auto")
    down.refs["refs/heads/mine"] = down.refs[V1]
    down.refs["refs/tags/web/v2"] = down.commit("refs/heads/mine", "web", {"Kptfile": kptfile(fleet)})
    fleet.repositories["far"] = MemoryRepository()
    second = variant(upstream="workspaceName: packagevariant-1")["fleet.yaml"]

    sync = fleet.sync({"second": second.replace("repo: down", "repo: far").replace("repo: up", "repo: down")})

    assert outcome_of(sync, "default/x").upstream == "v2"


def test_the_number_of_a_draft(fleet: Fleet) -> None:
    """It is above that of every workspace which Porch published."""
    down = fleet.repositories["down"]
    files = {"Kptfile": kptfile(fleet), "app.yaml": APP, "package-context.yaml": CONTEXT}
    down.refs[V1] = down.commit("refs/heads/main", "web", files, porch("web", "packagevariant-4"))
    adopting = "  adoptionPolicy: adoptExisting\n  packageContext: {data: {a: b}}\n"

    sync = fleet.sync(variant(more=adopting))

    assert outcome_of(sync, "default/x").draft == "drafts/web/packagevariant-5"


@pytest.mark.parametrize("slash", ["", "/"])
def test_a_package_that_porch_made(fleet: Fleet, slash: str) -> None:
    """It is adopted as it is: a draft that only spells its upstream in another way is not made, now and later."""
    down = fleet.repositories["down"]
    stamp = "metadata: # kpt-merge: /app\n  name: app\n  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|app'\n"
    app = APP.replace("metadata:\n  name: app\n", stamp)
    files = {"Kptfile": kptfile(fleet, slash), "app.yaml": app, "package-context.yaml": CONTEXT}
    down.refs[V1] = down.commit("refs/heads/main", "web", files, porch("web", "packagevariant-1"))
    adopting = "  adoptionPolicy: adoptExisting\n"

    sync = fleet.sync(variant(more=adopting))
    assert outcome_of(sync, "default/x").actions == ["adopted web/v1"]
    sync = fleet.sync(variant(more=adopting + "  labels: {a: b}\n"))
    assert outcome_of(sync, "default/x").actions == [] and outcome_of(sync, "default/x").error == ""


def test_a_version_whose_functions_no_longer_run(fleet: Fleet) -> None:
    """It is adopted and updated: an edit stays, and what its functions had set counts as one."""
    up, down = fleet.repositories["up"], fleet.repositories["down"]
    broken = "pipeline:\n  mutators:\n  - {image: ghcr.io/krmkit/set-namespace, configMap: {no: such}}\n"
    up.refs[V1] = up.commit("refs/heads/main", "web", {"Kptfile": KPTFILE + broken, "app.yaml": APP})
    changed = {"Kptfile": KPTFILE, "app.yaml": f"{APP}  b: '2'\n"}
    up.refs["refs/tags/web/v2"] = up.commit("refs/heads/main", "web", changed)
    edited = APP.replace("a: '1'", "a: mine")
    files = {"Kptfile": kptfile(fleet) + broken, "app.yaml": edited, "package-context.yaml": CONTEXT}
    down.refs[V1] = down.commit("refs/heads/main", "web", files)

    sync = fleet.sync(variant(upstream="workspaceName: v2", more="  adoptionPolicy: adoptExisting\n"))

    outcome = outcome_of(sync, "default/x")
    assert (outcome.error, outcome.conflicts) == ("", [])
    assert down.files(f"refs/heads/{outcome.draft}", "web")["app.yaml"] == f"{edited}  b: '2'\n"


def test_a_package_without_a_lock(fleet: Fleet) -> None:
    """It counts as up to date, with a warning; what the variant itself sets is a draft."""
    down = fleet.repositories["down"]
    files = {"Kptfile": KPTFILE, "app.yaml": APP.replace("1", "mine"), "package-context.yaml": CONTEXT}
    down.refs[V1] = down.commit("refs/heads/main", "web", files)
    adopting = "  adoptionPolicy: adoptExisting\n"

    outcome = outcome_of(fleet.sync(variant(more=adopting)), "default/x")
    assert (outcome.actions, outcome.error) == (["adopted web/v1"], "")
    assert outcome.warnings[0] == ("web/v1 has no upstreamLock, so no version of up/web is merged into it")

    outcome = outcome_of(
        fleet.sync(variant(more=adopting + "  packageContext: {data: {k: v}}\n")), "default/x"
    )
    draft = down.files(f"refs/heads/{outcome.draft}", "web")
    assert draft == {**files, "package-context.yaml": CONTEXT + "  k: v\n"}


@pytest.mark.parametrize("package", ["web", "shops/north/web"])
def test_the_context_of_a_clone(fleet: Fleet, package: str) -> None:
    """It has the package's path as well as its name, as Porch's."""
    fleet.sync(variant(package))

    made = fleet.repositories["down"].files(f"refs/heads/drafts/{package}/packagevariant-1", package)
    assert made["package-context.yaml"] == CONTEXT.replace("package-path: web", f"package-path: {package}")


@pytest.mark.parametrize(
    ("upstream", "name"),
    [("workspaceName: first", "up.web.first"), ("revision: 1", "up.web.v1"), ("revision: v1", "up.web.v1")],
)
def test_the_upstream_s_name_in_a_set(fleet: Fleet, upstream: str, name: str) -> None:
    """In CEL it is that of Porch's PackageRevision."""
    up = fleet.repositories["up"]
    up.refs["refs/heads/drafts/web/first"] = up.refs[V1]
    fleet.objects = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: down, namespace: default}\n"
    text = (
        "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: s, namespace: default}\n"
        f"spec:\n  upstream: {{repo: up, package: web, {upstream}}}\n  targets:\n  - repositories: [{{name: down}}]\n"
        "    template: {packageContext: {dataExprs: [{key: from, valueExpr: upstream.name}]}}\n"
    )

    sync = fleet.sync({"fleet.yaml": text})

    assert not any(one.error for one in sync.outcomes)
    assert f"  from: {name}\n" in fleet.repositories["down"].files(DRAFT, "web")["package-context.yaml"]


def test_a_variant_of_another_set(fleet: Fleet) -> None:
    """The same variant written by itself instead of by a set is remembered as its own, with nothing else to do."""
    text = (
        "apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: s, namespace: default}\n"
        "spec:\n  upstream: {repo: up, package: web, workspaceName: v1}\n  targets:\n  - repositories: [{name: down}]\n"
    )
    [by_set] = fleet.sync({"fleet.yaml": text}).outcomes
    single = variant()["fleet.yaml"].replace("name: x", f"name: {by_set.name.removeprefix('default/')}")
    store = MemoryStore("down", fleet.repositories["down"])
    assert [state.owner for state in read_states(store).values()] == ["PackageVariantSet/default/s"]

    [again] = fleet.sync({"fleet.yaml": single}).outcomes

    assert (again.name, again.error, again.actions) == (by_set.name, "", [])
    store = MemoryStore("down", fleet.repositories["down"])
    [state] = read_states(store).values()
    assert state.owner == f"PackageVariant/{again.name}"
