"""Decide what runs for an `image:`: a function in this process as its stand-in, or a container.

Every command and service asks this module. A function stands in for names without a slash, and for images
below the registries of kpt's catalog, of krmkit, and of the caller. `exec:` with a slash is run as a program.
"""

from __future__ import annotations

from collections.abc import Iterable

from krmkit import REGISTRY, TAG
from krmkit.fn.definition import FunctionDefinition
from krmkit.fn.loader import functions_folder
from krmkit.fn.run import RunOptions
from krmkit.kpt.kptfile import image_name, image_tag

REGISTRIES = ("ghcr.io/kptdev/krm-functions-catalog", "gcr.io/kpt-fn", REGISTRY)
NOT_THE_IMAGE = "not-the-image"
_MOVING = frozenset(("", "latest", "unstable"))  # tags that name no release


def stood_in(image: str, prefixes: Iterable[str] = ()) -> str:
    """Return the name of the function that may stand in for an image, or "".

    `prefixes`: registries with the same images, as in `--in-process registry.example/kpt-fn`.
    """
    folder = image.partition("@")[0].rpartition("/")[0]
    below = any(f"{folder}/".startswith(f"{prefix.rstrip('/')}/") for prefix in (*REGISTRIES, *prefixes))
    return image_name(image) if below or not folder else ""


def behaves_as(image: str, tag: str = "") -> str:
    """Return the release (tag) whose behaviour a stand-in has; "" for krmkit's own images."""
    return "" if _is_ours(image) else tag or image_tag(image)


def standing_in(options: RunOptions, image: str, tag: str, warning: str) -> RunOptions:
    """Return the options for running in place of an image: the image's release, and the warning."""
    from copy import copy

    made = copy(options)
    made.tag = behaves_as(image, tag) or options.tag
    made.stands_in = warning
    return made


def followed(image: str, definition: FunctionDefinition) -> list[str]:
    """Return the releases that the function follows for an image, such as `v0.4`.

    [] for a function outside the catalog that names none.
    """
    own = definition.folder == f"{functions_folder()}/{definition.name}"
    return ([TAG] if own and (_is_ours(image) or not definition.releases) else []) + definition.releases


def not_the_image(image: str, tag: str, definition: FunctionDefinition) -> str:
    """Return the warning that the stand-in follows another release than the image's, or "".

    `tag`: of the Kptfile's entry, "" without one; it replaces the image's tag and digest. If it is a
    constraint, pass the release that fulfils it.
    """
    given = image if not tag else f"{image.partition('@')[0].removesuffix(':' + image_tag(image))}:{tag}"
    own = definition.folder == f"{functions_folder()}/{definition.name}"
    releases = followed(image, definition)
    what = f"krmkit's own {definition.name}" if own else f"the function {definition.name} of this machine"
    follows = f", which follows {', '.join(releases)}" if releases else ""
    ways = f"--containers {definition.name} runs the image; --strict makes this an error"
    if "@" in given:
        return f"{given} is pinned by its digest, and {what}{follows}, answered instead; {ways}"
    named = tag or image_tag(image)
    if named in _MOVING or not releases or any(_within(named, release) for release in releases):
        return ""
    return f"{given} is another release than that of {what}{follows}, which answered; {ways}"


def _is_ours(image: str) -> bool:
    return image.startswith(f"{REGISTRY}/")


def _within(tag: str, release: str) -> bool:
    """Return True if a tag belongs to a release: `v0.4.1` and `v0` belong to `v0.4`."""
    tag = f"v{tag.removeprefix('v')}"
    return tag == release or tag.startswith((f"{release}.", f"{release}-")) or release.startswith(f"{tag}.")
