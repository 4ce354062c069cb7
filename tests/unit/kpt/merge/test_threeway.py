"""krmkit.kpt.merge.threeway: the three-way merge of one resource's data."""

from __future__ import annotations

from typing import Any

import pytest

from krmkit.kpt.merge.listkeys import schema_of
from krmkit.kpt.merge.threeway import LOCAL, UPSTREAM, MergedValue, merge
from krmkit.libraries.schema.fields import MISSING


@pytest.mark.parametrize(
    ("base", "upstream", "local", "expected"),
    [
        pytest.param({"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}, id="upstream changed"),
        pytest.param({"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}, id="local changed"),
        pytest.param({"a": 1}, {"a": 2}, {"a": 3}, {"a": 2}, id="both changed: upstream wins"),
        pytest.param({"a": 1}, {}, {"a": 1, "b": 2}, {"b": 2}, id="upstream removed"),
        pytest.param({"a": 1}, {}, {"a": 3}, {}, id="upstream removed what local changed"),
        pytest.param({"a": 1}, {"a": 1}, {}, {}, id="local removed"),
        pytest.param({"a": 1}, {"a": 2}, {}, {"a": 2}, id="upstream changed what local removed"),
        pytest.param({}, {"a": {"b": 1}}, {}, {"a": {"b": 1}}, id="upstream added a mapping"),
        pytest.param({"a": 1}, {"a": None}, {"a": 1}, {"a": None}, id="null upstream"),
        pytest.param({"a": 1}, {"a": 1}, {"a": None}, {"a": None}, id="null locally stays"),
        pytest.param({"a": None}, {"a": None}, {"a": 1}, {"a": 1}, id="set locally where the base has null"),
        pytest.param({"a": None}, {"a": None}, {"a": {"b": 1}}, {"a": {"b": 1}}, id="a mapping set there"),
        pytest.param({"a": None}, {"a": None}, {"a": [1]}, {"a": [1]}, id="a list set there"),
        pytest.param({"a": None}, {"a": 2}, {"a": None}, {"a": 2}, id="set upstream where the base has null"),
        pytest.param({"a": None}, {"a": {"b": 1}}, {"a": None}, {"a": {"b": 1}}, id="a mapping set upstream"),
        pytest.param(
            {"a": {"b": 1}}, {"a": None}, {"a": {"b": 1}}, {"a": None}, id="a mapping made null upstream"
        ),
        pytest.param(
            {"a": {"b": 1}}, {"a": {"b": 1}}, {"a": None}, {"a": None}, id="a mapping made null stays"
        ),
        pytest.param({"a": 1}, {"a": {"b": 1}}, {"a": 1}, {"a": {"b": 1}}, id="upstream changed the kind"),
        pytest.param({"a": 1}, {"a": 1}, {"a": {"b": 1}}, {"a": {"b": 1}}, id="local changed the kind"),
        pytest.param({"a": 1}, {"a": "1"}, {"a": 1}, {"a": "1"}, id="a change of type is a change"),
        pytest.param(
            {"a": [1]}, {"a": [1, 2]}, {"a": [0, 1]}, {"a": [1, 2]}, id="a plain list is taken whole"
        ),
        pytest.param({"a": {"x": 1}}, {}, {"a": {"x": 1}}, {}, id="upstream removed a mapping"),
    ],
)
def test_fields(base: Any, upstream: Any, local: Any, expected: Any) -> None:
    """Upstream's change wins over the base; what upstream left alone stays as it is locally."""
    assert merge(base, upstream, local).value == expected


def _pod(*containers: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"containers": list(containers)}}


@pytest.mark.parametrize(
    ("base", "upstream", "local", "expected"),
    [
        pytest.param(
            [{"name": "a"}],
            [{"name": "a"}, {"name": "u"}],
            [{"name": "a"}, {"name": "l"}],
            [{"name": "a"}, {"name": "l"}, {"name": "u"}],
            id="additions on both sides: local first",
        ),
        pytest.param(
            [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}],
            [{"name": "b", "image": "2"}],
            [{"name": "b", "image": "1", "args": ["x"]}, {"name": "a", "image": "1"}],
            [{"name": "b", "image": "2", "args": ["x"]}],
            id="elements go by name, not by place",
        ),
        pytest.param(
            [{"name": "a", "image": "1"}],
            [],
            [{"name": "a", "image": "1", "tty": True}],
            [],
            id="an element deleted upstream and changed locally: upstream wins",
        ),
    ],
)
def test_associative_lists(base: Any, upstream: Any, local: Any, expected: Any) -> None:
    """Containers of a Pod are merged by name."""
    merged = merge(_pod(*base), _pod(*upstream), _pod(*local), schema_of("v1", "Pod"))

    assert merged.value == _pod(*expected)


def test_two_keys() -> None:
    """Ports of a Service go by port and protocol."""
    schema = schema_of("v1", "Service")
    tcp, udp = {"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}

    merged = merge(
        {"spec": {"ports": [tcp]}}, {"spec": {"ports": [tcp, udp]}}, {"spec": {"ports": [tcp]}}, schema
    )

    assert merged.value == {"spec": {"ports": [tcp, udp]}}


def test_elements_that_lack_one_of_two_keys() -> None:
    """A port that loses its protocol upstream is not lost, and the others keep their places (kpt deletes it: docs/fleet.md)."""
    schema = schema_of("v1", "Service")
    tcp, other = {"port": 53, "protocol": "TCP"}, {"port": 80}

    merged = merge(
        {"spec": {"ports": [tcp, other]}},
        {"spec": {"ports": [{"port": 53}, other]}},
        {"spec": {"ports": [tcp, other | {"name": "web"}]}},
        schema,
    )

    assert merged.value == {"spec": {"ports": [other | {"name": "web"}, {"port": 53}]}}


def test_conflicts_hold_all_versions() -> None:
    """A field that both sides changed is reported with its path and all values."""
    merged = merge({"s": {"n": 1, "m": 1}}, {"s": {"n": 2, "m": 2}}, {"s": {"n": 3, "m": 2}})

    (conflict,) = merged.conflicts
    assert conflict.path == ("s", "n")
    assert (conflict.base, conflict.upstream, conflict.local, conflict.merged) == (1, 2, 3, 2)


def test_deletion_of_a_changed_field_is_a_conflict() -> None:
    """Upstream deletes what local changed: upstream wins, and the report says what was lost."""
    (conflict,) = merge({"a": 1}, {}, {"a": 2}).conflicts

    assert conflict.local == 2 and conflict.merged is MISSING


LOSSES = {
    "scalar": (1, 2, 3),
    "null upstream": ({"b": 1}, None, {"b": 2}),
    "another kind": (1, {"b": 1}, [1]),
    "added on both sides": (MISSING, {"b": 1}, [1]),
}


@pytest.mark.parametrize(("base", "upstream", "local"), list(LOSSES.values()), ids=list(LOSSES))
def test_what_is_lost_is_named(base: Any, upstream: Any, local: Any) -> None:
    """Of two changes one is taken, upstream's or the local one as asked for, and the conflict has both."""
    old, new, here = ({} if value is MISSING else {"a": value} for value in (base, upstream, local))
    ours, theirs = merge(old, new, here), merge(old, new, here, prefer=LOCAL)

    assert [(one.path, one.upstream, one.local) for one in ours.conflicts] == [(("a",), upstream, local)]
    assert ours.value == {"a": upstream} and theirs.value == {"a": local}
    assert len(theirs.conflicts) == 1


def test_elements_that_share_their_keys() -> None:
    """A list in which a key occurs twice is taken whole: none of its elements is dropped."""
    twice = [{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]
    schema = schema_of("v1", "Pod")
    merged = merge(
        _pod({"name": "c", "env": twice[:1]}), _pod({"name": "c", "env": twice}), _pod({"name": "c", "env": twice[:1]}), schema
    )  # fmt: skip

    assert merged.value == _pod({"name": "c", "env": twice})


@pytest.mark.parametrize("side", ["upstream", "locally"])
def test_an_element_that_one_side_deleted_and_the_other_changed(side: str) -> None:
    """It goes or stays whole, as one conflict: a container without an image works nowhere."""
    schema = schema_of("v1", "Pod")
    kept = {"name": "k", "image": "1"}
    base = _pod(kept, {"name": "a", "image": "1", "args": ["x"]})
    without, changed = _pod(kept), _pod(kept, {"name": "a", "image": "2", "args": ["x"]})
    new, here = (without, changed) if side == "upstream" else (changed, without)
    merged, ours = merge(base, new, here, schema), merge(base, new, here, schema, prefer=LOCAL)

    assert [one.path for one in merged.conflicts] == [("spec", "containers", "[a]")]
    assert merged.value == new and ours.value == here


def test_texts_are_merged_as_the_caller_says() -> None:
    """Only those that both sides changed are handed over; conflicts inside get the path of the text."""

    def joined(path: tuple[str, ...], base: str, upstream: str, local: str) -> MergedValue:
        assert (path, base) == (("data", "a"), "0")
        return MergedValue(upstream + local, merge({"x": 1}, {"x": 2}, {"x": 3}).conflicts)

    merged = merge(
        {"data": {"a": "0", "b": "0"}}, {"data": {"a": "1", "b": "1"}}, {"data": {"a": "2", "b": "0"}}, texts=joined
    )  # fmt: skip

    assert merged.value == {"data": {"a": "12", "b": "1"}}
    assert [one.path for one in merged.conflicts] == [("data", "a", "x")]


def test_inferred_keys_that_differ() -> None:
    """Where the versions have no key in common, the list is taken whole."""
    assert merge({}, {"x": [{"name": "a"}]}, {"x": [{"ip": "1"}]}, infer=True).value == {"x": [{"name": "a"}]}


def test_inferred_keys_tell_elements_apart() -> None:
    """A key that two elements share, such as `type`, gives way to the next one."""
    base = [{"type": "oci", "name": "a", "tag": 1}, {"type": "oci", "name": "b", "tag": 1}]
    upstream = [base[0], {**base[1], "tag": 2}]
    local = [{**base[0], "tag": 3}, base[1]]
    assert merge(base, upstream, local, infer=True) == MergedValue([local[0], upstream[1]])


def test_the_one_element_of_a_list() -> None:
    """Terraform wraps a list in a list of one mapping."""
    base, upstream, local = ([{"variable": {"a": a, "b": b}}] for a, b in ((1, 1), (2, 1), (1, 2)))
    assert merge(base, upstream, local, infer=True) == MergedValue([{"variable": {"a": 2, "b": 2}}])


@pytest.mark.parametrize(
    ("base", "upstream", "local", "merged"),
    [
        ("ab", "ba", "abx", "bxa"),
        ("abc", "axbc", "abc2", "axbc2"),
        ("abc", "bc", "xabc", "xbc"),
    ],
)
def test_ordered(base: str, upstream: str, local: str, merged: str) -> None:
    """Elements that upstream moved move, unless local moved some; kpt keeps the local order."""

    def elements(names: str, field: int) -> list[dict[str, Any]]:
        return [{"name": name, "side": field if name == "a" else 0} for name in names]

    versions = elements(base, 0), elements(upstream, 1), elements(local, 0)
    made = merge(*versions, infer=True, ordered=True).value
    assert "".join(one["name"] for one in made) == merged


@pytest.mark.parametrize(("prefer", "order"), [(UPSTREAM, "cab"), (LOCAL, "acb")])
def test_both_sides_move_elements(prefer: str, order: str) -> None:
    """Differently: that is a conflict; the same move is none."""
    base, upstream, local = ([{"name": name} for name in names] for names in ("abc", "cab", "acb"))
    made = merge({"x": base}, {"x": upstream}, {"x": local}, infer=True, ordered=True, prefer=prefer)
    assert "".join(one["name"] for one in made.value["x"]) == order
    assert [one.path for one in made.conflicts] == [("x",)]
    longer = [*upstream, {"name": "d"}]
    assert not merge(base, upstream, longer, infer=True, ordered=True).conflicts


@pytest.mark.parametrize(
    ("api_version", "kind", "path", "keys"),
    [
        ("apps/v1", "Deployment", ("metadata", "ownerReferences"), ("uid",)),
        ("apps/v1", "Deployment", ("status", "conditions"), ("type",)),
        ("v1", "Pod", ("spec", "containers"), ("name",)),
        ("v1", "Pod", ("spec", "hostAliases"), ("ip",)),
        ("v1", "Pod", ("spec", "imagePullSecrets"), ("name",)),
        ("v1", "Pod", ("spec", "resourceClaims"), ("name",)),
        ("v1", "Pod", ("spec", "schedulingGates"), ("name",)),
        ("v1", "Pod", ("spec", "topologySpreadConstraints"), ("topologyKey", "whenUnsatisfiable")),
        ("v1", "Pod", ("spec", "volumes"), ("name",)),
    ],
)
def test_keys_of_lists(api_version: str, kind: str, path: tuple[str, str], keys: tuple[str, ...]) -> None:
    """As Kubernetes merges these lists."""
    schema = schema_of(api_version, kind)
    for step in path:
        assert schema is not None
        schema = schema.field(step)

    assert schema is not None and schema.keys == keys


PLAIN = """
v1 ConfigMap Secret Endpoints LimitRange PersistentVolume ResourceQuota Namespace Node PersistentVolumeClaim
v1 PodTemplate ServiceAccount ReplicationController
apps/v1 Deployment DaemonSet ReplicaSet StatefulSet
batch/v1 Job CronJob
policy/v1 PodDisruptionBudget
rbac.authorization.k8s.io/v1 ClusterRole ClusterRoleBinding Role RoleBinding
networking.k8s.io/v1 Ingress IngressClass NetworkPolicy
storage.k8s.io/v1 StorageClass
autoscaling/v1 HorizontalPodAutoscaler
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration ValidatingWebhookConfiguration
"""


def test_owners_of_every_kind() -> None:
    """Built-in kinds have theirs by uid; a kind of the same name in another group is unknown."""
    for line in PLAIN.strip().splitlines():
        api_version, *kinds = line.split()
        for kind in kinds:
            schema = schema_of(api_version, kind)
            metadata = schema.field("metadata") if schema is not None else None
            owners = metadata.field("ownerReferences") if metadata is not None else None
            assert owners is not None and owners.keys == ("uid",), f"{api_version} {kind}"
            assert schema_of("example.com/v1", kind) is None


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("env", ("name",)),
        ("ports", ("containerPort", "protocol")),
        ("volumeDevices", ("devicePath",)),
        ("volumeMounts", ("mountPath",)),
    ],
)
def test_keys_in_containers(name: str, keys: tuple[str, ...]) -> None:
    """In containers of all sorts, also those of a workload's template."""
    for api_version, kind, place in (
        ("v1", "Pod", ("spec",)),
        ("apps/v1", "Deployment", ("spec", "template", "spec")),
    ):
        for containers in ("containers", "initContainers", "ephemeralContainers"):
            schema = schema_of(api_version, kind)
            for step in (*place, containers):
                schema = schema.field(step) if schema is not None else None
            element = schema.element if schema is not None else None
            found = element.field(name) if element is not None else None
            assert found is not None and found.keys == keys, (kind, containers)


@pytest.mark.parametrize("prefer", [UPSTREAM, LOCAL])
@pytest.mark.parametrize("base", [1, {"b": 1}, MISSING], ids=["scalar", "mapping", "absent"])
def test_a_local_null_clears(base: Any, prefer: str) -> None:
    """As in kpt, whatever upstream has; its change is named. Where the base has null too, upstream's value comes."""
    old = {} if base is MISSING else {"a": base}
    merged = merge(old, {"a": 2}, {"a": None}, prefer=prefer)

    assert merged.value == {"a": None}
    assert [(one.path, one.upstream, one.merged) for one in merged.conflicts] == [(("a",), 2, None)]
    assert merge({"a": None}, {"a": 2}, {"a": None}, prefer=prefer) == MergedValue({"a": 2})
