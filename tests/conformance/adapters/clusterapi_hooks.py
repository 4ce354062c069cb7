"""Runtime hooks: ExtensionConfig, discovery and addresses, judged by the code of the client."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from krmkit.services.extension.client import HttpCaller
from krmkit.services.extension.live import LiveExtensions, Recorder
from krmkit.systems.clusterapi.api.errors import TopologyError
from krmkit.systems.clusterapi.hooks.discovery import validate_discovery
from krmkit.systems.clusterapi.hooks.extensionconfig import hook_path, validate_extension_config
from krmkit.systems.clusterapi.hooks.extensionitems import PackageExtensions
from krmkit.systems.clusterapi.model.extensions import GENERATE_PATCHES, HOOKS_VERSION, NoExtensions

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
        extensions.call(GENERATE_PATCHES, "extension.x", {})
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
    """The URL that the client calls, for the extension's address in the config; a config without one is refused."""
    data = record["input"]
    config = data["clientConfig"]
    errors = validate_extension_config({"metadata": {"name": "extension"}, "spec": {"clientConfig": config}})
    if "expect_error" in record:
        return any("clientConfig" in error.field for error in errors), f"the config has {errors}"
    service = config.get("service")
    address = str(config.get("url"))
    if service:
        port = f":{service['port']}" if service.get("port") else ""
        address = f"https://{service['name']}.{service['namespace']}.svc{port}/{service.get('path', '').lstrip('/')}"
    called = CalledUrl(address.rstrip("/"))
    called.call(hook_path(data["group"], data["version"], data["hook"], data["handler"]), b"{}", 10.0)
    return called.url == record["expect"], f"calls {called.url}"


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
