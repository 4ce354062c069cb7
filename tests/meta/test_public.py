"""What others build on: the names of krmkit.fn with their members, and what the plugin of pytest adds."""

from __future__ import annotations

import inspect

import pytest

import krmkit.fn
from krmkit.fn.contract import plugin

# A name that goes from here breaks functions that others have written; a new one is promised from then on.
OFFERED = {
    "Config": "api_version crds explain fail_on is_config_map kind name namespace resource spec tag",
    "Finding": "about at beside column current data explained field file instead line message proposed related resource_ref rule severity tags",
    "FunctionError": "",
    "Resource": (
        "add_texts adopt annotation annotations api_version changed column document file forget_tree from_data from_node get has"
        " index is_local_config keys kind label labels limits location may_hold name namespace node obstacle package_path"
        " path read ref refuse_unreadable remove rewrite root set size string text"
    ),
    "ResourceList": (
        "add anchors causes containing envelope function_config items jobs limits of parse remove render results secrets"
    ),
    "Results": "add error explain explaining extend fail_on finish info warning",
}


def members(offered: type) -> list[str]:
    """The public names of a class of krmkit, those of its bases included."""
    own = [base for base in offered.__mro__ if base.__module__.startswith("krmkit.")]
    return sorted({name for base in own for name in vars(base) if not name.startswith("_")})


def test_the_names() -> None:
    """krmkit.fn offers these names and no others."""
    assert sorted(krmkit.fn.__all__) == sorted([*OFFERED, "main"])


@pytest.mark.parametrize("name", OFFERED)
def test_the_members(name: str) -> None:
    """A class has these public members and no others."""
    assert members(getattr(krmkit.fn, name)) == OFFERED[name].split()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("main", "file process"),
        (
            "Finding",
            "rule message resource field current proposed tags about severity",
        ),
        ("FunctionError", "message rule resource field"),
        ("Config", "spec resource fail_on explain"),
    ],
)
def test_the_parameters(name: str, parameters: str) -> None:
    """What a function calls takes these parameters, in this order."""
    assert list(inspect.signature(getattr(krmkit.fn, name)).parameters) == parameters.split()


def test_the_plugin() -> None:
    """The plugin's options, its setting and its hooks."""
    parser = pytest.Parser(_ispytest=True)
    plugin.pytest_addoption(parser)
    hooks = sorted(name for name in vars(plugin) if name.startswith("pytest_"))

    options = [name for option in parser.getgroup("krm").options for name in option.names()]
    assert options == ["--krm-functions", "--krm-write-expected"]
    assert list(parser._inidict) == ["krm_functions"]
    assert hooks == ["pytest_addoption", "pytest_collect_file", "pytest_configure"]
