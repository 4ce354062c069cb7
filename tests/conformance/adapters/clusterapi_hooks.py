"""Runtime hooks: ExtensionConfig, discovery and addresses, judged by the code of the client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from krmkit.clusterapi.errors import TopologyError
from krmkit.clusterapi.hooks.discovery import validate_discovery
from krmkit.clusterapi.hooks.extensionconfig import extension_url, hook_path, validate_extension_config
from krmkit.lang.sprig.urls import Url

Record = dict[str, Any]
Judge = Callable[[Record, Path], tuple[bool, str]]


def extension_config(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    errors = validate_extension_config(data["extensionConfig"], data["runtimeSDK"])
    return bool(errors) == ("expect_error" in record), f"finds {[str(error) for error in errors]}"


def runtime_discovery(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    problems = validate_discovery(data["response"], data["knownHooks"])
    return bool(problems) == ("expect_error" in record), f"finds {problems}"


def runtime_url(record: Record, folder: Path) -> tuple[bool, str]:
    data = record["input"]
    path = hook_path(data["group"], data["version"], data["hook"], data["handler"])
    try:
        url = Url.parse(extension_url(data["clientConfig"], path))
    except TopologyError as error:
        return "expect_error" in record, f"fails: {error}"
    found = {"scheme": url.scheme, "host": url.host, "path": url.path}
    return found == record.get("expect"), f"gives {found}"


FILES: dict[str, Judge] = {
    "extension_config.jsonl": extension_config,
    "runtime_discovery.jsonl": runtime_discovery,
    "runtime_url.jsonl": runtime_url,
}
