"""Callers: which addresses they take, what a failure policy covers, and programs that answer."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from krmkit.krm.errors import Refused
from krmkit.krm.resource import Resource
from krmkit.libraries.json import Object
from krmkit.services.extension import client
from krmkit.services.extension.client import CallError, ExecCaller, HttpCaller, caller
from krmkit.services.extension.live import LiveExtensions, Recorder
from krmkit.systems.clusterapi.api.collection import collect
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.hooks.extensionitems import PackageExtensions, package_extensions
from krmkit.systems.clusterapi.model.extensions import DISCOVER_VARIABLES, GENERATE_PATCHES, NoExtensions
from tests.programs import python, shell
from tests.waiting import MOST, until

API = "hooks.runtime.cluster.x-k8s.io/v1alpha1"
PROGRAM = """
import json, sys
request = json.load(sys.stdin)
hook = sys.argv[1]
if hook == "discovery":
    handlers = [{"name": "g", "requestHook": {"apiVersion": request["apiVersion"], "hook": "GeneratePatches"}}]
    print(json.dumps({"status": "Success", "handlers": handlers}))
else:
    items = [{"uid": one["uid"], "patchType": "JSONPatch", "patch": "W10="} for one in request["items"]]
    print(json.dumps({"status": "Success", "items": items, "message": " ".join(sys.argv[1:])}))
"""


class Fake:
    """Answers discovery with one handler, and every other call with what it is given."""

    def __init__(self, answer: Any, **handler: Any) -> None:
        self._answer = answer
        self._handler = {
            "name": "g",
            "requestHook": {"apiVersion": API, "hook": "GeneratePatches"},
            **handler,
        }
        self.seconds: list[float] = []
        self.settings: list[Any] = []

    def call(self, path: str, body: bytes, seconds: float) -> bytes:
        if path.endswith("/discovery"):
            return json.dumps({"status": "Success", "handlers": [self._handler]}).encode()
        self.seconds.append(seconds)
        self.settings.append(json.loads(body).get("settings"))
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer if isinstance(self._answer, bytes) else json.dumps(self._answer).encode()


def config(**spec: Any) -> Object:
    service = {"service": {"name": "ext", "namespace": "system"}}
    return {
        "apiVersion": "runtime.cluster.x-k8s.io/v1beta2",
        "kind": "ExtensionConfig",
        "metadata": {"name": "x"},
        "spec": {"clientConfig": service, **spec},
    }


def beside(fake: Any, *items: Object) -> tuple[LiveExtensions, Recorder]:
    """The extension x beside items of a package."""
    package, findings = package_extensions(collect(Resource.from_data(one) for one in items))
    recorder = Recorder()
    assert findings == []
    return LiveExtensions({"x": fake}, package, recorder), recorder


def for_cluster(namespace: str, **settings: str) -> Object:
    items = [{"uid": "1", "holderReference": {"kind": "Cluster", "namespace": namespace, "name": "c"}}]
    return {"settings": settings, "items": items} if settings else {"items": items}


def live(fake: Any) -> LiveExtensions:
    return LiveExtensions({"x": fake}, PackageExtensions(NoExtensions()), Recorder())


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://example.com", "must be https; http is for loopback addresses only"),
        ("ftp://localhost", "must be https://HOST"),
        ("https://", "must be https://HOST"),
        ("https://host:port", "Port could not be cast"),
        ("exec:", "must name a program"),
        ("exec:run 'it", "No closing quotation"),
        ("https://me:secret@localhost", "^the address must have neither user"),
        ("https://localhost/x?y=1", "nor query"),
        ("https://localhost/#x", "nor fragment"),
    ],
)
def test_addresses_that_are_refused(address: str, message: str) -> None:
    """The message says what would be right."""
    with pytest.raises(Refused, match=message):
        caller(address)


def test_a_key_without_its_certificate() -> None:
    """Left out in silence, it would look as if the server knew the client."""
    with pytest.raises(Refused, match="--client-key needs --client-cert"):
        HttpCaller("https://localhost", key="client.key")


@pytest.mark.parametrize(
    "address", ["http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1", "https://localhost:1"]
)
def test_nobody_listens(address: str) -> None:
    """A connection that is refused is a transport error."""
    with pytest.raises(CallError, match="failed to make the http call"):
        HttpCaller(address).call("/x", b"{}", 2)


@pytest.mark.parametrize(
    "head", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n"]
)
def test_an_answer_that_drips(head: bytes) -> None:
    """The time is for the whole call, as in Go's client, however often a few bytes come."""
    ended = threading.Event()

    def drip() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(head)
            while not ended.wait(0.05):
                connection.sendall(b" ")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=drip)
        server.start()
        stop = threading.Timer(MOST, ended.set)  # a call without an end fails the test
        stop.start()
        try:
            with pytest.raises(CallError, match=r"it took longer than 0\.3 s"):
                HttpCaller(f"http://127.0.0.1:{listener.getsockname()[1]}").call("/x", b"{}", 0.3)
        finally:
            stop.cancel()
            ended.set()
            server.join()


