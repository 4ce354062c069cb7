"""The contract of functions, which pytest gets from an installed krmkit, is loaded from the checkout here."""

from importlib.metadata import entry_points

# A wheel that was built here leaves its metadata in the checkout, and pytest finds the plugin by that.
_FOUND = entry_points(group="pytest11", name="krmkit")
pytest_plugins = () if _FOUND else ("krmkit.fn.contract.plugin",)
