"""Check an ExtensionConfig as its webhook does, and make the path of a hook.

Source: core/webhooks/admission/extensionconfig.go and internal/runtime/client/client.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krmkit.libraries.go.errors import GoInputError
from krmkit.libraries.go.fmt.printing import quote
from krmkit.libraries.go.net.url import Url
from krmkit.libraries.json import Object
from krmkit.libraries.kube.fielderror import FieldError, child, forbidden, invalid, required
from krmkit.libraries.kube.names import is_dns1123_label
from krmkit.libraries.kube.selectors import parse_selector
from krmkit.libraries.messages.nearest import did_you_mean
from krmkit.libraries.schema.fields import find, mapping
from krmkit.systems.clusterapi.api.errors import TopologyError

GROUP = "runtime.cluster.x-k8s.io"
KIND = "ExtensionConfig"
HIGHEST_PORT = 65535
_CLIENT_CONFIG = "spec.clientConfig"
_HTTPS = "https"


def validate_extension_config(config: Object, runtime_sdk: bool = True) -> list[FieldError]:
    """Return every error of an ExtensionConfig.

    >>> [error.field for error in validate_extension_config({"metadata": {"name": "bad.name"}})]
    ['metadata.name', 'spec.clientConfig']
    """
    if not runtime_sdk:
        return [forbidden("spec", "can be set only if the RuntimeSDK feature flag is enabled")]
    found = []
    name = str(find(config, ("metadata", "name"), ""))
    for problem in is_dns1123_label(name):
        found.append(
            invalid("metadata.name", name, f"ExtensionConfig name should be a valid DNS1123 label: {problem}")
        )
    client = mapping(config, "spec", "clientConfig")
    url, service = client.get("url"), client.get("service")
    if not url and not service:
        found.append(required(_CLIENT_CONFIG, "either url or service must be defined"))
    if url and service:
        found.append(forbidden(_CLIENT_CONFIG, "only one of url or service can be defined"))
    if url:
        found += _url_errors(url, child(_CLIENT_CONFIG, "url"))
    if service:
        found += _service_errors(service, child(_CLIENT_CONFIG, "service"))
    selector = find(config, ("spec", "namespaceSelector"))
    if selector:
        try:
            parse_selector(selector)
        except GoInputError as error:
            found.append(invalid("spec.namespaceSelector", selector, str(error)))
    return found


def dropped_fields(config: Object) -> list[tuple[str, str]]:
    """Return the unknown fields of an ExtensionConfig, each with a message about the nearest known one.

    >>> dropped_fields({"spec": {"clientConfg": {}, "settings": {"any": "thing"}}})[0][0]
    'spec.clientConfg'
    """
    return [
        (
            f"{path}.{name}".lstrip("."),
            f'unknown field "{name}", which the API server drops' + did_you_mean(name, known),
        )
        for path, known in _FIELDS.items()
        for name in mapping(config, *filter(None, path.split(".")))
        if name not in known
    ]


_FIELDS = {
    "": ("apiVersion", "kind", "metadata", "spec", "status"),
    "spec": ("clientConfig", "namespaceSelector", "settings"),
    "spec.clientConfig": ("caBundle", "service", "url"),
    "spec.clientConfig.service": ("name", "namespace", "path", "port"),
    "spec.namespaceSelector": ("matchExpressions", "matchLabels"),
}


def _url_errors(url: object, path: str) -> list[FieldError]:
    try:
        parsed = Url.parse(str(url))
    except GoInputError as error:
        return [invalid(path, url, f"must be a valid URL, e.g. https://example.com: {error}")]
    if not parsed.scheme:
        return [invalid(path, url, "must be a valid URL, e.g. https://example.com")]
    if parsed.scheme != _HTTPS:
        return [invalid(path, url, "'https' is the only allowed URL scheme, e.g. https://example.com")]
    if not parsed.host:
        return [invalid(path, url, "must have a host, e.g. https://example.com")]
    if parsed.user is not None or parsed.query or parsed.fragment:
        return [invalid(path, url, "must have neither user, nor query, nor fragment")]
    return []


def _service_errors(service: Object, path: str) -> Iterator[FieldError]:
    for field in ("name", "namespace"):
        value = str(service.get(field) or "")
        place = child(path, field)
        if not value:
            yield required(place, "must not be empty")
        elif is_dns1123_label(value):
            yield invalid(place, value, f"invalid {field}")
    url_path = service.get("path")
    if url_path and not str(url_path).startswith("/"):
        yield invalid(child(path, "path"), url_path, "must be a valid URL path, e.g. /path/to/hook")
    port = service.get("port")
    if port and not (isinstance(port, int) and 0 < port <= HIGHEST_PORT):
        yield invalid(child(path, "port"), port, "must be in range 1-65535 inclusive")


def hook_path(group: str, version: str, hook: str, handler: str = "") -> str:
    """Return the URL path of a hook, all in lower case.

    >>> hook_path("hooks.runtime.cluster.x-k8s.io", "v1alpha1", "GeneratePatches", "my-patch")
    '/hooks.runtime.cluster.x-k8s.io/v1alpha1/generatepatches/my-patch'
    """
    return "/" + "/".join(part for part in (group, version, hook.lower(), handler.lower()) if part)


def merged_settings(config: Object, request: Object) -> Object:
    """Add the ExtensionConfig's settings to a request; the request's own settings override them."""
    settings = {**mapping(config, "spec", "settings"), **mapping(request, "settings")}
    return {**request, "settings": settings} if settings else request


def check_namespace(config: Object, handler: str, namespace: str, labels: Object, name: str) -> None:
    """Raise TopologyError if the namespaceSelector does not select the namespace of a call's object.

    labels: the namespace's labels. name: the object's name, for the message.
    """
    selector = find(config, ("spec", "namespaceSelector"))
    if not selector:
        return
    try:
        matches = parse_selector(selector).matches({"kubernetes.io/metadata.name": namespace, **labels})
    except GoInputError as error:
        raise TopologyError(f"failed to call extension handler {quote(handler)}: {error}") from None
    if not matches:
        raise TopologyError(
            f"failed to call extension handler {quote(handler)}: namespaceSelector did not match object"
            f" {namespace}/{name}"
        )


def discovery_cache_key(handler: str, version: str, settings: Object) -> tuple[str, str, tuple[Any, ...]]:
    """Return the cache key of an answer to DiscoverVariables."""
    return handler, version, tuple(sorted(settings.items()))