def test_the_time_is_over_before_there_is_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is looked up slowly takes its time from the call, and does not take the limit away."""
    connect = socket.create_connection

    def late(*given: Any) -> socket.socket:
        until(lambda: not any(isinstance(one, threading.Timer) for one in threading.enumerate()))
        return connect(*given)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(socket, "create_connection", late)
        with pytest.raises(CallError, match=r"it took longer than 0\.1 s"):
            HttpCaller(f"http://127.0.0.1:{listener.getsockname()[1]}").call("/x", b"{}", 0.1)
        listener.settimeout(MOST)
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.recv(1) == b"", "a request was sent after its time"


def test_the_timeout_of_the_socket_is_over_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says the same as the limit of the whole call, which has the same time."""
    monkeypatch.setattr(client._Limit, "start", lambda _: None)

    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(CallError, match=r"it took longer than 0\.1 s"),
    ):
        HttpCaller(f"http://127.0.0.1:{silent.getsockname()[1]}").call("/x", b"{}", 0.1)


def test_a_program(tmp_path: Path) -> None:
    """The request on stdin, hook and handler as arguments."""
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    extensions = live(ExecCaller(python(tmp_path / "program.py")))

    answer = extensions.call(GENERATE_PATCHES, "g.x", {"items": [{"uid": "1"}]})

    assert answer["items"] == [{"uid": "1", "patchType": "JSONPatch", "patch": []}]
    assert answer["message"] == "generatepatches g"
    with pytest.raises(CallError, match="exit code 3"):
        ExecCaller(python("-c", "raise SystemExit(3)")).call("/a", b"", 5)
    with pytest.raises(CallError, match="took longer"):
        ExecCaller(python("-c", "import time; time.sleep(9)")).call("/a", b"", 0.2)


def test_a_program_that_never_stops_writing(tmp_path: Path) -> None:
    """It is ended with all that it started as soon as the answer is too long, not when memory is."""
    marker = tmp_path / "child"
    (tmp_path / "loud.sh").write_text(f"sleep 97 & echo $! > {shell(marker)}; exec yes\n", "utf-8")

    with pytest.raises(CallError, match=r"sh: the answer must have at most 20971520 bytes"):
        ExecCaller(shell("sh", tmp_path / "loud.sh")).call("/a", b"{}", 60)

    def alive() -> bool:
        found = subprocess.run(
            ["ps", "-o", "stat=", "-p", marker.read_text("utf-8").strip()], capture_output=True, check=False
        )
        return bool(found.stdout.strip()) and not found.stdout.startswith(b"Z")

    until(lambda: not alive())


@pytest.mark.parametrize("answer", [CallError("no route"), b"<html>", b"[]", b'{"status": ["Success"]}'])
def test_failure_policy(answer: Any) -> None:
    """Ignore makes an empty success of transport errors and of what cannot be decoded; Fail does not."""
    assert live(Fake(answer, failurePolicy="Ignore")).call(GENERATE_PATCHES, "g.x", {}) == {
        "status": "Success"
    }
    with pytest.raises(TopologyError, match="failed to call extension handler"):
        live(Fake(answer)).call(GENERATE_PATCHES, "g.x", {})


def test_ignored_calls_are_told() -> None:
    """Once for each reason; else a plan would show what the missing patches undo, and not why."""
    recorder = Recorder()
    fake = Fake(CallError("no route"), failurePolicy="Ignore")
    extensions = LiveExtensions({"x": fake}, PackageExtensions(NoExtensions()), recorder)

    for _ in range(2):
        extensions.call(GENERATE_PATCHES, "g.x", {})

    assert recorder.ignored == [
        'failed to call extension handler "g.x": no route; its failurePolicy is Ignore, so it counts as an empty answer'
    ]


