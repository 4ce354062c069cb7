"""Split references of container images as Landscaper's template functions do.

parse_oci_ref("docker.io/library/nginx:1.25")   # ("nginx", "1.25")
"""

from __future__ import annotations

from krmkit.libraries.go.errors import GoInputError

_DEFAULT_HOST = "docker.io"
_OLD_HOST = "index.docker.io"
_LIBRARY = "library/"
_HIDDEN = ("docker.io/library/", "docker.io/")


def parse_oci_ref(text: str) -> tuple[str, str]:
    """Return repository and version: a digest, else the tag, else `latest`. Raises GoInputError.

    Docker's default host and its folder `library` are dropped from the repository.
    """
    if ":" not in text:
        raise GoInputError("invalid reference")
    rest = text.partition("://")[2] or text
    rest, _, digest = rest.partition("@")
    slash = rest.rfind("/")
    colon = rest.rfind(":")
    tag = ""
    if colon > slash:
        rest, tag = rest[:colon], rest[colon + 1 :]
    if not rest:
        raise GoInputError("invalid reference")
    repository = _normalised(rest)
    for prefix in _HIDDEN:
        if repository.startswith(prefix):
            repository = repository[len(prefix) :]
            break
    return repository, digest or tag or "latest"


def _normalised(name: str) -> str:
    host, slash, path = name.partition("/")
    if not slash or ("." not in host and ":" not in host and host != "localhost" and host == host.lower()):
        host, path = _DEFAULT_HOST, name
    if host == _OLD_HOST:
        host = _DEFAULT_HOST
    if host == _DEFAULT_HOST and "/" not in path:
        path = _LIBRARY + path
    return f"{host}/{path}"
