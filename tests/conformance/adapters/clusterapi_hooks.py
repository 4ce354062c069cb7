"""Runtime hooks: ExtensionConfig, discovery and addresses, judged by the code of the client."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from krmkit.clusterapi.api.errors import TopologyError
from krmkit.clusterapi.hooks.discovery import validate_discovery
from krmkit.clusterapi.hooks.extensionconfig import extension_url, hook_path, validate_extension_config
from krmkit.clusterapi.hooks.extensionitems import PackageExtensions
from krmkit.clusterapi.hooks.extensions import GENERATE_PATCHES, HOOKS_VERSION, NoExtensions
from krmkit.go.urls import Url
from krmkit.services.extension.client import HttpCaller
from krmkit.services.extension.live import LiveExtensions, Recorder

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]


def extension_config(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    errors = validate_extension_config(data["extensionConfig"], data["runtimeSDK"])
    return bool(errors) == ("expect_error" in record), f"finds {[str(error) for error in errors]}"


def runtime_discovery(record: Record, folder: Path) -> tuple[bool, str]:
    """By the rules, and by a client that calls an extension which answers so."""
    data = record["input"]
    problems = validate_discovery(data["response"], data["knownHooks"])
    if bool(problems) != ("expect_error" in record):
        return False, f"finds {problems}"
    response = {**data["response"], "status": "Success"}
    for handler in response["handlers"]:
        asked = handler["requestHook"]
        if f"{asked['apiVersion']}/{asked['hook']}" in data["knownHooks"]:
            handler["requestHook"] = {"apiVersion": HOOKS_VERSION, "hook": GENERATE_PATCHES}
    extensions = LiveExtensions({"x": Answers(response)}, PackageExtensions(NoExtensions()), Recorder())
    try:
        extensions.generate_patches("extension.x", {})
    except TopologyError as error:
        return "expect_error" in record and "failed to discover" in str(error), f"fails: {error}"
    return "expect_error" not in record, "is called"


class Answers:
    """An extension with this DiscoveryResponse, whose handlers change nothing."""

    def __init__(self, discovery: Record) -> None:
        self._discovery = discovery

    def call(self, path: str, body: bytes, seconds: float) -> bytes:
        return json.dumps(self._discovery if path.endswith("/discovery") else {"status": "Success"}).encode()


def runtime_url(record: Record, folder: Path) -> tuple[bool, str]:
    """What the config says, and where the client calls with that as the extension's address."""
    data = record["input"]
    path = hook_path(data["group"], data["version"], data["hook"], data["handler"])
    try:
        url = Url.parse(extension_url(data["clientConfig"], path))
        called = CalledUrl(extension_url(data["clientConfig"], ""))
    except TopologyError as error:
        return "expect_error" in record, f"fails: {error}"
    called.call(path, b"{}", 10.0)
    found = {"scheme": url.scheme, "host": url.host, "path": url.path}
    return found == called.url == record.get("expect"), f"gives {found}, calls {called.url}"


class CalledUrl(HttpCaller):
    """A caller whose connections only keep what they are asked for."""

    url: Record

    def _connection(self, seconds: float) -> HTTPConnection:
        real = super()._connection(seconds)
        keep = self

        class Kept(HTTPConnection):
            def connect(self) -> None:
                """The hosts of the records are not there."""

            def request(self, method: str, url: str, *rest: Any, **more: Any) -> None:
                scheme = "https" if isinstance(real, HTTPSConnection) else "http"
                host = real.host if real.port == real.default_port else f"{real.host}:{real.port}"
                keep.url = {"scheme": scheme, "host": host, "path": url.partition("?")[0]}

            def getresponse(self) -> Any:
                answer = SimpleNamespace(status=200)
                answer.read = lambda size: b"{}"
                return answer

        return Kept(real.host)


FILES: dict[str, Judge] = {
    "extension_config.jsonl": extension_config,
    "runtime_discovery.jsonl": runtime_discovery,
    "runtime_url.jsonl": runtime_url,
}
