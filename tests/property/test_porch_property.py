"""Package variants on random packages: any order of the items, any number of runs, chains of variants."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from krmkit.krm.annotations import Location
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml import emit
from krmkit.systems.porch.sets.items import Fleet
from krmkit.systems.porch.sets.targets import TargetObject
from krmkit.systems.porch.variants.apply import VariantChain
from krmkit.systems.porch.variants.candidates import candidates
from krmkit.systems.porch.variants.decodevariants import decode_set, decode_variant

NAMES = st.sampled_from(["base", "edge", "site"])
WORDS = st.sampled_from(["a", "b", "n", "1", "true", "x: y", "", "two\nlines\n", "é"])
KEYS = st.sampled_from(["a", "b", "c", "zone", "y"])
MAPS = st.dictionaries(KEYS, WORDS, max_size=3)


def function(own: bool) -> st.SearchStrategy[dict[str, Any]]:
    named = st.sampled_from(["f", "g", ""])
    if not own:
        generated = st.builds("PackageVariant.{}.{}.{}".format, NAMES, named, st.integers(-1, 2))
        named = st.one_of(named, generated, st.just("PackageVariant.base.too.many.0"))
    return st.fixed_dictionaries(
        {"image": st.sampled_from(["i", "j"])}, optional={"name": named, "configMap": MAPS}
    )


def pipelines(own: bool) -> st.SearchStrategy[dict[str, Any]]:
    functions = st.lists(function(own), max_size=3)
    return st.fixed_dictionaries({}, optional={"mutators": functions, "validators": functions})


GATES = st.lists(
    st.sampled_from(["z", "config.injection.ConfigMap.p0", "a", "z"]).map(lambda t: {"conditionType": t})
)
CONDITIONS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["Rendered", "a", "config.injection.ConfigMap.p0", "z"])},
        optional={"status": st.sampled_from(["True", "False"]), "message": WORDS, "more": WORDS},
    ),
    unique_by=lambda condition: str(condition["type"]),
)
KPTFILES = st.fixed_dictionaries(
    {
        "apiVersion": st.just("kpt.dev/v1"),
        "kind": st.just("Kptfile"),
        "metadata": st.just({"name": "shop"}),
    },
    optional={
        "pipeline": pipelines(own=False),
        "info": st.fixed_dictionaries({"site": WORDS}, optional={"readinessGates": GATES}),
        "status": st.fixed_dictionaries({}, optional={"conditions": CONDITIONS, "renderStatus": WORDS}),
    },
)


def config_map(name: str, data: dict[str, str], **annotations: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "annotations": annotations},
        "data": data,
    }


@st.composite
def packages(draw: st.DrawFn) -> list[tuple[str, str]]:
    """(path, text) of a package's resources, one to a file but for the injection points; a subpackage stands beside."""
    found = [
        ("Kptfile", draw(KPTFILES)),
        ("sub/Kptfile", draw(KPTFILES)),
        ("package-context.yaml", config_map("kptfile.kpt.dev", draw(MAPS))),
        ("sub/package-context.yaml", config_map("kptfile.kpt.dev", draw(MAPS))),
    ]
    for number, needed in enumerate(draw(st.lists(st.sampled_from(["required", "optional"]), max_size=3))):
        point = config_map(f"p{number}", draw(MAPS), **{"kpt.dev/config-injection": needed})
        found.append((draw(st.sampled_from(["points.yaml", "sub/points.yaml"])), point))
    for name in draw(st.lists(st.sampled_from(["eu", "us"]), unique=True)):
        local = config_map(name, draw(MAPS), **{"config.kubernetes.io/local-config": "true"})
        found.append((f"{name}.yaml", local))
    return [(path, emit.document(data)) for path, data in found]


@st.composite
def variants(draw: st.DrawFn, name: str) -> str:
    spec: dict[str, Any] = {
        "upstream": {"repo": "blueprints", "package": "shop"},
        "downstream": {"repo": "north", "package": "shop"},
        "packageContext": {"data": draw(MAPS), "removeKeys": draw(st.lists(KEYS, max_size=2))},
        "pipeline": draw(pipelines(own=True)),
        "injectors": [
            {"name": each} for each in draw(st.lists(st.sampled_from(["eu", "us", "none"]), max_size=2))
        ],
    }
    head = {
        "apiVersion": "config.porch.kpt.dev/v1alpha1",
        "kind": "PackageVariant",
        "metadata": {"name": name},
    }
    return emit.document({**head, "spec": spec})


CHAINS = st.lists(NAMES, min_size=1, max_size=3, unique=True).flatmap(
    lambda names: st.tuples(*(variants(name) for name in names))
)


def items_of(files: list[tuple[str, str]]) -> list[Resource]:
    indices: dict[str, int] = {}
    found = []
    for path, text in files:
        index = indices.get(path, 0)
        indices[path] = index + 1
        found.append(Resource(text, location=Location(path, index)))
    return found


def applied(items: list[Resource], chain: tuple[str, ...]) -> list[tuple[str, str]]:
    """The files after a chain of variants, by path and index."""
    VariantChain(items, [], None).apply([decode_variant(Resource(text)) for text in chain])
    ordered = sorted(items, key=lambda item: (item.path or "", item.index))
    return [(item.path or "", item.text) for item in ordered]