def test_failures_are_not_ignored() -> None:
    """A handler's own failure stays one, whatever the policy."""
    failure = {"status": "Failure", "message": "no"}

    assert (
        live(Fake(failure, failurePolicy="Ignore")).call(GENERATE_PATCHES, "g.x", {})["status"] == "Failure"
    )


def test_timeouts() -> None:
    """What discovery says, or ten seconds."""
    for handler, seconds in (({}, 10.0), ({"timeoutSeconds": 3}, 3.0), ({"timeoutSeconds": 0}, 10.0)):
        fake = Fake({"status": "Success"}, **handler)
        live(fake).call(GENERATE_PATCHES, "g.x", {})

        assert fake.seconds == [seconds]


@pytest.mark.parametrize(
    ("handler", "message"),
    [("h.x", 'has no handler "h" for GeneratePatches'), ("g.y", "no answer to GeneratePatches")],
)
def test_unknown_handlers(handler: str, message: str) -> None:
    """A handler that discovery does not name, and an extension that is not given."""
    with pytest.raises(TopologyError, match=message):
        live(Fake({})).call(GENERATE_PATCHES, handler, {})


def test_a_patch_that_is_no_base64() -> None:
    """It is an error of the extension, not a traceback."""
    fake = Fake({"status": "Success", "items": [{"uid": "1", "patch": "[{]"}]})

    with pytest.raises(TopologyError, match="patch must be base64 of JSON"):
        live(fake).call(GENERATE_PATCHES, "g.x", {})


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (1, "items must be a list of maps"),
        ([1], "items must be a list of maps"),
        ([{"uid": "1", "patch": [1]}], r"items\[0\].patch must be base64"),
    ],
)
def test_items_that_go_cannot_decode(items: Any, message: str) -> None:
    """They are what a failure policy covers, as all that cannot be decoded."""
    fake = Fake({"status": "Success", "items": items})
    ignoring = Fake({"status": "Success", "items": items}, failurePolicy="Ignore")

    with pytest.raises(TopologyError, match=f"failed to decode response: {message}"):
        live(fake).call(GENERATE_PATCHES, "g.x", {})
    assert live(ignoring).call(GENERATE_PATCHES, "g.x", {}) == {"status": "Success"}


def test_settings_of_an_extension_config() -> None:
    """They lie below those of the request, go over the wire, and are part of what is recorded."""
    fake = Fake({"status": "Success"})
    extensions, recorder = beside(fake, config(settings={"a": "1", "b": "1"}))

    extensions.call(GENERATE_PATCHES, "g.x", for_cluster("ns", b="2"))

    assert fake.settings == [{"a": "1", "b": "2"}]
    assert [one["request"]["settings"] for one in recorder.responses] == [{"a": "1", "b": "2"}]


def test_namespaces_that_an_extension_config_leaves_out() -> None:
    """The extension is not called for them; labels are those of the Namespaces among the items."""
    fake = Fake({"status": "Success"})
    labels = {"team": "a"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "in", "labels": labels}}
    extensions, _ = beside(fake, config(namespaceSelector={"matchLabels": labels}), namespace)

    extensions.call(GENERATE_PATCHES, "g.x", for_cluster("in"))
    with pytest.raises(TopologyError, match="namespaceSelector did not match object out/c"):
        extensions.call(GENERATE_PATCHES, "g.x", for_cluster("out"))
    with pytest.raises(TopologyError, match="namespaceSelector did not match object out/class"):
        extensions.call(DISCOVER_VARIABLES, "g.x", {}, "out/class")

    assert len(fake.seconds) == 1


def test_variables_are_discovered_once_for_the_same_settings() -> None:
    """Other settings are another call; the ExtensionConfig's count, too."""
    fake = Fake(
        {"status": "Success", "variables": []}, requestHook={"apiVersion": API, "hook": "DiscoverVariables"}
    )
    extensions, _ = beside(fake, config(settings={"a": "1"}))

    for settings in ({}, {"a": "1"}, {"a": "2"}, {}):
        extensions.call(DISCOVER_VARIABLES, "g.x", {"settings": settings}, "ns/class")

    assert fake.settings == [{"a": "1"}, {"a": "2"}]
