"""krmkit.krm.apart: several processes work on a large list as one does."""

from __future__ import annotations

import os

import pytest

from krmkit.fn import loader
from krmkit.fn.run import Outcome, RunOptions, run
from krmkit.krm import apart as module
from krmkit.krm.apart import apart
from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.krm.resourcelist import ResourceList
from krmkit.libraries.yaml import effort
from tests.bench.bench_everyday import FUNCTIONS
from tests.bench.bench_packs import pack_list

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
ITEM = "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: c{0}}} # kpt-set: x\n  data:\n    a: 'x' # kpt-set: ${{tag}}\n"
FLOW = "- {{apiVersion: v1, kind: Service, metadata: {{name: s{0}, labels: {{a: b}}}}}}\n"
POD = "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p{0}\n  spec:\n    containers:\n    - image: nginx:1 # kpt-set: nginx:${{tag}}\n"


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEWEST", 3)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2}, raising=False)


def listed(count: int, config: str = "") -> str:
    return HEAD + "".join((ITEM, FLOW, POD)[number % 3].format(number) for number in range(count)) + config


def outcome(name: str, text: str, jobs: int) -> Outcome:
    options = RunOptions()
    options.jobs = jobs
    function = loader.load(name)
    return run(function.definition, function.process, text, options)


def own_process(item: Resource) -> int:
    return os.getpid()


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "apply-replacements"])
@pytest.mark.parametrize("end", ["", POD.format(1).replace("[", "").replace("    - image", "      image")])
def test_same_output(name: str, end: str) -> None:
    """Bytes, results and exit code are those of one process, also where an item is refused."""
    text = listed(20) + end + FUNCTIONS[name][0]
    one, several = outcome(name, text, 1), outcome(name, text, 0)
    assert (several.stdout, several.stderr, several.exit_code) == (one.stdout, one.stderr, one.exit_code)


@pytest.mark.parametrize("stale", ["", "      - {pack: edge-agent-7, presets: [Logging:quiet-as-a-mouse]}\n"])
def test_packs(stale: str) -> None:
    """Packs get the same values, and findings of the same places, from several processes."""
    text = pack_list("apply-presets", 20) + stale
    one, several = outcome("apply-presets", text, 1), outcome("apply-presets", text, 0)
    assert one.stdout != text
    assert (several.stdout, several.stderr, several.exit_code) == (one.stdout, one.stderr, one.exit_code)


def test_processes() -> None:
    """Each share has a process; the answers are in the order of the list."""
    resources = ResourceList.parse(listed(9))
    resources.jobs = 0
    found = apart(resources, resources.items, own_process)
    assert (len(set(found)), found[0]) == (3, os.getpid())
    assert apart(resources, resources.items, lambda item: item.name) == [item.name for item in resources]


@pytest.mark.parametrize("forks", [0, 1])
def test_no_process_left(monkeypatch: pytest.MonkeyPatch, forks: int) -> None:
    """Where the system refuses a further process, this one does all of the work, and keeps no pipe open."""
    left, fork = [None] * forks, os.fork

    def refused() -> int:
        if not left:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        left.pop()
        return fork()

    text = listed(20) + FUNCTIONS["set-labels"][0]
    one = outcome("set-labels", text, 1)
    monkeypatch.setattr(os, "fork", refused)
    before = len(os.listdir("/dev/fd"))

    several = outcome("set-labels", text, 0)

    assert (several.stdout, several.stderr, several.exit_code) == (one.stdout, one.stderr, one.exit_code)
    assert len(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize("why", ["jobs", "few", "anchors"])
def test_one_process(why: str) -> None:
    """One process works where it was told to, on few items, and where an alias ties items to each other."""
    text = listed(5 if why == "few" else 9) + ("- a: &x 1\n" if why == "anchors" else "")
    resources = ResourceList.parse(text)
    resources.jobs = 1 if why == "jobs" else 0
    assert set(apart(resources, resources.items, own_process)) == {os.getpid()}


def test_errors_are_those_of_one_process() -> None:
    """What a process cannot do is done here again, and raises here; the first error of the list wins."""

    def work(item: Resource) -> str:
        if item.name in ("s7", "s4"):
            raise Refused(f"{item.name} is odd")
        return item.name

    resources = ResourceList.parse(listed(9))
    resources.jobs = 3
    with pytest.raises(Refused, match="s4 is odd"):
        apart(resources, resources.items, work)


def test_effort_is_counted() -> None:
    """The steps of all processes draw on one budget."""
    resources = ResourceList.parse(listed(9))
    resources.jobs = 3
    assert effort.begin(100)
    try:
        apart(resources, resources.items, lambda item: effort.charge(10))
        assert effort.left() == 10
        with pytest.raises(effort.EffortError):
            apart(resources, resources.items, lambda item: effort.charge(2))
    finally:
        effort.end()