@given(packages(), CHAINS, st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_order_of_items_does_not_matter(
    files: list[tuple[str, str]], chain: tuple[str, ...], random: Any
) -> None:
    """Shuffled items give the same files."""
    items = items_of(files)
    random.shuffle(items)

    assert applied(items, chain) == applied(items_of(files), chain)


@given(packages(), CHAINS, st.integers(1, 3))
@settings(max_examples=150)
def test_any_number_of_runs(files: list[tuple[str, str]], chain: tuple[str, ...], times: int) -> None:
    """A chain of variants that is applied again changes no byte, however often.

    Where one variant removes a key of the context that a later one sets, the key is set anew each time and moves to the
    end of the data, as it does in Porch: then the files say the same.
    """
    once = applied(items_of(files), chain)
    again = once
    for _ in range(times):
        again = applied(items_of(again), chain)

    if contend(chain):
        assert [(path, Resource(text).get()) for path, text in again] == [
            (path, Resource(text).get()) for path, text in once
        ]
    else:
        assert again == once


def contend(chain: tuple[str, ...]) -> bool:
    """Whether a variant removes a key of the package context that another one sets."""
    contexts = [decode_variant(Resource(text)).spec.get("packageContext") or {} for text in chain]
    return any(
        key in (other.get("data") or {})
        for context in contexts
        for other in contexts
        if other is not context
        for key in context.get("removeKeys") or ()
    )


@given(packages(), CHAINS)
@settings(max_examples=100)
def test_only_the_last_variant_decides_about_its_own(
    files: list[tuple[str, str]], chain: tuple[str, ...]
) -> None:
    """In the pipeline the last variant's functions stand first, all of them, and nobody else's are lost."""
    after = applied(items_of(files), chain)
    before = Resource(dict(files)["Kptfile"]).get("pipeline", default={})
    now = Resource(dict(after)["Kptfile"]).get("pipeline", default={})
    last = decode_variant(Resource(chain[-1]))
    assert isinstance(before, dict) and isinstance(now, dict)  # for the checker

    names = {decode_variant(Resource(text)).name for text in chain}
    for step in ("mutators", "validators"):
        wanted = last.spec["pipeline"].get(step) or []
        found = [entry.get("name", "") for entry in now.get(step) or []]
        assert found[: len(wanted)] == [
            f"PackageVariant.{last.name}.{entry.get('name', '')}.{position}"
            for position, entry in enumerate(wanted)
        ]
        others = [entry for entry in before.get(step) or [] if not _is_of(entry.get("name", ""), names)]
        assert [entry for entry in now.get(step) or [] if not _is_of(entry.get("name", ""), names)] == others


def _is_of(name: str, variants: set[str]) -> bool:
    parts = name.split(".")
    return len(parts) == 4 and parts[0] == "PackageVariant" and parts[1] in variants


SET = """\
apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: fleet, namespace: default}
spec:
  upstream: {repo: blueprints, package: shop, revision: 1}
  targets:
  - repositorySelector: {}
    template:
      labelExprs:
      - {key: org, valueExpr: "has(repository.labels.org) ? repository.labels.org : target.name"}
  - objectSelector: {apiVersion: hr.example.com/v1, kind: Team}
"""
REPOSITORIES = st.dictionaries(st.sampled_from(["r1", "r2", "r3", "r4"]), MAPS, max_size=4)


@given(REPOSITORIES, REPOSITORIES, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_fleet(
    repositories: dict[str, dict[str, str]], teams: dict[str, dict[str, str]], random: Any
) -> None:
    """Variants of a set: the same for any order of the items, and none more after any number of runs."""
    texts = [
        emit.document(
            {
                "apiVersion": version,
                "kind": kind,
                "metadata": {"name": name, "labels": {"org": labels.get("a", "o")}},
            }
        )
        for version, kind, objects in (
            ("config.porch.kpt.dev/v1alpha1", "Repository", repositories),
            ("hr.example.com/v1", "Team", {f"t-{name}": labels for name, labels in teams.items()}),
        )
        for name, labels in objects.items()
    ]
    once = generated(texts)
    shuffled = list(texts)
    random.shuffle(shuffled)

    assert generated(shuffled) == once
    again = texts + once
    random.shuffle(again)
    assert sorted(generated(again)) == sorted(once)


def generated(texts: list[str]) -> list[str]:
    resources = ResourceList.of([Resource(text) for text in texts])
    fleet = Fleet(resources)
    fleet.carry_out(fleet.plan(decode_set(Resource(SET))), finalizer=False)
    return [item.text for item in resources if item.kind == "PackageVariant"]


@given(packages(), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_candidates_have_one_order(files: list[tuple[str, str]], random: Any) -> None:
    """Candidates come by file, however the items do."""
    items = items_of(files)
    random.shuffle(items)

    assert [one.name for one in candidates([], items, "", None)] == [
        one.name for one in candidates([], items_of(files), "", None)
    ]


@given(
    WORDS, st.dictionaries(KEYS, WORDS, max_size=3), st.dictionaries(KEYS, WORDS, max_size=3), st.booleans()
)
def test_metadata_is_read_alike(
    name: str, labels: dict[str, str], annotations: dict[str, str], labels_first: bool
) -> None:
    """Lines read without the parser say what the parser says."""
    maps = {"labels": labels, "annotations": annotations}
    metadata = {**maps, "name": name} if labels_first else {"name": name, **maps}
    text = emit.document(
        {"items": [{"apiVersion": "v1", "kind": "A", "metadata": metadata, "spec": {"a": "b"}}]}
    )
    [item] = ResourceList.parse("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" + text).items
    found = TargetObject.of(item)

    assert (found.name, found.labels, found.annotations) == (name, labels, annotations)
