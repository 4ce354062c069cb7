"""krmkit.fleet.sync.whole: which variants a sync works on, and which ones it removes."""

from __future__ import annotations

import sys

import pytest

from krmkit.views.sync import told_status
from krmkit.views.terminal import Terminal
from tests.unit.fleet.sync.memorygit import Fleet, MemoryRepository, outcome_of

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n"
VARIANT = """\
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: {{name: {name}, namespace: default}}
spec:
  upstream: {{repo: up, package: web, revision: 1}}
  downstream: {{repo: down, package: {package}}}
"""
APP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata:\n  a: '1'\n"


def variants(*named: str) -> str:
    """Variants as `name:package`."""
    pairs = (one.split(":") for one in named)
    return "".join(VARIANT.format(name=name, package=package) for name, package in pairs)


@pytest.fixture
def fleet() -> Fleet:
    up = MemoryRepository()
    up.refs["refs/tags/web/v1"] = up.commit("refs/heads/main", "web", {"Kptfile": KPTFILE, "app.yaml": APP})
    return Fleet({"up": up, "down": MemoryRepository()})


def drafts(fleet: Fleet) -> set[str]:
    return {
        ref.split("/")[3] for ref in fleet.repositories["down"].refs if ref.startswith("refs/heads/drafts/")
    }


def test_a_variant_that_nothing_generates(fleet: Fleet) -> None:
    """It is named, and is removed with --prune only."""
    fleet.sync({"a.yaml": variants("x:p", "y:q")})

    sync = fleet.sync({"a.yaml": variants("x:p")})
    assert outcome_of(sync, "default/y").leftovers == ["drafts/q/packagevariant-1"] and drafts(fleet) == {
        "p",
        "q",
    }

    sync = fleet.sync({"a.yaml": variants("x:p")}, prune=True)
    assert outcome_of(sync, "default/y").actions == ["deleted drafts/q/packagevariant-1"]
    assert drafts(fleet) == {"p"}


def test_a_variant_that_moves(fleet: Fleet) -> None:
    """What it leaves behind is named with its reason; one that stays has neither."""
    stays = outcome_of(fleet.sync({"a.yaml": variants("x:p")}), "default/x")
    assert (stays.leftovers, stays.leftover) == ([], "")

    moved = outcome_of(fleet.sync({"a.yaml": variants("x:q")}), "default/x")
    assert (moved.leftovers, moved.leftover) == (["drafts/p/packagevariant-1"], "its package is q now")


@pytest.mark.parametrize("status", ["True", "False"])
def test_a_status_names_the_last_render(fleet: Fleet, status: str) -> None:
    """Where nothing is written, what a render in place left in the Kptfile is told; what went well needs no word in the table."""
    fleet.sync({"a.yaml": variants("x:p")})
    down, ref = fleet.repositories["down"], "refs/heads/drafts/p/packagevariant-1"
    files = down.files(ref, "p")
    condition = f"{{type: Rendered, status: '{status}', reason: Ended}}"
    files["Kptfile"] += f"status:\n  conditions: [{condition}]\n"
    down.refs[ref] = down.commit(ref, "p", files)

    one = outcome_of(fleet.sync({"a.yaml": variants("x:p")}, dry=True), "default/x")

    said = f"drafts/p/packagevariant-1: Rendered is {status} (Ended)"
    told = told_status([one], Terminal(sys.stdout))
    assert one.rendered == said and (said in told.table) == (status == "False")
    assert [result.message for result in told.report.packages[0].results if result.rule == "last-render"] == [
        said
    ]
    assert outcome_of(fleet.sync({"a.yaml": variants("x:p")}), "default/x").rendered == ""


def test_another_fleet_keeps_what_it_has(fleet: Fleet) -> None:
    """--prune of one fleet does not see the variants of another one, whatever their sets are called."""
    fleet.sync({"a.yaml": variants("x:p")})
    fleet.sync({"b.yaml": variants("y:q")})

    sync = fleet.sync({"a.yaml": ""}, prune=True)

    assert [one.name for one in sync.removed] == ["default/x"]
    assert drafts(fleet) == {"q"}


def test_an_earlier_release_s_state_goes_with_its_set(fleet: Fleet) -> None:
    """It names no fleet: what a set owns is that set's, and no other file's."""
    fleet.sync({"": variants("x:p")})

    assert fleet.sync({"a.yaml": variants("y:q")}, prune=True).removed == []
    assert drafts(fleet) == {"p", "q"}


def test_a_package_of_another_fleet(fleet: Fleet) -> None:
    """It is an error that names the variant and its fleet."""
    fleet.sync({"a.yaml": variants("x:p")})

    sync = fleet.sync({"b.yaml": variants("y:p")})

    assert outcome_of(sync, "default/y").error == "down/p is the package of default/x of the fleet a.yaml"


def test_both_files_in_one_run(fleet: Fleet) -> None:
    """A variant may go from one given file to another one."""
    fleet.sync({"a.yaml": variants("x:p"), "b.yaml": variants("y:q")})

    sync = fleet.sync({"a.yaml": "", "b.yaml": variants("x:p", "y:q")}, prune=True)

    assert sync.removed == [] and not any(one.error for one in sync.outcomes)
    assert drafts(fleet) == {"p", "q"}


def test_twins(fleet: Fleet) -> None:
    """The second of two variants of one name, or of one package, is refused."""
    sync = fleet.sync({"a.yaml": variants("x:p", "y:p")})

    assert outcome_of(sync, "default/y").error == "down/p is already the package of x"


def test_a_second_sync_does_nothing(fleet: Fleet) -> None:
    """No ref moves, not even that of a state."""
    fleet.sync({"a.yaml": variants("x:p", "y:q")}, approve="auto")
    before = dict(fleet.repositories["down"].refs)

    sync = fleet.sync({"a.yaml": variants("x:p", "y:q")}, approve="auto")

    assert not sync.changed() and fleet.repositories["down"].refs == before


def test_a_key_that_leaves_the_context(fleet: Fleet) -> None:
    """It leaves the package as well, unlike in Porch, where removeKeys has to name it; a person's own key stays."""
    down = fleet.repositories["down"]
    ref = "refs/heads/drafts/p/packagevariant-1"
    text = variants("x:p") + "  packageContext: {data: {tier: edge, zone: a}}\n"
    fleet.objects = "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: Repository\nmetadata: {name: down}\nspec: {deployment: true}\n"
    fleet.sync({"a.yaml": text})
    files = down.files(ref, "p")
    assert "zone: a" in files["package-context.yaml"]
    files["package-context.yaml"] += "  mine: ours\n"
    down.commit(ref, "p", files)

    done = outcome_of(fleet.sync({"a.yaml": text.replace(", zone: a", "")}), "default/x")

    context = down.files(ref, "p")["package-context.yaml"]
    assert (done.error, done.conflicts) == ("", [])
    assert "zone" not in context and "tier: edge" in context and "mine: ours" in context


def test_a_revision_without_a_workspace(fleet: Fleet) -> None:
    """It is the tag of that name, whatever the workspace that the revision was made in."""
    up = fleet.repositories["up"]
    message = 'x\n\nkpt:{"package":"web","workspaceName":"other"}\n'
    up.refs["refs/tags/web/v2"] = up.commit("refs/heads/main", "web", {"Kptfile": KPTFILE}, message)

    done = outcome_of(
        fleet.sync({"a.yaml": variants("x:p").replace("revision: 1", "revision: 2")}), "default/x"
    )

    assert (done.error, done.upstream) == ("", "v2")
